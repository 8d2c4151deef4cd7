# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Sourced inside a view (tests/view.sh): turns it into a rolling-release machine with the real pacman, a keyring, two
# repositories and an archive on a loopback port, and the installed cudapin. Also the words to tell and check a story.
# BUILD is the build folder with make_world and archive_server.

world=/srv/world
rolling='linux nvidia-open nvidia-utils opencl-nvidia gcc cuda cudnn nccl python-pytorch-cuda htop'

[ -e /.cudapin-view ] || { echo "this runs inside tests/view.sh only" >&2; exit 2; }
# The host's toolkits and the shell's choice of one are none of this machine's.
unset CUDA_HOME CUDA_PATH NVCC_CCBIN
export LC_ALL=C HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# --- telling ---
say() { printf '\n==> %s\n' "$*"; }
fail() { printf '\nFAILED: %s\n' "$*" >&2; exit 1; }

as_typed() {
  line=
  for word; do
    case $word in *[!A-Za-z0-9_./:=+@%,-]* | '') word="'$word'" ;; esac
    line="$line $word"
  done
  echo "#$line"
}

# Shows a command as a root prompt would and runs it; `must` wants success, `must_refuse STATUS` that exit status.
# Both keep what the command said in $said for a check of its words.
said=/tmp/said
must() {
  as_typed "$@"
  status=0
  "$@" >"$said" 2>&1 </dev/null || status=$?
  cat "$said"
  [ "$status" -eq 0 ] || fail "'$*' came out with exit $status"
}
must_refuse() {
  wanted=$1
  shift
  as_typed "$@"
  status=0
  "$@" >"$said" 2>&1 </dev/null || status=$?
  cat "$said"
  [ "$status" -eq "$wanted" ] || fail "'$*' came out with exit $status instead of $wanted"
}
check() {  # check WHAT COMMAND…
  what=$1
  shift
  "$@" || fail "$what: not so ($*)"
  echo "    ok: $what"
}
check_same() {  # check_same WHAT WANTED FOUND
  [ "$2" = "$3" ] || fail "$1: wanted '$2', found '$3'"
  echo "    ok: $1"
}
has_said() { grep -qF -e "$1" "$said"; }

# --- asking the machine ---
installed() { pacman -Q "$1" 2>/dev/null | cut -d ' ' -f 2; }
reason() { pacman -Qi "$1" | sed -n 's/^Install Reason *: //p'; }
ignored() { pacman-conf IgnorePkg | sort | tr '\n' ' '; }
has_version() { [ "$(installed "$1")" = "$2" ]; }
is_pinned() { pacman-conf IgnorePkg | grep -qxF "$1"; }
# Everything that a refused or repeated command must leave as it was: versions, altered files, pacman.conf, locks.
state() {
  pacman -Qi | grep -v '^Install Date'
  pacman -Qkk 2>/dev/null
  cat /etc/pacman.conf
  find /var/lib/pacman -maxdepth 1 | sort
}
changes_nothing() {  # changes_nothing WHAT BEFORE: BEFORE is an earlier $(state)
  check_same "$1" "$2" "$(state)"
}
timestamps() { find /etc /usr /opt /var/lib/pacman /var/lib/cudapin -printf '%T@ %C@ %p\n' 2>/dev/null | sort; }

# --- making it ---
serve() {  # serve FOLDER [--moved FOLDER]: sets url
  : >/tmp/serving
  "$BUILD/tests/archive_server" "$@" >/tmp/serving 2>/tmp/server.log &
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    url=$(sed -n 's|.*\(http://127\.0\.0\.1:[0-9]*\).*|\1|p' /tmp/serving | head -n 1)
    [ -z "$url" ] || return 0
    sleep 0.1
  done
  cat /tmp/server.log >&2
  fail "the archive server does not start"
}

write_pacman_conf() {
  cat >/etc/pacman.conf <<END
#
# /etc/pacman.conf
#
[options]
HoldPkg     = pacman glibc
Architecture = auto
#IgnorePkg   =
#IgnoreGroup =
CheckSpace
ParallelDownloads = 5
SigLevel    = Required DatabaseOptional
LocalFileSigLevel = Optional

[core]
Server = $mirror/\$repo

[extra]
Server = $mirror/\$repo
END
}

# The host may be an Arch machine itself: in the view its packages, hooks and keyring give way to the stand-ins', and so
# does every file that one of them ships. They ship none that the view runs on.
empty_pacman() {
  rm -rf /var/lib/pacman /var/cache/pacman /var/lib/cudapin /etc/cudapin /etc/pacman.d
  mkdir -p /var/lib/pacman/local /var/cache/pacman/pkg /etc/pacman.d/hooks /usr/share/libalpm/hooks /var/log
  rm -f /usr/share/libalpm/hooks/*.hook /var/log/pacman.log
  xargs -r -d '\n' rm -f -- <"$world/files"
  cp -a "$world/keyring" /etc/pacman.d/gnupg
  chmod -R a+rX /etc/pacman.d/gnupg   # as pacman-key leaves it: everybody may check signatures
  chmod -R go-rwx /etc/pacman.d/gnupg/private-keys-v1.d 2>/dev/null || true
}

install_cudapin() {
  cmake --install "$BUILD" --prefix /usr >/dev/null
  mkdir -p /etc/cudapin
  printf 'archives:\n  - %s\n' "$archive" >/etc/cudapin/config.yaml
}

# Everybody is root here; what a README says is typed as it stands.
have_sudo() {
  command -v sudo >/dev/null || { printf '#!/bin/sh\nexec env "$@"\n' >/usr/local/bin/sudo && chmod 755 /usr/local/bin/sudo; }
}

set_up_machine() {
  have_sudo
  rm -rf "$world"
  "$BUILD/tests/make_world" "$world" >/dev/null
  serve "$world/repo" && mirror=$url
  serve "$world/archive" --moved "$world/moved" && archive=$url
  empty_pacman
  write_pacman_conf
  # shellcheck disable=SC2086
  must pacman -Syu --noconfirm $rolling
  install_cudapin
}

# The mirror gets what is new.
next_day() { cp -a "$world/repo-next/." "$world/repo/"; }
