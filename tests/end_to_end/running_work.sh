#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: no upgrade breaks a running training, whoever asks for it and however; what is told to type next works.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
. "$here/lab.sh"

set_up_lab
before=$(state)

blocked() {  # blocked WHAT COMMAND…: by the guard, nothing changed
  say "$1"
  shift
  must_refuse 1 "$@"
  check "the guard blocked it" has_said 'cudapin: this transaction is blocked, nothing was changed'
  check "in at most 20 lines" test "$(grep -c -e '^cudapin:' -e '^  ' -e '^to ' "$said")" -le 20
  changes_nothing "nothing changed" "$before"
  suggested=$(sed -n 's/^to upgrade everything else: //p' "$said")
}
try_suggestion() {  # as printed, for real; then back to where we were
  check "a command is suggested" test -n "$suggested"
  # shellcheck disable=SC2086
  must $suggested --noconfirm
  check_same "htop moved" 3.4.1-2 "$(installed htop-lab)"
  check_same "the driver stands" 580.119.02-1 "$(installed nvidia-utils)"
  go_back
  changes_nothing "back again" "$before"
}

say "A training of alice with the system's PyTorch"
useradd -M alice 2>/dev/null || true
compute alice --map /usr/lib/libtorch-lab.so --map /usr/lib/libnccl.so.2.27 --map /usr/lib/libcuda.so.580.119.02
must cudapin who
check "it is found" has_said "pid $training"
check "with its user" has_said alice

for command in 'pacman -Syu --noconfirm' 'pacman -Su --noconfirm --noscriptlet' 'pacman -S nccl --noconfirm' \
  'pacman -S python-pytorch-cuda cuda cudnn blender-lab --noconfirm' 'pacman -R python-pytorch-cuda --noconfirm' \
  'pacman -Rdd nvidia-utils --noconfirm' 'pacman -Rdd nccl --noconfirm' 'pacman -S nvidia-utils -dd --noconfirm' \
  'pacman -U /srv/lab/nccl-2.28.7-1-x86_64.pkg.tar.zst --noconfirm' \
  'pacman -U /srv/lab/opencl-nvidia-590.48.01-1-x86_64.pkg.tar.zst --noconfirm'; do
  # shellcheck disable=SC2086
  blocked "$command" $command
  check "the work is named" has_said "pid $training, GPU 0"
  check "and a package with its versions" grep -qE '^  (upgrade: [^ ]+ [^ ]+ -> [0-9]|remove: [^ ]+ [0-9]|install: )' "$said"
  try_suggestion
done

# C023: nvidia-open comes in as an Install and nvidia goes as a Remove.
for command in sysupgrade 'install nvidia-open nvidia-utils' 'install nccl' 'remove python-pytorch-cuda'; do
  # shellcheck disable=SC2086
  blocked "A graphical front end: $command" "$BUILD/tests/front_end" lab file:///srv/lab $command
  try_suggestion
done
check "pacman.log has it too" grep -q 'cudapin: this transaction is blocked' /var/log/pacman.log

say "What the training does not use passes: reinstalls, other packages, a toolkit that it has not mapped"
must pacman -U --noconfirm /srv/lab/nccl-2.27.1-1-x86_64.pkg.tar.zst
must pacman -S htop-lab --noconfirm
must pacman -S linux-headers --noconfirm
must pacman -R blender-lab --noconfirm
before=$(state)

say "A toolkit that CUDA_HOME leads to is in use"
stop_computing
CUDA_HOME=/opt/cuda compute alice
blocked "pacman -Rdd cuda" pacman -Rdd cuda --noconfirm
stop_computing

say "cudapin run keeps the gate shut while nothing is on the GPU"
cudapin run -- sleep 300 &
watch=$!
sleep 0.5
blocked "pacman -Syu" pacman -Syu --noconfirm
check "it is named" has_said "cudapin run -- sleep 300"
kill "$watch"
wait "$watch" 2>/dev/null || true

say "cudapin upgrade leaves out what is in use, and pacman does the rest"
compute alice --map /usr/lib/libtorch-lab.so
must_refuse 3 cudapin guard check
must_refuse 0 cudapin guard check htop-lab
must cudapin upgrade --dry-run
check "it says what it leaves out" has_said 'left out: cuda cudnn'
must cudapin upgrade --noconfirm
check_same "the driver stands" 580.119.02-1 "$(installed nvidia-utils)"
check_same "PyTorch stands" 2.9.0-1 "$(installed python-pytorch-cuda)"
check_same "python moved" 3.14.2-1 "$(installed python)"
before=$(state)

say "A freeze and an allowance"
must cudapin freeze --for 3d --reason 'paper deadline' --package htop-lab
blocked "pacman -R htop-lab" pacman -R htop-lab --noconfirm
check "with its reason" has_said 'paper deadline'
must cudapin thaw
must cudapin allow --once
must pacman -Syu --noconfirm
check "it passed by the allowance" has_said 'let through by the allowance'
check_same "the driver moved" 590.48.01-1 "$(installed nvidia-utils)"
check_same "and was replaced" 590.48.01-1 "$(installed nvidia-open)"
check "the mismatch is told" has_said 'the loaded driver is 580.119.02'
before=$(state)
blocked "The allowance is used up" pacman -R nvidia-open --noconfirm
check "history has who allowed it" grep -q '"command":"allow --once"' /var/lib/cudapin/history.jsonl

say "A downgrade"
blocked "pacman -U of an older file" pacman -U --noconfirm /srv/lab/opencl-nvidia-580.119.02-1-x86_64.pkg.tar.zst
check "with both versions" has_said 'opencl-nvidia 590.48.01-1 -> 580.119.02-1'

say "Half taken off, in any order, pacman works"
mv /usr/lib/cudapin/cudapin-guard /tmp/guard
must pacman -S nccl --noconfirm
: >/usr/lib/cudapin/cudapin-guard   # there, but not to be executed
must pacman -R htop-lab --noconfirm
mv /tmp/guard /usr/lib/cudapin/cudapin-guard
rm -r /var/lib/cudapin
must pacman -S htop-lab --noconfirm
rm /usr/share/libalpm/hooks/00-cudapin-1-*.hook /usr/share/libalpm/hooks/00-cudapin-2-*.hook
must_refuse 1 pacman -R nvidia-open --noconfirm
rm /usr/share/libalpm/hooks/*cudapin*.hook
must pacman -R nvidia-open --noconfirm
stop_computing
