# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints one line a task and host: HOST | TASK | changed, same or failed; of the last task its message."""
from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'stdout'
    CALLBACK_NAME = 'told'

    def tell(self, result, word):
        host, task = result._host.get_name(), result._task.get_name()
        print(f'{host} | {task} | {word}')
        if word == 'failed':
            print(f'{host} | failure | {result._result}')
        elif task.endswith('Report'):
            print(f"{host} | said | {result._result.get('msg')}")

    def v2_runner_on_ok(self, result):
        self.tell(result, 'changed' if result._result.get('changed') else 'same')

    def v2_runner_on_skipped(self, result):
        self.tell(result, 'same')

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.tell(result, 'failed')

    def v2_runner_on_unreachable(self, result):
        self.tell(result, 'failed')
