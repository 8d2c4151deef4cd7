#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/view.sh COMMAND [ARG…]
# Runs COMMAND in a throwaway copy-on-write view of this machine: the whole root (or the tree named by VIEW_ROOT),
# with this source tree and, where they are elsewhere, the folders in VIEW_FOLDERS, all writable, and nothing that
# is written survives. VIEW_SIZE is how much may be written (3g). Inside, /.cudapin-view exists. The exit status is COMMAND's; 77 where no view can be made.
set -eu

[ $# -gt 0 ] || { echo "usage: sh tests/view.sh COMMAND [ARG...]" >&2; exit 2; }
unable() { echo "view: $1" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || unable "needs root"
command -v unshare >/dev/null || unable "needs unshare"
grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null || unable "needs the overlay file system"

source=$(cd "$(dirname "$0")/.." && pwd -P)
work=$(mktemp -d)
trap 'rmdir "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The inner shell is the first process of its own pid and mount namespaces: when it ends, so do its children and
# mounts.
status=0
VIEW_ROOT=${VIEW_ROOT:-/} VIEW_SOURCE=$source VIEW_FOLDERS=${VIEW_FOLDERS:-} \
  unshare --mount --pid --fork --kill-child sh -euc '
  work=$1; shift
  cover() {  # cover LOWER MOUNT_POINT NAME
    mkdir -p "$2" "$work/$3/upper" "$work/$3/work"
    mount -t overlay -o "lowerdir=$1,upperdir=$work/$3/upper,workdir=$work/$3/work" overlay "$2"
  }
  build() {
    trap "echo \"view: this machine does not allow it\" >&2; exit 77" EXIT
    mount -t tmpfs -o size=${VIEW_SIZE:-3g},mode=0755 tmpfs "$work"
    cover "$VIEW_ROOT" "$work/root" whole
    mount -t proc proc "$work/root/proc"
    mount --rbind /dev "$work/root/dev"
    mount --bind /sys "$work/root/sys"
    mount -t tmpfs -o mode=1777 tmpfs "$work/root/tmp"
    number=0
    for folder in "$VIEW_SOURCE" $VIEW_FOLDERS; do
      number=$((number + 1))
      cover "$folder" "$work/root$folder" "folder$number"
    done
    ln -sfn /proc/self/mounts "$work/root/etc/mtab"   # libalpm reads its mount table there
    : >"$work/root/.cudapin-view"
    trap - EXIT
  }
  build
  folder=$PWD
  exec chroot "$work/root" /bin/sh -c "cd \"\$0\" 2>/dev/null || cd /; exec \"\$@\"" "$folder" "$@"
' sh "$work" "$@" || status=$?
exit "$status"
