#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: real packages with their packagers' own signatures, and the keyring of their day populated by the real
# pacman-key, through the whole of `use`. REAL_INPUTS is the folder that holds packages/; 77 without it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
packages=${REAL_INPUTS:-}/packages
[ -d "$packages" ] || { echo "the real packages are not at hand"; exit 77; }
command -v pacman-key >/dev/null || { echo "pacman-key is not at hand"; exit 77; }

shelve() {  # shelve ARCHIVE: the packages as the archive lays them out
  for file in "$packages"/*.pkg.tar.xz; do
    name=$(basename "$file" | sed 's/-[^-]*-[^-]*-[^-]*$//')
    folder=$1/packages/$(printf %.1s "$name")/$name
    mkdir -p "$folder"
    cp "$file" "$file.sig" "$folder/"
    chmod 644 "$folder"/*
  done
}

profile() {  # profile NAME FILE…: a profile over real packages
  printf 'name: %s\nsummary: real packages\nreason: they are real\ngenerations: [ampere]\npackages:\n' "$1"
  name=$1
  shift
  for file; do
    printf '  %s: %s\n' "$(echo "$file" | sed 's/-[^-]*-[^-]*-[^-]*$//')" "$(echo "$file" | sed 's/.*-\([^-]*-[^-]*\)-[^-]*$/\1/')"
  done
  echo 'files:'
  for file; do
    depends=
    case $file in filesystem-*) depends=iana-etc ;; esac
    printf '  - {file: %s, depends: [%s]}\n' "$file" "$depends"
  done
}

say "A machine with the keyring of December 2017"
set_up_machine >/tmp/set-up 2>&1 || { cat /tmp/set-up; exit 1; }
rm -rf /etc/pacman.d/gnupg
# Debian's pacman-key looks for keyrings in another folder than Arch's.
keyrings=$(sed -n "s/.*KEYRING_IMPORT_DIR='\(.*\)'/\1/p" "$(command -v pacman-key)")
mkdir -p "$keyrings"
bsdtar -xf "$packages/archlinux-keyring-20171213-1-any.pkg.tar.xz" -C "$keyrings" --strip-components 4 usr
{ pacman-key --init && pacman-key --populate archlinux; } >/tmp/populate 2>&1 || { cat /tmp/populate; exit 1; }
rm "$keyrings"/archlinux*
shelve /srv/real
serve /srv/real && archive=$url
profile old archlinux-keyring-20140220-1-any.pkg.tar.xz >/tmp/old.yaml
profile real archlinux-keyring-20171213-1-any.pkg.tar.xz dnssec-anchors-20170711-1-any.pkg.tar.xz >/tmp/real.yaml
profile base filesystem-2014.07-1-x86_64.pkg.tar.xz >/tmp/base.yaml
use() { cudapin use "$@" --noconfirm --gpu 'RTX 3090' --archive "$archive"; }

say "Installed, upgraded and proven; pacman agrees"
must use /tmp/old.yaml
check_same "the keyring of 2014" 20140220-1 "$(installed archlinux-keyring)"
must use /tmp/real.yaml
check_same "the keyring of 2017" 20171213-1 "$(installed archlinux-keyring)"
check_same "dnssec-anchors" 20170711-1 "$(installed dnssec-anchors)"
must pacman -Qkk archlinux-keyring dnssec-anchors
check "pinned" is_pinned dnssec-anchors
must_refuse 1 pacman -R dnssec-anchors --noconfirm
must cudapin release --noconfirm

say "filesystem of 2014, into a root of its own; its dependency is named as long as it is missing"
root=/srv/old-root
mkdir -p $root/etc/pacman.d $root/var/lib/pacman/local $root/var/cache/pacman/pkg $root/var/log
cp -a /etc/pacman.d/gnupg $root/etc/pacman.d/
gpgconf --homedir /etc/pacman.d/gnupg --kill all 2>/dev/null || true
printf '[options]\nArchitecture = x86_64\nSigLevel = Required DatabaseOptional\nCheckSpace\n' >$root/etc/pacman.conf
echo 9 >$root/var/lib/pacman/local/ALPM_DB_VERSION
must_refuse 1 use /tmp/base.yaml --root $root
check "the dependency is named" has_said iana-etc
mkdir $root/var/lib/pacman/local/iana-etc-2.30-4
printf '%%NAME%%\niana-etc\n\n%%VERSION%%\n2.30-4\n\n%%ARCH%%\nany\n\n' >$root/var/lib/pacman/local/iana-etc-2.30-4/desc
printf '%%FILES%%\n' >$root/var/lib/pacman/local/iana-etc-2.30-4/files
must use /tmp/base.yaml --root $root
check_same "filesystem" 2014.07-1 "$(pacman --root $root --dbpath $root/var/lib/pacman -Q filesystem | cut -d ' ' -f 2)"
check "its files are there" test -e $root/etc/passwd

say "One byte flipped at 90 % of any of them is refused before anything changes"
fresh=/srv/fresh
for file in "$packages"/*.pkg.tar.xz; do
  name=$(basename "$file")
  copy=$(find /srv/real -name "$name")
  at=$(($(stat -c %s "$copy") * 9 / 10))
  byte=$(od -An -tu1 -j "$at" -N 1 "$copy" | tr -d ' ')
  # shellcheck disable=SC2059
  printf "\\$(printf %o $((byte ^ 1)))" | dd of="$copy" bs=1 seek="$at" conv=notrunc status=none
  check "the copy differs in a byte" sh -c "! cmp -s '$file' '$copy'"
  rm -rf $fresh
  cp -a $root $fresh
  rm -rf $fresh/var/lib/cudapin $fresh/var/lib/pacman/local/filesystem-*
  profile flipped "$name" >/tmp/flipped.yaml
  must_refuse 1 use /tmp/flipped.yaml --root $fresh
  check "the file is named" has_said "$name"
  check_same "nothing was installed" 'ALPM_DB_VERSION iana-etc-2.30-4 ' "$(ls $fresh/var/lib/pacman/local | tr '\n' ' ')"
done
