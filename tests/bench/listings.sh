#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# BUILD=build/release sh tests/bench/listings.sh
# Lists 12 packages of 300 versions each from an archive on a loopback port, beside a small C program that fetches the same
# pages, parses and sorts them; in turns in one run, medians. Fails when cudapin's catalog takes more than 1.3 times as
# much, wall or CPU, where it makes no child as it does for root, or when the archive saw more than one request for a list.
# Shown besides: the catalog as root, and the whole verb `versions`, which also asks pacman-conf and the local database and
# reads every profile, with and without its pages kept.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-build/release}" && pwd)
rounds=${ROUNDS:-31}
for program in cudapin tests/archive_server tests/list_versions; do
  [ -x "$build/$program" ] || { echo "needs $build/$program: cmake --build $build --target ${program##*/}"; exit 77; }
done
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT

names=
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do names="$names package$n"; done
for name in $names; do
  mkdir -p "$folder/a/packages/p/$name"
  (cd "$folder/a/packages/p/$name" && awk -v name="$name" 'BEGIN {
    for (i = 1; i <= 300; i++) {
      file = sprintf("%s-%d.%d.%d+r%d-%d-x86_64.pkg.tar.%s", name, i % 13 + 1, i % 7, i * 37 % 101, i, i % 4 + 1, i < 90 ? "xz" : "zst")
      print "x" > file; close(file); print "x" > (file ".sig"); close(file ".sig")
    }
  }')
done
mkdir -p "$folder/root/etc" "$folder/root/var/lib/pacman/local"
printf '[options]\nArchitecture = x86_64\n' >"$folder/root/etc/pacman.conf"
echo 9 >"$folder/root/var/lib/pacman/local/ALPM_DB_VERSION"

"$build/tests/archive_server" "$folder/a" --log "$folder/log" >"$folder/url" &
server=$!
until [ -s "$folder/url" ]; do sleep 0.1; done
url=$(cat "$folder/url")
# shellcheck disable=SC2046  # flags are words
cc -O2 -o "$folder/floor" "$here/listings/floor.c" $(pkg-config --cflags --libs libcurl libalpm)
cc -O2 -o "$folder/times" "$here/listings/times.c"

urls=
for name in $names; do urls="$urls $url/packages/p/$name/"; done
catalog="$build/tests/list_versions $url$names"
cudapin="$build/cudapin versions -q --root $folder/root --archive $url$names"
# The same versions in the same order, and each list asked for once.
: >"$folder/log"
$cudapin >"$folder/ours"
[ "$(wc -l <"$folder/log")" -eq 12 ] || { echo "FAILED: $(wc -l <"$folder/log") requests for 12 lists"; exit 1; }
# shellcheck disable=SC2086
"$folder/floor" $urls >"$folder/floors"
cmp "$folder/ours" "$folder/floors" || { echo "FAILED: another order than the C program's"; exit 1; }

$catalog >"$folder/ours"
cmp "$folder/ours" "$folder/floors" || { echo "FAILED: the catalog has another order than the C program"; exit 1; }

chmod -R a+rX "$folder"
as_user=
[ "$(id -u)" -ne 0 ] || as_user="setpriv --reuid 65534 --regid 65534 --clear-groups "
"$folder/times" "$rounds" "rm -rf $folder/root/var/lib/cudapin" "$as_user$folder/floor$urls" "$as_user$catalog" "$cudapin" >"$folder/times.txt"
"$folder/times" "$rounds" true "$cudapin" "$catalog" >>"$folder/times.txt"
awk '
  { wall[NR] = $1; cpu[NR] = $2 }
  function row(name, i) {
    printf "  %-44s wall %7.2f ms %5.2f x   CPU %7.2f ms %5.2f x\n", name, wall[i] / 1000, wall[i] / wall[1], cpu[i] / 1000, cpu[i] / cpu[1]
  }
  END {
    print "12 packages of 300 versions:"
    row("the C program", 1); row("the catalog", 2); row("cudapin versions", 3); row("cudapin versions, its pages kept", 4)
    row("the catalog, as who runs this", 5)
    if (wall[2] > 1.3 * wall[1] || cpu[2] > 1.3 * cpu[1]) { print "FAILED: more than 1.3 x"; exit 1 }
  }' "$folder/times.txt"
