#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# VIEW_SIZE=9g sh tests/view.sh sh tests/bench/large.sh
# A switch whose cuda has more than 1 GiB, beside what its parts cost with other tools in the same run: the transfer by
# curl and the installation of the same file by pacman -U with its signature required. Wall seconds; peak memory of cudapin.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../end_to_end/machine.sh"
export CUDA_BULK="${CUDA_BULK:-1200000000}"

set_up_machine >/tmp/setup.log 2>&1 || { cat /tmp/setup.log; exit 1; }
file=cuda-11.1.0-2-x86_64.pkg.tar.zst
now() { date +%s.%N; }
row() { awk -v name="$1" -v from="$2" -v to="$3" -v base="${4:-0}" 'BEGIN { printf "%-58s %7.2f s", name, to - from; if (base > 0) printf "  %5.2f x", (to - from) / base; print "" }'; }
echo "package file: $(stat -c %s "$world/moved/$file") bytes"

start=$(now)
curl -sfL -o /tmp/by-curl "$archive/packages/c/cuda/$file"
end=$(now)
curl_seconds=$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')
row "curl, to a file" "$start" "$end"
rm /tmp/by-curl

# Peak memory by the kernel's own count, read once a tenth of a second while it runs.
cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090' >/tmp/use.log 2>&1 &
pid=$!
start=$(now)
peak=0
while kill -0 "$pid" 2>/dev/null; do
  seen=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' /proc/$pid/status 2>/dev/null || true)
  [ "${seen:-0}" -le "$peak" ] || peak=$seen
  sleep 0.1
done
wait "$pid" || { cat /tmp/use.log; exit 1; }
end=$(now)
use_start=$start use_end=$end
check_same "cuda" 11.1.0-2 "$(installed cuda)"
cudapin release --noconfirm >/dev/null
pacman -S --noconfirm cuda cudnn nccl >/dev/null 2>&1

sed -i 's/^LocalFileSigLevel.*/LocalFileSigLevel = Required/' /etc/pacman.conf
mkdir /tmp/files
cp "$world"/moved/cuda* "$world"/moved/cudnn* "$world"/moved/nccl* "$world"/moved/gcc10* /tmp/files/
start=$(now)
pacman -U --noconfirm /tmp/files/*.pkg.tar.zst >/dev/null 2>&1
end=$(now)
parts=$(awk -v a="$start" -v b="$end" -v c="$curl_seconds" 'BEGIN { print b - a + c }')
row "pacman -U of the same files, signatures required" "$start" "$end"
row "cudapin use: fetch, verify whole, install, prove" "$use_start" "$use_end" "$parts"
echo "                                      (x: curl and pacman -U together)"
echo "peak memory of cudapin: $((peak / 1024)) MiB"
