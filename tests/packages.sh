# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Sourced: need_packages build|test installs what is missing on Debian, Ubuntu or Arch. Without root it says what is
# missing and the command that brings it.

debian_build='g++ cmake ninja-build pkg-config libalpm-dev libarchive-dev libcurl4-openssl-dev libgpgme-dev libssl-dev
  libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev doctest-dev libcpp-httplib-dev pacman-package-manager
  gpg gpg-agent gpgconf gettext'
# shellcheck disable=SC2034  # looked up by name
debian_test="$debian_build universal-ctags util-linux curl strace libarchive-tools man-db scdoc tmux
  zsh fish makepkg fakeroot zstd nginx-light iproute2 ansible-core"
# shellcheck disable=SC2034
debian_checks="$debian_test clang clang-format"
arch_build='gcc cmake ninja pkgconf pacman libarchive curl gpgme openssl yaml-cpp cli11 fmt nlohmann-json doctest
  cpp-httplib gnupg gettext'
arch_test="$arch_build ctags util-linux curl strace man-db scdoc tmux zsh fish fakeroot nginx iproute2 ansible-core"
# shellcheck disable=SC2034
arch_checks="$arch_test clang"

debian_missing() {
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# shellcheck disable=SC2086  # the lists are lists
need_packages() {  # need_packages build|test|checks
  if [ -e /etc/debian_version ]; then
    eval "missing=\$(debian_missing \$debian_$1)"
    get='env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends'
  elif [ -e /etc/arch-release ]; then
    eval "missing=\$(pacman -T \$arch_$1)" || true
    get='pacman -S --needed --noconfirm'
  else
    echo "This is neither Debian, Ubuntu nor Arch: make sure that these are here: $arch_build"
    return 0
  fi
  [ -n "$missing" ] || return 0
  missing=$(printf "%s " $missing)
  if [ "$(id -u)" -ne 0 ]; then
    echo "error: these packages are missing: $missing" >&2
    echo "hint: sudo ${get#env DEBIAN_FRONTEND=noninteractive } $missing" >&2
    return 1
  fi
  echo ":: Installing $missing"
  [ ! -e /etc/debian_version ] || apt-get update -qq
  $get $missing >/dev/null
}
