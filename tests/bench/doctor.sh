#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/bench/doctor.sh [BUILD_FOLDER]
# CPU time of `cudapin doctor` against `pacman -Q` on a root with 1,500 packages, both measured in the same run. Fails
# when the doctor takes more than three times as much.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$here/build/release}
packages=1500
runs=40
most=3
[ -x "$build/cudapin" ] || { echo "bench: no $build/cudapin"; exit 77; }
command -v pacman >/dev/null || { echo "bench: no pacman"; exit 77; }

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
local=$root/var/lib/pacman/local
mkdir -p "$local" "$root/var/log" "$root/etc/pacman.d/hooks" "$root/var/cache/pacman/pkg" "$root/usr/lib"
echo 9 >"$local/ALPM_DB_VERSION"
printf '[options]\nArchitecture = x86_64\nIgnorePkg = cuda cudnn\n' >"$root/etc/pacman.conf"

add() {  # add NAME VERSION: an entry as large as real ones are
  mkdir "$local/$1-$2"
  {
    printf '%%NAME%%\n%s\n\n%%VERSION%%\n%s\n\n%%ARCH%%\nx86_64\n\n%%DEPENDS%%\n' "$1" "$2"
    for i in 1 2 3 4 5 6 7 8; do echo "library$i>=1.$i"; done
  } >"$local/$1-$2/desc"
  {
    echo '%FILES%'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "usr/share/$1/file$i"; done
  } >"$local/$1-$2/files"
}
n=0
while [ $n -lt $packages ]; do
  n=$((n + 1))
  add "package$n" "1.$n-1"
done
add cuda 13.0.2-1
add cudnn 9.13.0.50-1
add nvidia-open 590.48.01-1
add nvidia-utils 590.48.01-3
add gcc 15.2.1-1
add gcc14 14.3.1-1
add glibc 2.40-1

# CPU seconds of RUNS runs, user and system, children included.
cpu() {
  /usr/bin/env bash -c '
    runs=$1; shift
    for ((i = 0; i < runs; i++)); do "$@" >/dev/null 2>&1; done
    times' bench "$runs" "$@" | tail -n 1 |
    awk '{ total = 0; for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); total += t[1] * 60 + t[2] } print total }'
}
list() { cpu pacman --root "$root" --dbpath "$root/var/lib/pacman" --config "$root/etc/pacman.conf" -Q; }
examine() { cpu "$build/cudapin" doctor --root "$root"; }

[ "$(pacman --root "$root" --dbpath "$root/var/lib/pacman" --config "$root/etc/pacman.conf" -Q | wc -l)" -gt $packages ]
"$build/cudapin" doctor --root "$root" >/dev/null || [ $? -eq 1 ]
list >/dev/null && examine >/dev/null
query=$(list)
doctor=$(examine)
echo "$query $doctor" | awk -v most=$most -v runs=$runs '{
  printf "pacman -Q %.1f ms, cudapin doctor %.1f ms, ratio %.2f (at most %d)\n", $1 / runs * 1000, $2 / runs * 1000, $2 / $1, most
  exit !($1 > 0 && $2 / $1 <= most)
}'
