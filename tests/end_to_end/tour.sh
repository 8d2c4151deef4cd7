#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The story of the README on a rolling-release machine in a view, each step shown and checked. With `shell` it only sets
# the machine up and opens a shell there. Run through tests/try.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"

say "A rolling-release machine of January 2026, installed by the real pacman from signed packages"
set_up_machine
check "cuda is the newest" has_version cuda 13.1.1-1
check "cudnn is the newest" has_version cudnn 9.18.1.3-1

if [ "${1-}" = shell ]; then
  say "This machine is yours and goes when you leave it. Try:"
  cat <<'END'
      cudapin list
      cudapin use ampere-11.1 --gpu 'RTX 3090'
      pacman -S cuda
      cudapin release
END
  PS1='throwaway# ' exec bash --norc -i
fi

say "One command makes it what the training code of 2020 needs"
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check "cuda is 11.1.0-2" has_version cuda 11.1.0-2
check "cudnn is 8.0.4.30-1" has_version cudnn 8.0.4.30-1
check "nccl is 2.7.8-3" has_version nccl 2.7.8-3
check "gcc10 is 1:10.2.0-3" has_version gcc10 1:10.2.0-3
check "gcc10-libs is 1:10.2.0-3" has_version gcc10-libs 1:10.2.0-3
for name in cuda cudnn nccl gcc10 gcc10-libs; do
  check "pacman ignores upgrades of $name" is_pinned "$name"
done
check "the driver is left alone" has_version nvidia-utils 590.48.01-1
check "the compiler of the system is left alone" has_version gcc '15.2.1+r934+gbcd3e3ff5aa7-1'
check "no file differs from its package" sh -c 'pacman -Qkk >/dev/null 2>&1'

say "What it is now"
must cudapin status
check "status knows the profile" has_said ampere-11.1
check "status knows the toolkit" has_said 11.1.0

say "Weeks later a newer cuda is in the repositories: the daily upgrade leaves the pins alone"
next_day
must pacman -Syu --noconfirm
check "pacman says what it ignores" has_said 'cuda: ignoring package upgrade (11.1.0-2 => 13.2.1-3)'
check "cuda is still 11.1.0-2" has_version cuda 11.1.0-2
check "cudnn is still 8.0.4.30-1" has_version cudnn 8.0.4.30-1
check "everything else is upgraded" has_version htop 3.4.1-2

say "And a pacman -S cuda, which would walk over IgnorePkg, is refused before anything changes"
before=$(state)
must_refuse 1 pacman -S cuda --noconfirm
check "cudapin says why" has_said "is pinned by profile ampere-11.1"
changes_nothing "nothing changed" "$before"

say "All came out as promised. A machine to play on: sh tests/try.sh shell"
