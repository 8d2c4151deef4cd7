#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/bench/plan.sh [BUILD_FOLDER]
# A whole plan over a snapshot of 15,000 packages: a range, a chain of dependencies that only the snapshot has, 1,500
# installed packages, pacman's own repositories of 15,000 more. Cold (databases read by libalpm) and warm (by the index
# that is kept); fails when a warm plan takes more than 150 ms of wall time, median of 15.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$here/build/release}
rounds=15
most=150
[ -x "$build/cudapin" ] || { echo "bench: no $build/cudapin"; exit 77; }
for program in pacman-conf bsdtar; do
  command -v $program >/dev/null || { echo "bench: no $program"; exit 77; }
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/pacman/local" "$root/var/lib/pacman/sync" "$root/etc/cudapin/profiles" "$root/desc"
echo 9 >"$root/var/lib/pacman/local/ALPM_DB_VERSION"
printf '[options]\nArchitecture = x86_64\n[core]\nServer = file:///x\n[extra]\nServer = file:///x\n' >"$root/etc/pacman.conf"

packages() {  # packages COUNT VERSION FOLDER: entries of a repository, each with the fields that real ones have
  awk -v count="$1" -v version="$2" -v folder="$3" 'BEGIN {
    for (n = 1; n <= count; n++) printf "%s/package%05d-%s\n", folder, n, version
  }' | xargs mkdir -p
  awk -v count="$1" -v version="$2" -v folder="$3" 'BEGIN {
    for (n = 1; n <= count; n++) {
      name = sprintf("package%05d", n)
      file = folder "/" name "-" version "/desc"
      printf "%%FILENAME%%\n%s-%s-x86_64.pkg.tar.zst\n\n%%NAME%%\n%s\n\n%%BASE%%\n%s\n\n%%VERSION%%\n%s\n\n", name, version, name, name, version >file
      printf "%%DESC%%\nA package among many, with a line that says what it is for\n\n%%CSIZE%%\n%d\n\n%%ISIZE%%\n%d\n\n", n * 1000, n * 3000 >file
      printf "%%SHA256SUM%%\n%064d\n\n%%URL%%\nhttps://example.org/%s\n\n%%LICENSE%%\nGPL\n\n%%ARCH%%\nx86_64\n\n", n, name >file
      printf "%%BUILDDATE%%\n1600000000\n\n%%PACKAGER%%\nSomebody <somebody@example.org>\n\n" >file
      printf "%%DEPENDS%%\nglibc\npackage%05d\npackage%05d\n\n%%PROVIDES%%\nlib%s.so=%d-64\n\n", n - n % 50 + 1, n - n % 70 + 1, name, n >file
      close(file)
    }
  }'
}
for repository in core extra; do
  count=500
  [ $repository = core ] || count=14500
  mkdir -p "$root/desc/$repository" "$root/archive/repos/2020/10/12/$repository/os/x86_64"
  packages $count 1.0-1 "$root/desc/$repository"
  bsdtar -czf "$root/archive/repos/2020/10/12/$repository/os/x86_64/$repository.db" -s ',^\./,,' -C "$root/desc/$repository" .
  cp "$root/archive/repos/2020/10/12/$repository/os/x86_64/$repository.db" "$root/var/lib/pacman/sync/"
done
find "$root/desc/extra" -mindepth 1 -maxdepth 1 | sort | head -n 1400 | while read -r entry; do
  cp -r "$entry" "$root/var/lib/pacman/local/"
  : >"$root/var/lib/pacman/local/${entry##*/}/files"
done
mkdir -p "$root/archive/packages/c/cuda" "$root/var/lib/pacman/local/glibc-2.32-1"
printf '%%NAME%%\nglibc\n\n%%VERSION%%\n2.32-1\n\n%%ARCH%%\nx86_64\n\n' >"$root/var/lib/pacman/local/glibc-2.32-1/desc"
: >"$root/var/lib/pacman/local/glibc-2.32-1/files"
for version in 11.0.2-1 11.1.0-2 11.1.1-1; do echo x >"$root/archive/packages/c/cuda/cuda-$version-x86_64.pkg.tar.zst"; done
cat >"$root/etc/cudapin/profiles/lab.yaml" <<'END'
name: lab
summary: a range and a chain
reason: to be measured
generations: [ampere]
snapshot: 2020-10-12
packages: {cuda: 11.1.*, nccl: 2.7.8-3}
files:
  - {file: nccl-2.7.8-3-x86_64.pkg.tar.zst, depends: [package14000, package12345, libpackage13000.so=13000-64]}
END
mkdir -p "$root/archive/packages/n/nccl"
seq -f "$root/archive/packages/p/package%05.0f" 1 14500 | xargs mkdir -p
seq -f '%05.0f' 1 14500 | awk -v folder="$root/archive/packages/p/package" '{
  file = folder $1 "/package" $1 "-1.0-1-x86_64.pkg.tar.zst"; print "x" >file; close(file)
}'
echo x >"$root/archive/packages/n/nccl/nccl-2.7.8-3-x86_64.pkg.tar.zst"

# Root's dry run leaves no file, not even an index: other people's do.
as_person=
[ "$(id -u)" -ne 0 ] || as_person='setpriv --reuid nobody --clear-groups'
chmod -R a+rX "$root" && mkdir -m 777 "$root/cache"

now() { date +%s%N; }
plan() {
  before=$(now)
  $as_person "$build/cudapin" use lab --dry-run --gpu 'RTX 3090' --archive "$root/archive" --root "$root" >"$root/said" 2>&1 ||
    { cat "$root/said"; exit 1; }
  echo $((($(now) - before) / 1000))
}
export XDG_CACHE_HOME="$root/cache"
echo "cold: $(plan) us"
grep -q 'package14000' "$root/said" || { cat "$root/said"; exit 1; }
round=0
while [ $round -lt $rounds ]; do
  plan
  round=$((round + 1))
done | sort -n >"$root/times"
median=$(sed -n "$(((rounds + 1) / 2))p" "$root/times")
echo "warm, over 15,000 packages and with 1,401 installed: $median us (at most $((most * 1000)))"
[ "$median" -le $((most * 1000)) ]
