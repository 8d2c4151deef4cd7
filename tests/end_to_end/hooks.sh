#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: the hooks refuse what would break a pin, let everything else pass, and never stand in pacman's way when
# they are broken themselves.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"

set_up_machine
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
next_day
must pacman -Sy
before=$(state)

refused() {  # refused WHAT COMMAND…: by the hook, and nothing has changed
  what=$1
  shift
  say "$what"
  must_refuse 1 "$@"
  check "the hook refused it" has_said 'failed to run transaction hooks'
  check "cudapin says so" has_said "is pinned by profile ampere-11.1"
  changes_nothing "nothing changed" "$before"
}

refused "pacman -S walks over IgnorePkg, the hook does not let it" pacman -S cuda --noconfirm
check "the package is named" has_said cuda
refused "-U does not ask IgnorePkg at all" \
  pacman -U --noconfirm "$world/repo/extra/nccl-2.28.7-1-x86_64.pkg.tar.zst"
refused "-R of a pinned package" pacman -R gcc10 --noconfirm
refused "-R without dependency checks" pacman -Rdd cudnn --noconfirm
refused "One pinned package among others" pacman -S htop nccl --noconfirm
check_same "the other one stays too" 3.4.1-1 "$(installed htop)"

check_same "C019: no hook sorts before ours" 00-cudapin-1-record-install.hook \
  "$(ls /usr/share/libalpm/hooks /etc/pacman.d/hooks | grep '\.hook$' | sort | head -n 1)"

say "What has nothing to do with the pins passes"
must pacman -S htop --noconfirm
check_same "htop moved" 3.4.1-2 "$(installed htop)"
must pacman -R htop --noconfirm
check_same "htop is gone" "" "$(installed htop)"
must pacman -S htop --noconfirm
must pacman -Syu --noconfirm
check_same "cuda stands" 11.1.0-2 "$(installed cuda)"

say "C025: a guard that is gone, that crashes or that cannot be loaded never stops pacman"
guard=/usr/lib/cudapin/cudapin-guard
check "the guard is installed" test -x "$guard"
mv "$guard" /tmp/guard
must pacman -S htop --noconfirm
must pacman -R gcc10 --noconfirm
check_same "even a pinned package" "" "$(installed gcc10)"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$guard" && chmod 755 "$guard"
must pacman -S nccl --noconfirm
must_refuse 1 cudapin doctor
check "C026: the doctor has tried it" has_said 'the guard does not run'
printf '#!/no/such/loader\n' >"$guard"
must_refuse 1 cudapin doctor
check "the doctor has tried that too" has_said 'the guard does not run'
must pacman -S htop --noconfirm
mv /tmp/guard "$guard"
cudapin doctor --json >/tmp/doctor || true
check "as it was, it runs" sh -c '! grep -q "guard does not run" /tmp/doctor'

say "use brings the set back; after release nothing is refused any more"
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check_same "nccl is back" 2.7.8-3 "$(installed nccl)"
check_same "gcc10 is back" 1:10.2.0-3 "$(installed gcc10)"
must cudapin release --noconfirm
must pacman -S cuda --noconfirm
check_same "cuda moved" 13.2.1-3 "$(installed cuda)"
must pacman -R gcc10 --noconfirm
