#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: the Arch package is built by makepkg as an ordinary user, installed by the real pacman, upgraded and removed;
# pacman works after each. CUDAPIN_LONG=1 builds it twice and wants the same bytes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for program in makepkg fakeroot bsdtar zstd runuser; do
  command -v $program >/dev/null || { echo "$program is not here"; exit 77; }
done
. "$here/machine.sh"

tree=$(cd "$here/../.." && pwd)
set_up_machine
say "What lies beside packages goes, as the README says"
xargs -r -d '\n' rm -f -- <"$BUILD/install_manifest.txt"
check "no cudapin is left" sh -c '! command -v cudapin'

say "makepkg builds the package, as an ordinary user"
mkdir -p /tmp/pkg/ccache
sed -e "s/^PKGEXT=.*/PKGEXT='.pkg.tar.zst'/" /etc/makepkg.conf >/tmp/pkg/makepkg.conf
chown -R nobody: /tmp/pkg
export SOURCE_DATE_EPOCH=1767225600
make_package() {  # make_package PKGBUILD [OPTION…]
  recipe=$1
  shift
  launcher=$(command -v ccache || true)
  (cd "$tree/contrib/arch" && runuser -u nobody -- env HOME=/tmp/pkg PKGDEST=/tmp/pkg SRCDEST=/tmp/pkg BUILDDIR=/tmp/pkg CCACHE_DIR=/tmp/pkg/ccache \
    ${launcher:+CMAKE_CXX_COMPILER_LAUNCHER=$launcher} \
    makepkg --config /tmp/pkg/makepkg.conf -p "$recipe" --nodeps --force "$@" >/tmp/pkg.log 2>&1) ||
    { tail -n 40 /tmp/pkg.log; fail "makepkg $*"; }
}
make_package PKGBUILD
package=$(find /tmp/pkg -name 'cudapin-*-1-x86_64.pkg.tar.zst')
check "there is one" test -f "$package"
if [ -n "${CUDAPIN_LONG-}" ]; then
  first=$(sha256sum <"$package")
  rm -rf "$package" /tmp/pkg/cudapin
  make_package PKGBUILD
  check_same "the same source gives the same package" "$first" "$(sha256sum <"$package")"
fi
bsdtar -tf "$package" >/tmp/files
for file in usr/bin/cudapin usr/lib/cudapin/cudapin-guard usr/share/libalpm/hooks/00-cudapin-4-decide.hook \
  usr/share/locale/zh_CN/LC_MESSAGES/cudapin.mo usr/share/bash-completion/completions/cudapin \
  usr/share/zsh/site-functions/_cudapin usr/share/fish/vendor_completions.d/cudapin.fish \
  usr/share/licenses/cudapin/LICENSE usr/share/man/man1/cudapin.1.gz; do
  check "$file is in it" grep -qxF "$file" /tmp/files
done
check "no path of the build is in it" sh -c "! bsdtar -xOf '$package' usr/bin/cudapin | grep -qaF '$tree/src'"

# What it depends on is not what this view has packages of.
depends=$(pacman -Qip "$package" | sed -n 's/^Depends On *: //p')
install_package() {
  set -- "$1"
  for name in $depends; do set -- "$@" --assume-installed "$name=1"; done
  must pacman -U --noconfirm "$@"
}
pacman_works() {
  must pacman -Syu --noconfirm
  must pacman -S --noconfirm htop
}

say "The real pacman installs it"
install_package "$package"
check "the program says its version" sh -c "cudapin --version | grep -q '^cudapin $(pacman -Q cudapin | sed 's/.* \(.*\)-.*/\1/') (libalpm [0-9.]*, libcurl [0-9.]*)$'"
check "no file differs from the package" sh -c 'pacman -Qkk cudapin >/dev/null 2>&1'
pacman_works
before=$(sha256sum </etc/pacman.conf)
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'

say "It is upgraded: pins and guard stay"
sed 's/^pkgrel=1$/pkgrel=2/' "$tree/contrib/arch/PKGBUILD" >"$tree/contrib/arch/PKGBUILD.next"
make_package PKGBUILD.next --repackage
install_package "$(find /tmp/pkg -name 'cudapin-*-2-x86_64.pkg.tar.zst')"
check "cuda is pinned" is_pinned cuda
must_refuse 1 pacman -S --noconfirm cuda
check "the guard says why" has_said "is pinned by profile ampere-11.1"
pacman_works

say "It is removed: the pins stay, and it is said where"
must pacman -R --noconfirm cudapin
check "it says what stays" has_said "what cudapin pinned stays pinned"
check "cuda is still pinned" is_pinned cuda
check "no hook is left" sh -c '! ls /usr/share/libalpm/hooks/*cudapin*'
pacman_works

say "It is removed with its pins, on request"
install_package "$package"
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
must env CUDAPIN_RELEASE=1 pacman -R --noconfirm cudapin
check_same "pacman.conf is as it was" "$before" "$(sha256sum </etc/pacman.conf)"
check "no hook is left" sh -c '! ls /usr/share/libalpm/hooks/*cudapin*'
pacman_works
check "cuda is upgraded again" sh -c "! pacman -Q cuda | grep -q ' 11\.'"
