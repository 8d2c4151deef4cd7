#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# BUILD=build/release sh tests/bench/download.sh [SCENARIO]...
# cudapin's downloads against curl, aria2c and pacman, on loopback, from a server that throttles, refuses, cuts and
# dies (tests/bench/download/server.cpp). All rows of a scenario are interleaved; each figure is the median of RUNS (7),
# in seconds, with the least and the most. SIZE_MIB (512); DIR: where the files go (a folder of its own in /tmp).
# Scenarios: plain (also as `tmpfs`), rate4 rate8 rate16, refuse, cut32 cut8, mirrors, silent, dies.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-build/release}" && pwd)
download=$build/tests/download
runs=${RUNS:-7}
size_mib=${SIZE_MIB:-512}
[ -x "$download" ] || { echo "needs $download: cmake --build $build --target download"; exit 77; }
work=$(mktemp -d "${DIR:-/tmp}/download-bench.XXXXXX")
servers=
trap 'stop; [ -z "${mounted:-}" ] || umount "$work/tmpfs"; rm -rf "$work"' EXIT

stop() {
  for server in $servers; do kill "$server" 2>/dev/null || true; done
  for server in $servers; do wait "$server" 2>/dev/null || true; done
  servers=
}

start() {  # start NAME OPTION...: sets url_NAME
  server_name=$1
  shift
  rm -f "$work/port.$server_name"
  "$work/server" "$work/file" "$@" >"$work/port.$server_name" &
  servers="$servers $!"
  while ! [ -s "$work/port.$server_name" ]; do sleep 0.02; done
  address=127.0.0.1
  for option; do case $option in address=*) address=${option#address=} ;; esac; done
  eval "url_$server_name=http://$address:$(cat "$work/port.$server_name")"
}

now() { date +%s%N; }

measure() {  # measure ROW COMMAND...: appends seconds, or "fails", to ROW's figures
  row=$1
  shift
  rm -rf "$out"
  mkdir -p "$out/sync"
  [ ! -f "$work/bench.db" ] || cp "$work/bench.db" "$out/sync/bench.db"
  before=$(now)
  if "$@" >"$work/log" 2>&1; then
    echo "$before $(now)" | awk '{ printf "%.3f\n", ($2 - $1) / 1e9 }' >>"$work/$scenario.$row"
    cmp -s "$work/file" "$out/bench-1-1-any.pkg.tar.zst" || echo "$row: other bytes" >&2
  else
    echo fails >>"$work/$scenario.$row"
  fi
  # Bytes that the server sent and requests that it refused.
  curl -s --max-time 2 "$url_a/stats" >>"$work/$scenario.$row.stats" 2>/dev/null || true
  stop
}

report() {
  for figures in "$work/$scenario".*; do
    case $figures in *.stats) continue ;; esac
    row=${figures#"$work/$scenario."}
    sort -n "$figures" | awk -v scenario="$scenario" -v row="$row" -v stats="$figures.stats" -v size="$((size_mib << 20))" '
      $1 == "fails" { failed++; next }
      { value[++n] = $1 }
      END {
        while ((getline line < stats) > 0) { split(line, part, " "); sent[++m] = part[1]; if (part[3] > refused) refused = part[3] }
        for (i = 1; i <= m; i++) total += sent[i]
        printf "%-8s %-22s", scenario, row
        if (n) printf "%8.2f  (%.2f - %.2f)", value[int((n + 1) / 2)], value[1], value[n]
        if (failed) printf "  %d fail", failed
        if (m) printf "  sent x%.3f  refused %d", total / m / size, refused
        print ""
      }'
  done
}

name=bench-1-1-any.pkg.tar.zst
cudapin() { "$download" "$out/$name" "$((size_mib << 20))" "$sum" "$@"; }  # cudapin CONNECTIONS URL...
unverified() { "$download" "$out/$name" 0 - "$@"; }
plain_curl() { curl -sf -o "$out/$name" "$1/$name"; }
aria() {  # aria CONNECTIONS URL...
  n=$1
  shift
  aria2c -q --no-conf --allow-overwrite=true --file-allocation=none -k1M -x"$n" -s$((n * $#)) -d "$out" -o "$name" \
    ${aria_options:-} "$@"
}
pacman_sw() {  # pacman_sw URL...
  {
    printf '[options]\nArchitecture = auto\nSigLevel = Never\n[bench]\n'
    for url; do echo "Server = $url"; done
  } >"$work/pacman.conf"
  pacman -Sw --noconfirm --noprogressbar --config "$work/pacman.conf" --root "$work" --dbpath "$out" --cachedir "$out" \
    --gpgdir "$work" --logfile /dev/null bench/bench
}

run() {  # run SCENARIO
  scenario=$1
  out=$work/out
  for _ in $(seq "$runs"); do
    case $scenario in
    plain | tmpfs)
      [ "$scenario" = plain ] || out=$work/tmpfs/out
      start a && measure curl plain_curl "$url_a"
      start a && measure cudapin cudapin 4 "$url_a/$name"
      start a && measure unverified unverified 4 "$url_a/$name"
      start a && measure aria2c aria 4 "$url_a/$name"
      start a && measure pacman pacman_sw "$url_a" ;;
    rate*)
      n=${scenario#rate}
      start a rate=20971520 && measure cudapin cudapin "$n" "$url_a/$name"
      start a rate=20971520 && measure aria2c aria "$n" "$url_a/$name"
      [ "$n" != 4 ] || { start a rate=20971520 && measure pacman pacman_sw "$url_a"; } ;;
    refuse)
      for n in 4 8 16; do start a rate=20971520 limit=4 && measure "cudapin-$n" cudapin "$n" "$url_a/$name"; done
      start a rate=20971520 limit=4 && measure aria2c-8 aria 8 "$url_a/$name" ;;
    cut*)
      every=$((${scenario#cut} << 20))
      start a cut=$every && measure cudapin cudapin 4 "$url_a/$name"
      start a cut=$every && aria_options=--max-tries=0 measure aria2c-no-limit aria 4 "$url_a/$name"
      start a cut=$every && measure aria2c-x1 aria 1 "$url_a/$name"
      start a cut=$every && measure pacman pacman_sw "$url_a" ;;
    mirrors)
      for n in 4 8; do
        two rate=8388608 && measure "cudapin-$n" cudapin "$n" "$url_a/$name" "$url_b/$name"
        two rate=8388608 && measure "aria2c-$n" aria "$n" "$url_a/$name" "$url_b/$name"
      done ;;
    silent | dies)
      fault=$([ "$scenario" = silent ] && echo silent || echo die)=104857600
      two rate=20971520 "$fault" && measure cudapin cudapin 4 "$url_a/$name" "$url_b/$name"
      two rate=20971520 "$fault" &&
        aria_options="--timeout=10 --lowest-speed-limit=1M" measure aria2c-tuned aria 4 "$url_a/$name" "$url_b/$name" ;;
    esac
  done
  report
}

two() { start b address=127.0.0.2 rate=20971520 && start a "$@"; }

g++ -O2 -std=c++20 -pthread "$here/download/server.cpp" -o "$work/server"
head -c "$((size_mib << 20))" /dev/urandom >"$work/file"
sum=$(sha256sum "$work/file" | cut -d' ' -f1)
mkdir -p "$work/db/bench-1-1" "$work/tmpfs"
printf '%%FILENAME%%\n%s\n\n%%NAME%%\nbench\n\n%%VERSION%%\n1-1\n\n%%CSIZE%%\n%s\n\n%%ISIZE%%\n1\n\n%%SHA256SUM%%\n%s\n\n%%ARCH%%\nany\n\n' \
  "$name" "$((size_mib << 20))" "$sum" >"$work/db/bench-1-1/desc"
(cd "$work/db" && tar czf "$work/bench.db" bench-1-1)
mount -t tmpfs -o size=$((size_mib * 2))M tmpfs "$work/tmpfs" 2>/dev/null && mounted=1
for each in ${*:-plain tmpfs rate4 rate8 rate16 refuse cut32 cut8 mirrors silent dies}; do run "$each"; done
