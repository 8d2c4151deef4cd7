#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/gpu/check.sh [CUDAPIN_GUARD [CUDAPIN]]
# On a machine with an NVIDIA GPU, as root: what the guard takes for running work. An idle machine is idle, a process that
# only asked the management library or only loaded libcuda is not work, a process that computes (PyTorch where it is
# installed) is found with its user and its GPU. It opens GPUs and changes nothing. 77: no GPU here, or no root.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
guard=${1:-$here/build/release/cudapin-guard}
tool=${2:-}

skip() { echo "check: $1" >&2; exit 77; }
fail() { echo "FAILED: $1" >&2; cat /tmp/said >&2; exit 1; }
grep -qw nvidia-uvm /proc/devices || skip "the compute device's module is not loaded"
ls /dev/nvidia[0-9]* >/dev/null 2>&1 || skip "no NVIDIA GPU"
[ "$(id -u)" -eq 0 ] || skip "needs root to see every process"
[ -x "$guard" ] || { echo "usage: sh tests/gpu/check.sh CUDAPIN_GUARD" >&2; exit 2; }

ask() {  # the guard's opinion of a driver upgrade; its words in /tmp/said
  status=0
  "$guard" check nvidia-utils >/tmp/said 2>&1 || status=$?
}
is_idle() { ask; [ "$status" -eq 0 ] || fail "$1: the machine counts as busy"; echo "ok: $1"; }

started=
trap 'kill $started 2>/dev/null || true' EXIT
start() {  # start USER PROGRAM_TEXT: a Python process that says "ready" and stays; sets pid
  rm -f /tmp/ready && : >/tmp/ready && chmod 666 /tmp/ready
  echo "$2" >/tmp/program.py && chmod 644 /tmp/program.py
  setpriv --reuid "$1" --clear-groups env HOME=/tmp PYTHONDONTWRITEBYTECODE=1 python3 -u /tmp/program.py >/tmp/ready 2>/tmp/program.log &
  pid=$!
  started="$started $pid"
  tries=0
  until grep -q ready /tmp/ready; do
    tries=$((tries + 1))
    { [ "$tries" -lt 600 ] && kill -0 "$pid" 2>/dev/null; } || { cat /tmp/program.log >&2; fail "the program does not start"; }
    sleep 0.2
  done
}
stop() { kill "$pid" && wait "$pid" 2>/dev/null || true; }

echo "kernel $(uname -r), $(head -n 1 /proc/driver/nvidia/version), uvm holders: $(cat /sys/module/nvidia_uvm/refcnt 2>/dev/null || echo 'not told')"
is_idle "an idle machine is idle"

start nobody 'import ctypes, time
nvml = ctypes.CDLL("libnvidia-ml.so.1")
assert nvml.nvmlInit_v2() == 0
print("ready")
time.sleep(600)'
is_idle "a process that only opened NVML is not work"
stop

start nobody 'import ctypes, time
ctypes.CDLL("libcuda.so.1")
print("ready")
time.sleep(600)'
is_idle "a process that only loaded libcuda is not work"
stop

start nobody 'import time
try:
    import torch
    weight = torch.randn(512, 512, device="cuda", requires_grad=True)
    for _ in range(10):
        (weight @ weight).sum().backward()
    torch.cuda.synchronize()
    print("with PyTorch", torch.__version__)
except ImportError:
    import ctypes
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
    assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
    print("without PyTorch, by the driver")
print("ready")
time.sleep(600)'
head -n 1 /tmp/ready
awk '/^VmSize/ { printf "address space: %.1f GiB\n", $2 / 1048576 }' "/proc/$pid/status"
minor=$(nvidia-smi -q 2>/dev/null | sed -n 's/.*Minor Number *: *//p' | head -n 1)
ask
[ "$status" -eq 3 ] || fail "a training is not found"
grep -q "running: nobody, pid $pid, GPU ${minor:-[0-9]}" /tmp/said || fail "not with its user, pid and GPU ${minor:-N}"
echo "ok: a training is found: $(grep 'running:' /tmp/said | cut -c 1-90)"
if [ -n "$tool" ]; then
  "$tool" who --json >/tmp/said || fail "who"
  python3 -c '
import json, sys
answer = json.load(open("/tmp/said"))
(process,) = [p for p in answer["processes"] if p["pid"] == int(sys.argv[1])]
assert process["user"] == "nobody" and process["memory"] > 0, process
assert answer["gpus"] and answer["gpus"][0]["memory_total"] > 0, answer' "$pid" || fail "who does not know its memory"
  echo "ok: who knows its memory"
fi
stop
is_idle "when it has ended the machine is idle again"
