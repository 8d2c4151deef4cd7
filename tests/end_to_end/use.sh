#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: what pacman finds after `use` and `release` is what cudapin said, and nothing else has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"

set_up_machine
must pacman -D --asdeps nccl
cp -p /etc/pacman.conf /tmp/pacman.conf.before
targets='cuda 11.1.0-2
cudnn 8.0.4.30-1
nccl 2.7.8-3
gcc10 1:10.2.0-3
gcc10-libs 1:10.2.0-3'
names=$(echo "$targets" | cut -d ' ' -f 1)

said_and_done() {  # said_and_done: every target is named with its version by the last command, and installed so
  echo "$targets" | while read -r name version; do
    check "cudapin named $name" has_said "$name"
    check "cudapin named $version" has_said "$version"
    check_same "$name is what cudapin said" "$version" "$(installed "$name")"
  done
}
others() { pacman -Q | grep -v -E "^($(echo "$names" | tr '\n' '|')-) "; }

say "A dry run shows the plan and changes nothing"
before=$(state)
timestamps >/tmp/before
must cudapin use ampere-11.1 --dry-run --gpu 'RTX 3090'
check "the plan names the downgrade" has_said 11.1.0-2
changes_nothing "no package, no configuration" "$before"
timestamps >/tmp/after
check "no file at all" cmp /tmp/before /tmp/after

say "A card that the toolkit has no code for is refused before anything is fetched"
must_refuse 1 cudapin use pascal-10.2 --noconfirm --gpu 'RTX 3090'
check "the reason is the card" has_said sm_86
changes_nothing "nothing changed" "$before"
check "nothing was fetched" sh -c '! find /var/lib/cudapin -name "*.pkg.tar*" 2>/dev/null | grep -q .'

say "use installs, pins and says so"
others >/tmp/others.before
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
said_and_done
others >/tmp/others.after
check "no other package moved" cmp /tmp/others.before /tmp/others.after
check "no file differs from its package" sh -c 'pacman -Qkk >/dev/null 2>&1'
check "pacman finds no dependency broken" pacman -Dk
check_same "the install reason of cuda stays" "Explicitly installed" "$(reason cuda)"
check_same "the install reason of nccl stays" "Installed as a dependency for another package" "$(reason nccl)"
check_same "a new library comes as a dependency" "Installed as a dependency for another package" \
  "$(reason gcc10-libs)"
for name in $names; do check "$name is in IgnorePkg" is_pinned "$name"; done
check "no lock is left" sh -c '! test -e /var/lib/pacman/db.lck'
check_same "nvcc is the old one" "Cuda compilation tools, release 11.1, V11.1.74" \
  "$(/opt/cuda/bin/nvcc | tail -n 1)"

say "status and show agree"
must cudapin status
check "the profile is in force" has_said ampere-11.1
check "libcudart is seen" has_said 11.1.74
check "cuDNN is seen" has_said 8.0.4
check "the driver on disk is seen" has_said 590.48.01
must cudapin show ampere-11.1
must cudapin list
check "the list has pascal-10.2" has_said pascal-10.2

say "The same use again touches nothing"
timestamps >/tmp/before
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
timestamps >/tmp/after
check "no file at all" cmp /tmp/before /tmp/after

say "A full upgrade moves everything but the pins"
next_day
must pacman -Syu --noconfirm
echo "$targets" | while read -r name version; do
  check_same "$name stands" "$version" "$(installed "$name")"
done
check_same "zlib moved" 1:1.3.1-3 "$(installed zlib)"
check_same "htop moved" 3.4.1-2 "$(installed htop)"

say "release gives pacman.conf back byte for byte and leaves the packages"
must cudapin release --noconfirm
check "pacman.conf is the old one" cmp /tmp/pacman.conf.before /etc/pacman.conf
check_same "its mode and owner too" "$(stat -c '%a %U %G' /tmp/pacman.conf.before)" \
  "$(stat -c '%a %U %G' /etc/pacman.conf)"
check_same "nothing is pinned" "" "$(ignored)"
check_same "cuda stands" 11.1.0-2 "$(installed cuda)"

say "After it the upgrade takes cuda along"
must pacman -Syu --noconfirm
check_same "cuda moved" 13.2.1-3 "$(installed cuda)"
check_same "cudnn moved" 9.23.0.39-1 "$(installed cudnn)"
