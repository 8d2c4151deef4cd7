#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view, without cudapin: the machine that the other stories start from is a real one. The repositories are
# signed and checked, pacman upgrades, ignores and refuses as it does everywhere, and the archive has what it has.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
install_cudapin() { :; }

set_up_machine
check_same "cuda" 13.1.1-1 "$(installed cuda)"
check "pacman verified its signature" sh -c 'pacman -Qi cuda | grep -q "Validated By *: Signature"'
check_same "the targets are explicit" "Explicitly installed" "$(reason cuda)"
check_same "their dependencies are not" "Installed as a dependency for another package" "$(reason gcc-libs)"
check "no file differs from its package" sh -c 'pacman -Qkk >/dev/null 2>&1'
check "no dependency is broken" pacman -Dk
check "the system's own libraries still load" /bin/true

say "A package that was changed after it was signed is not installed"
next_day
must pacman -Sy
printf 'x' >>"$world/repo/extra/htop-3.4.1-2-x86_64.pkg.tar.zst"
must_refuse 1 pacman -S htop --noconfirm
check_same "htop stays" 3.4.1-1 "$(installed htop)"

say "IgnorePkg keeps -Syu from cuda and cudnn, and -S walks over it"
sed -i 's/^#IgnorePkg.*/IgnorePkg = cuda cudnn htop/' /etc/pacman.conf
must pacman -Syu --noconfirm
check "pacman says what it ignores" has_said 'cuda: ignoring package upgrade (13.1.1-1 => 13.2.1-3)'
check_same "cuda stays" 13.1.1-1 "$(installed cuda)"
check_same "zlib moved" 1:1.3.1-3 "$(installed zlib)"
must pacman -S cuda --noconfirm
check_same "cuda moved" 13.2.1-3 "$(installed cuda)"

say "The archive answers for the old package from behind its redirects"
curl -sSfL -o /tmp/cuda.pkg "$archive/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.zst"
check "byte for byte" cmp /tmp/cuda.pkg "$world/moved/cuda-11.1.0-2-x86_64.pkg.tar.zst"
check_same "after two of them" 2 "$(curl -sSfL -o /dev/null -w '%{num_redirects}' \
  "$archive/packages/g/gcc10/gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst.sig")"
check_same "cuda 10.2 is there without any" 200 "$(curl -sS -o /dev/null -w '%{http_code}' \
  "$archive/packages/c/cuda/cuda-10.2.89-5-x86_64.pkg.tar.zst")"
