#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: what is on the disk before the journal closes, locks of others, undo, and that nothing grows.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"

set_up_machine
ampere() { cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090' "$@"; }
turing() { cudapin use turing-10.2 --noconfirm --gpu 'RTX 2080' "$@"; }
versions() { pacman -Q cuda cudnn nccl gcc10 gcc10-libs 2>/dev/null | tr '\n' ' '; }
# cudapin checks signatures itself, libalpm notes that it did not.
state_but_validation() { state | grep -v '^Validated By'; }
unchanged() { check_same "$1" "$2" "$(state_but_validation)"; }
before=$(state_but_validation)

if command -v strace >/dev/null; then
  say "A trace: the journal is on disk before the first change, every file system before it closes"
  strace -f -y -o /tmp/trace -e trace=rename,fsync,syncfs,unlink,write cudapin use ampere-11.1 --noconfirm \
    --gpu 'RTX 3090' >/dev/null
  line() { grep -n -e "$1" /tmp/trace | ${2:-head} -n 1 | cut -d : -f 1; }
  is_before() { [ -n "$2" ] && [ -n "$3" ] && [ "$2" -lt "$3" ] || fail "$1: line '$2', then '$3'"; echo "    ok: $1"; }
  opened=$(line 'rename(.*journal.new", .*journal"')
  closed=$(line 'rename(.*journal", .*journal.done"')
  is_before "record and copies are synced, then the journal counts" "$(line 'fsync(.*journal.new>' tail)" "$opened"
  is_before "its folder is synced, then the first old file goes" \
    "$(awk -v from="$opened" 'NR > from && /fsync\(.*cudapin>/ { print NR; exit }' /tmp/trace)" \
    "$(line 'unlink("/opt/cuda')"
  last_write=$(awk -v until="$closed" 'NR < until && /(write|unlink|rename)\(.*(\/usr\/|\/opt\/|pacman\/local|pacman.conf|history)/ {
    n = NR } END { print n }' /tmp/trace)
  is_before "the last write, then the sync of the file system" "$last_write" "$(line 'syncfs(' tail)"
  is_before "the sync, then the journal closes" "$(line 'syncfs(' tail)" "$closed"
else
  must ampere
fi

say "undo goes back without the archive: versions, reasons, pacman.conf; undo of undo is redo"
after=$(state_but_validation)
must cudapin undo --noconfirm --offline
unchanged "everything is as before the first use" "$before"
must cudapin undo --noconfirm --offline
unchanged "and as after it" "$after"
must cudapin history
check "history tells who" has_said root
check "history tells of the undo" has_said undo
must cudapin store list
check "the rolling cuda is kept for undo" has_said cuda-13.1.1-1
must cudapin store prune --keep 0
check "what is pinned is never pruned" test -e /var/lib/cudapin/store/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.zst
must cudapin undo --noconfirm --offline
unchanged "nor what undo needs" "$before"
must cudapin store verify

say "Somebody has the package database open: cudapin waits and says for whom"
hold() {  # hold SECONDS: as pacman does, then it goes
  (umask 777 && : >/var/lib/pacman/db.lck) && sh -c "exec 9</var/lib/pacman/db.lck; sleep $1; rm /var/lib/pacman/db.lck" &
  holder=$!
  sleep 0.3
}
hold 2
must ampere
check "it said so" has_said 'waiting for pid'
hold 15
must_refuse 1 turing
check "not for ever, and it names the holder" has_said 'another program is changing packages: pid'
wait "$holder"

say "A lock that nobody holds is not cudapin's to remove, unless its holder is proven dead"
: >/var/lib/pacman/db.lck
must_refuse 1 turing
check "it says how" has_said "sudo rm '/var/lib/pacman/db.lck'"
check "it stays" test -e /var/lib/pacman/db.lck
must cudapin recover
check "recover leaves it too" test -e /var/lib/pacman/db.lck
rm /var/lib/pacman/db.lck

say "Two at once: one after the other, and one set whole"
turing >/tmp/one 2>&1 &
first=$!
ampere >/tmp/two 2>&1 || true
wait $first || true
check "no dependency is broken" pacman -Dk
check "no file differs" sh -c 'pacman -Qkk >/dev/null 2>&1'
must ampere

say "A change cut off: queries say so in one line"
mkdir /var/lib/cudapin/journal
sed 's/"command": "[^"]*"/"command": "use turing-10.2"/' /var/lib/cudapin/last-change.json >/var/lib/cudapin/journal/record.json
cp /etc/pacman.conf /var/lib/cudapin/journal/pacman.conf
for query in list 'show ampere-11.1' status history 'store list'; do
  # shellcheck disable=SC2086
  must cudapin $query
  check_same "$query says it once" 1 "$(grep -c 'was interrupted; next: sudo cudapin recover' "$said")"
done
must cudapin recover
check_same "versions" "cuda 11.1.0-2 cudnn 8.0.4.30-1 nccl 2.7.8-3 gcc10 1:10.2.0-3 gcc10-libs 1:10.2.0-3 " "$(versions)"

rounds=3
[ -z "${CUDAPIN_LONG-}" ] || rounds=50
say "$rounds times there and back: nothing grows but store and history"
measure() {
  find /etc /opt /run /usr /var \( -path /var/lib/cudapin/store -o -path /var/lib/cudapin/history.jsonl \
    -o -path /var/log/pacman.log -o -path /var/cache/ldconfig \) -prune -o -newer /tmp/stamp -type f -printf '%s %p\n' |
    sed 's|/run/cudapin/[0-9.-]*|/run/cudapin/X|' | sort -k 2
}
: >/tmp/stamp
must turing
must ampere
measure >/tmp/size.before
while [ $rounds -gt 0 ]; do
  turing >/tmp/said 2>&1 || { cat /tmp/said; fail "there"; }
  ampere >/tmp/said 2>&1 || { cat /tmp/said; fail "and back"; }
  rounds=$((rounds - 1))
done
measure >/tmp/size.after
check "the same files of the same size" diff /tmp/size.before /tmp/size.after
