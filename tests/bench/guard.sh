#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# BUILD=build/release sh tests/view.sh sh tests/bench/guard.sh
# What the guard costs beside its peers, taken in turns in one run: a static program that does nothing, a bare walk over
# every descriptor of every process, a Python hook that imports a feed parser (where there is one). Then what it adds to
# a whole transaction. Fails beyond its targets.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../end_to_end/machine.sh"
. "$here/../end_to_end/lab.sh"
rounds=${ROUNDS:-41}
guard=/usr/lib/cudapin/cudapin-guard
failures=0

{
  set_up_lab
  mkdir -p /tmp/b
  for program in nothing walk crowd clock; do
    static=-static
    cc -O2 $static -o "/tmp/b/$program" "$here/guard/$program.c"
  done
  : >/var/lib/pacman/db.lck && chmod 000 /var/lib/pacman/db.lck
} >/tmp/setup.log 2>&1 || { cat /tmp/setup.log; exit 1; }

python=
for candidate in /usr/bin/python3 $(command -v python3 || true); do
  ! "$candidate" -c 'import feedparser' 2>/dev/null || python=$candidate
done
echo 'import feedparser' >/tmp/hook.py

value() { sed -n "$1p" /tmp/times; }
row() { awk -v name="$1" -v v="$2" -v b="$3" 'BEGIN { printf "  %-44s %8.2f ms %6.2f x\n", name, v / 1000, v / b }'; }
limit() {  # limit WHAT VALUE TIMES BASE
  awk -v v="$2" -v t="$3" -v b="$4" 'BEGIN { exit !(v <= t * b) }' && { echo "  ok: $1 (at most $3 x)"; return; }
  echo "  FAILED: $1: more than $3 x"
  failures=$((failures + 1))
}
targets() {  # targets COUNT NAME…: package names on stdin as a hook gets them
  seq -f 'package%04.0f' "$1" >/tmp/names
  shift
  printf '%s\n' "$@" >>/tmp/names
}

echo "An idle machine, $rounds rounds, medians"
targets 20 nvidia-utils cuda python-pytorch-cuda
/tmp/b/clock "$rounds" /tmp/names /tmp/b/nothing "$guard decide" >/tmp/times
row "a static program that does nothing" "$(value 1)" "$(value 1)"
row "the guard, nobody holds nvidia_uvm" "$(value 2)" "$(value 1)"
limit "idle guard beside a static program" "$(value 2)" 2 "$(value 1)"

echo "1,000 processes, 2 of which compute, 500 targets"
/tmp/b/crowd 1000 >/tmp/crowd &
crowd=$!
until grep -q ready /tmp/crowd; do sleep 0.1; done
sleep 1
useradd -M alice 2>/dev/null || true
compute alice --map /usr/lib/libtorch-lab.so && one=$training
compute alice --map /usr/lib/libtorch-lab.so
holders 2
# Nothing that is in use is among them, so the guard has to look at everything and let it pass.
targets 497 cuda cudnn opencv-cuda
/tmp/b/clock "$rounds" /tmp/names /tmp/b/nothing /tmp/b/walk "$guard decide" ${python:+"$python /tmp/hook.py"} >/tmp/times
row "a static program that does nothing" "$(value 1)" "$(value 2)"
row "a bare walk over every descriptor" "$(value 2)" "$(value 2)"
row "the guard, work running" "$(value 3)" "$(value 2)"
limit "guard with work beside the bare walk" "$(value 3)" 0.5 "$(value 2)"
if [ -n "$python" ]; then
  row "a Python hook that imports a feed parser" "$(value 4)" "$(value 2)"
  limit "guard beside the Python hook" "$(value 3)" 0.1 "$(value 4)"
else
  echo "  (no Python feed parser here: that peer is left out)"
fi
check "both find the two" test "$(/tmp/b/walk | wc -l)" -eq 2
must_refuse 3 "$guard" check nvidia-utils
check "the guard finds both" test "$(grep -c 'running: alice' "$said")" -eq 2

rm -f /var/lib/pacman/db.lck
echo "A whole pacman transaction"
transaction() { # transaction PACKAGE_FILE: median microseconds with the hooks and without, in turns
  printf '#!/bin/sh\nexec pacman -U --noconfirm %s\n' "$1" >/tmp/b/with
  chmod +x /tmp/b/with
  : >/tmp/with && : >/tmp/without
  round=0
  while [ "$round" -lt "$((rounds / 2))" ]; do
    /tmp/b/clock 1 /dev/null /tmp/b/with >>/tmp/with
    mkdir -p /tmp/aside && mv /usr/share/libalpm/hooks/*cudapin*.hook /tmp/aside/
    /tmp/b/clock 1 /dev/null /tmp/b/with >>/tmp/without
    mv /tmp/aside/*.hook /usr/share/libalpm/hooks/
    round=$((round + 1))
  done
}
# A real cuDNN has more than the 256 MiB that are here: with them it is a transaction that people would know.
mkdir -p /srv/bench
echo 'cudnn 9.10.2.21-1 depends:cuda>=12 files:usr/lib/libcudnn.so.9.10 bulk:268435456' |
  "$BUILD/tests/make_repository" /srv/bench bench
middle() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
measure() {  # measure WHAT LIMIT PACKAGE_FILE
  transaction "$3"
  row "$1, without hooks" "$(middle /tmp/without)" "$(middle /tmp/without)"
  row "$1, with them" "$(middle /tmp/with)" "$(middle /tmp/without)"
  limit "$1" "$(middle /tmp/with)" "$2" "$(middle /tmp/without)"
}
measure "no target of the guard's, work running" 1.1 /srv/lab/htop-lab-3.4.1-1-x86_64.pkg.tar.zst
measure "a toolkit that nobody uses, work running" 1.2 /srv/bench/cudnn-9.10.2.21-1-x86_64.pkg.tar.zst
kill "$crowd" "$one" "$training"
wait 2>/dev/null || true
holders 0
measure "a toolkit, idle machine" 1.1 /srv/bench/cudnn-9.10.2.21-1-x86_64.pkg.tar.zst
exit "$failures"
