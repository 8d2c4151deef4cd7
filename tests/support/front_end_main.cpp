// SPDX-License-Identifier: GPL-3.0-or-later
// front_end REPOSITORY SERVER sysupgrade|install NAME…|remove NAME…
// A graphical front end as libalpm sees it: says yes to replacing, removing what conflicts and whatever else
// is asked, knows no configuration but one repository, and has no command line that names a package file.
#include <alpm.h>
#include <alpm_list.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

void answer(void*, alpm_question_t* question) {
  question->any.answer = question->type != ALPM_QUESTION_INSTALL_IGNOREPKG;
}

void print(void*, alpm_loglevel_t level, const char* format, va_list arguments) {
  if (level & (ALPM_LOG_ERROR | ALPM_LOG_WARNING)) std::vfprintf(stderr, format, arguments);
}

void show(void*, alpm_event_t* event) {
  if (event->type == ALPM_EVENT_SCRIPTLET_INFO) std::fputs(event->scriptlet_info.line, stderr);
}

[[noreturn]] void fail(alpm_handle_t* handle, const char* what) {
  std::fprintf(stderr, "error: %s: %s\n", what, alpm_strerror(alpm_errno(handle)));
  alpm_trans_release(handle);
  alpm_release(handle);
  std::exit(1);
}

void add_targets(alpm_handle_t* handle, alpm_db_t* sync, std::string_view verb, char** names) {
  if (verb == "sysupgrade" && alpm_sync_sysupgrade(handle, 0) != 0) fail(handle, "sysupgrade");
  for (; *names; ++names) {
    auto* const database = verb == "remove" ? alpm_get_localdb(handle) : sync;
    auto* const package = alpm_db_get_pkg(database, *names);
    if (!package) fail(handle, *names);
    if ((verb == "remove" ? alpm_remove_pkg(handle, package) : alpm_add_pkg(handle, package)) != 0)
      fail(handle, *names);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  alpm_errno_t error{};
  auto* const handle = alpm_initialize("/", "/var/lib/pacman", &error);
  if (!handle) return 2;
  alpm_option_set_questioncb(handle, answer, nullptr);
  alpm_option_set_logcb(handle, print, nullptr);
  alpm_option_set_eventcb(handle, show, nullptr);
  alpm_option_add_cachedir(handle, "/var/cache/pacman/pkg/");
  alpm_option_set_logfile(handle, "/var/log/pacman.log");
  auto* const sync = alpm_register_syncdb(handle, argv[1], 0);
  alpm_db_add_server(sync, argv[2]);
  alpm_list_t* problems = nullptr;
  if (alpm_trans_init(handle, 0) != 0) fail(handle, "init");
  add_targets(handle, sync, argv[3], argv + 4);
  if (alpm_trans_prepare(handle, &problems) != 0) fail(handle, "prepare");
  if (alpm_trans_commit(handle, &problems) != 0) fail(handle, "commit");
  alpm_trans_release(handle);
  alpm_release(handle);
}
