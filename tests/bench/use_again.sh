#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/view.sh sh tests/bench/use_again.sh
# CPU seconds of commands that change nothing, beside `pacman -Q cuda cudnn` in the same root with 1,500 packages, taken in
# turns in one run. Fails when `use` of the profile in force costs more than twice pacman's.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../end_to_end/machine.sh"
rounds=${ROUNDS:-5}
times_each=${TIMES_EACH:-20}

fill_database() {  # fill_database COUNT: installed packages with forty files each, as their entries stand in the database
  awk -v count="$1" 'BEGIN {
    for (n = 1; n <= count; n++) {
      folder = sprintf("/var/lib/pacman/local/filler%04d-1.%d-1", n, n)
      system("mkdir -p " folder)
      printf "%%NAME%%\nfiller%04d\n\n%%VERSION%%\n1.%d-1\n\n%%BASE%%\nfiller%04d\n\n%%DESC%%\nfills the database\n\n%%ARCH%%\nx86_64\n\n%%DEPENDS%%\nglibc\nzlib\n\n", n, n, n > (folder "/desc")
      printf "%%FILES%%\n" > (folder "/files")
      for (f = 1; f <= 40; f++) printf "usr/share/filler%04d/file%02d\n", n, f > (folder "/files")
      close(folder "/desc"); close(folder "/files")
    }
  }'
}

cpu_of() (  # cpu_of COMMAND…: CPU milliseconds of one call, the mean of $times_each
  n=0
  while [ "$n" -lt "$times_each" ]; do
    "$@" >/dev/null 2>&1 || exit 1
    n=$((n + 1))
  done
  times >/tmp/times  # in a pipe it would count a shell of its own
  awk -v n="$times_each" 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] } printf "%.2f\n", sum * 1000 / n }' /tmp/times
)

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

{
  set_up_machine
  fill_database 1476
  cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
} >/tmp/setup.log 2>&1 || { cat /tmp/setup.log; exit 1; }
echo "packages installed: $(pacman -Q | wc -l); $rounds rounds of $times_each calls each, CPU milliseconds a call, medians"

round=0
while [ "$round" -lt "$rounds" ]; do
  cpu_of pacman -Q cuda cudnn >>/tmp/pacman
  cpu_of cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090' >>/tmp/use
  cpu_of cudapin status >>/tmp/status
  cpu_of cudapin --version >>/tmp/version
  cpu_of pacman --version >>/tmp/pacman-version
  cpu_of /usr/lib/cudapin/cudapin-guard decide >>/tmp/guard
  round=$((round + 1))
done

base=$(median </tmp/pacman)
row() { awk -v name="$1" -v value="$(median <"$2")" -v base="$base" 'BEGIN { printf "%-34s %7.2f ms  %5.2f x\n", name, value, value / base }'; }
row "pacman -Q cuda cudnn" /tmp/pacman
row "cudapin use, in force already" /tmp/use
row "cudapin status" /tmp/status
row "cudapin --version" /tmp/version
row "pacman --version" /tmp/pacman-version
row "cudapin-guard decide, no target" /tmp/guard
awk -v value="$(median </tmp/use)" -v base="$base" 'BEGIN { exit !(value <= 2 * base) }' ||
  { echo "FAILED: 'use' again costs more than 2 x pacman -Q"; exit 1; }
