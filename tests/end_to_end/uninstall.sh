#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: taken off half way, in whatever order, cudapin never stands in pacman's way, and what is left of the guard
# guards for as long as it can: while its program and the hook that decides are there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
. "$here/lab.sh"

set_up_lab
mkdir -p /etc/cudapin/profiles
cat >/etc/cudapin/profiles/studio.yaml <<'END'
name: studio
summary: the renderer stays as it is
reason: a film is being rendered
generations: [ampere]
packages:
  blender-lab: 5.0-1
files:
  - file: blender-lab-5.0-1-x86_64.pkg.tar.zst
    depends: [libcudart.so=12-64]
END
must cudapin use studio --noconfirm --gpu 'RTX 3090'
useradd -M alice 2>/dev/null || true
compute alice --map /usr/lib/libtorch-lab.so

hooks=/usr/share/libalpm/hooks
record=$hooks/00-cudapin-3-record-remove.hook
decide=$hooks/00-cudapin-4-decide.hook
guard=/usr/lib/cudapin/cudapin-guard
pins=$(find "$hooks" /etc/pacman.d/hooks -name '*cudapin*pins.hook')
check "the pins have hooks of their own" test -n "$pins"
parts="$guard $record $decide $hooks/zz-cudapin-after.hook $(echo "$pins" | head -n 1) /etc/cudapin /var/lib/cudapin"
for part in $parts; do check "there is $part" test -e "$part"; done

take_off() {  # take_off SET: the parts whose bit is in it, each to a place of its own
  bit=1
  for part in $parts; do
    [ $(($1 & bit)) -eq 0 ] || mv "$part" "/srv/aside/$bit"
    bit=$((bit * 2))
  done
}
put_back() {  # put_back SET
  bit=1
  for part in $parts; do
    [ $(($1 & bit)) -eq 0 ] || { rm -rf "$part" && mv "/srv/aside/$bit" "$part"; }
    bit=$((bit * 2))
  done
}
mkdir -p /srv/aside
count=$(echo "$parts" | wc -w)
say "Each of the $((1 << count)) sets of parts that may be gone"
refusals=0
set=0
while [ "$set" -lt $((1 << count)) ]; do
  take_off "$set"
  stands=yes
  for part in "$guard" "$decide"; do [ -e "$part" ] || stands=no; done
  pacman -Rdd --noconfirm htop-lab >/tmp/said 2>&1 || fail "without set $set pacman cannot remove: $(cat /tmp/said)"
  pacman -U --noconfirm /srv/lab/htop-lab-3.4.1-1-x86_64.pkg.tar.zst >/tmp/said 2>&1 ||
    fail "without set $set pacman cannot install: $(cat /tmp/said)"
  if pacman -Rdd --noconfirm opencl-nvidia >/tmp/said 2>&1; then
    [ "$stands" = no ] || fail "without set $set the guard let the driver go"
    pacman -U --noconfirm /srv/lab/opencl-nvidia-580.119.02-1-x86_64.pkg.tar.zst >/tmp/said 2>&1 ||
      fail "without set $set pacman cannot install the driver: $(cat /tmp/said)"
  else
    [ "$stands" = yes ] || fail "without set $set pacman is stopped: $(cat /tmp/said)"
    grep -q 'this transaction is blocked' /tmp/said || fail "without set $set it is not the guard that refuses: $(cat /tmp/said)"
    refusals=$((refusals + 1))
  fi
  put_back "$set"
  set=$((set + 1))
done
check_same "refused by what was left of the guard" $((1 << (count - 2))) "$refusals"
stop_computing
