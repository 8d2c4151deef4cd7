#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: the crash campaign. One traced run of `use` gives the points, each a system call that writes and the path
# it writes to, in cudapin, libalpm and their children. Then, for each point and each on a fresh copy of the machine,
# `use` runs again with a fault injected there (killed; disk full; input/output error; read-only), and without the
# fault the next command. Afterwards the machine must have one set whole. The table of points and outcomes is printed.
#   crash.sh [NUMBER]: of the points, spread evenly (60); CUDAPIN_LONG=1 takes all, killed and with an error
#   KEEP=FOLDER keeps the table and what failing tries said there; at the end some tries without their journal must fail
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v strace >/dev/null || { echo "crash: needs strace" >&2; exit 77; }
. "$here/machine.sh"
wanted=${1:-60}
workers=2

calls='write,writev,pwrite64,openat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink'
calls="$calls,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,ftruncate,utimensat,fsync,fdatasync,syncfs"
calls="$calls,sendfile,copy_file_range,fsetxattr"

# --- the points ---
# Reads a trace; prints `CALL WHERE PATH` for the first call on each path. WHERE is `path` where the path is the same
# in every run, else the number of the call among those of its name in its process.
points_of() {
  awk '
    { pid = $1; line = $0; sub(/^[0-9]+ +/, "", line) }
    line !~ /^[a-z0-9_]+\(/ { next }
    { call = line; sub(/\(.*/, "", call); text = substr(line, length(call) + 2); number = ++count[pid, call] }
    call ~ /^open/ && text !~ /O_(WRONLY|RDWR|CREAT)/ { next }
    call ~ /^(f|write|pwrite|sendfile|copy_file_range|syncfs)/ && call !~ /at$/ {
      path = match(text, /<[^>]*>/) ? substr(text, RSTART + 1, RLENGTH - 2) : ""
    }
    call !~ /^(f|write|pwrite|sendfile|copy_file_range|syncfs)/ || call ~ /at$/ {
      n = split(text, quoted, "\""); path = n > 4 ? quoted[4] : quoted[2]
      if (path !~ /^\// && match(text, /<[^>]*>/)) path = substr(text, RSTART + 1, RLENGTH - 2) "/" path
    }
    path !~ /^\// || path ~ /^\/(dev|proc|said|trace)/ { next }
    {
      where = "path"
      if (path ~ /\/tmp\/|\/run\/cudapin\//) where = number
      gsub(/cudapin-gpg-[A-Za-z0-9]*/, "cudapin-gpg-X", path)
      gsub(/alpm_[A-Za-z0-9]*/, "alpm_X", path)
      gsub(/run\/cudapin\/[0-9.-]*/, "run/cudapin/X", path)
      if (!seen[call, path]++) print call, where, path
    }' "$1"
}

# --- the machine ---
stage() {  # stage NUMBER: a fresh copy-on-write copy of the machine at $copies/NUMBER/m
  place=$copies/$1
  mkdir -p "$place"
  mount -t tmpfs -o mode=0755 tmpfs "$place"
  mkdir "$place/u" "$place/w" "$place/m"
  mount -t overlay -o "lowerdir=/,upperdir=$place/u,workdir=$place/w" overlay "$place/m"
  mount -t proc proc "$place/m/proc"
  mount --rbind /dev "$place/m/dev"
}
clear_stage() { umount -R "$copies/$1/m" && umount "$copies/$1"; }

# What a set is: versions, install reasons, pacman.conf, what the guard keeps.
write_probe() {
  cat >/probe <<'END'
set -u
names='cuda cudnn nccl gcc10 gcc10-libs gcc8 gcc8-libs'
case $1 in
  set)
    pacman -Q
    pacman -Qi $names 2>/dev/null | grep -E '^(Name|Install Reason)'
    cat /etc/pacman.conf /var/lib/cudapin/guard/pins 2>/dev/null
    ;;
  health)
    pacman -Dk >/dev/null 2>/said.dk || { echo "pacman -Dk: $(head -n 1 /said.dk)"; }
    there=$(pacman -Qq $names 2>/dev/null)
    pacman -Qkk $there >/dev/null 2>/said.qkk || echo "pacman -Qkk: $(head -n 1 /said.qkk)"
    for left in /var/lib/pacman/db.lck /var/lib/cudapin/journal /var/lib/cudapin/guard/token; do
      [ ! -e "$left" ] || echo "left: $left"
    done
    find /etc /usr/share/libalpm /var/lib/cudapin -name store -prune -o -name '*.cudapin-*' -print | sed 's/^/left: /'
    ;;
esac
exit 0
END
}

within() {  # within NUMBER COMMAND…
  chroot "$copies/$1/m" env -C / "$(command -v sh | sed 's|.*|/bin/sh|')" -c '"$@"' sh "$@"
}

# --- one try ---
next_command() {  # next_command WORD: as typed
  case $1 in
    recover) echo "cudapin recover" ;;
    back) echo "cudapin recover --back" ;;
    again) echo "cudapin use ampere-11.1 --noconfirm --gpu RTX_3090" ;;
    other) echo "cudapin use turing-10.2 --noconfirm --gpu RTX_2080" ;;
  esac
}
# The set that must stand after the next command: one that it names, or any whole one.
allowed_after() { case $1 in again) echo new ;; other) echo 'other other-after-new' ;; back) echo 'old new' ;; *) echo 'old new' ;; esac; }

attempt() {  # attempt NUMBER CALL WHERE PATH FAULT NEXT: one line of the table
  stage "$1"
  m=$copies/$1/m
  place="when=$3" only=
  [ "$3" != path ] || { place=when=1; only="-P $4"; }
  case $5 in SIGKILL) fault=signal=SIGKILL ;; *) fault=error=$5 ;; esac
  case $5 in ENOSPC | EROFS) place=$place+ ;; esac
  status=0
  # Not with --seccomp-bpf: strace 6.1 then injects errors but no signals.
  # shellcheck disable=SC2086
  chroot "$m" strace -f -q -y -o /trace $only -e "trace=$2" -e "inject=$2:$fault:$place" \
    cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090' >"$m/said" 2>&1 </dev/null || status=$?
  hit=no
  if [ $status -ge 128 ] || grep -q -e INJECTED -e 'killed by SIGKILL' "$m/trace"; then hit=yes; fi
  [ -z "${UNRECOVERED-}" ] || rm -rf "$m/var/lib/cudapin/journal"
  then=$(next_command "$6" | sed 's/_/ /')
  next_status=0
  # shellcheck disable=SC2086
  (IFS=' '; set -- $(next_command "$6"); for word; do shift; set -- "$@" "$(echo "$word" | tr _ ' ')"; done
   exec chroot "$m" "$@") >"$m/said.next" 2>&1 </dev/null || next_status=$?
  chroot "$m" sh /probe set >"$copies/$1.set" 2>/dev/null
  found=torn
  for one in old new other other-after-new; do
    if cmp -s "$copies/$1.set" "/sets/$one"; then found=$one; fi
  done
  trouble=$(chroot "$m" sh /probe health)
  verdict=ok
  case " $(allowed_after "$6") " in *" $found "*) ;; *) verdict=FAILED ;; esac
  [ -z "$trouble" ] && [ "$next_status" -eq 0 ] || verdict=FAILED
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$verdict" "$found" "$5" "$2" "$4" "$hit" "$status" "$6" "$next_status"
  if [ $verdict = FAILED ]; then
    {
      echo "--- $5 at $2 $4; exit $status; then $then: exit $next_status; set: $found"
      echo "$trouble"
      cat "$m/said" && echo "--- then" && cat "$m/said.next"
      [ "$found" != torn ] || diff "/sets/${4#*:}" "$copies/$1.set" 2>/dev/null || diff /sets/new "$copies/$1.set" || true
    } >"$copies/failed.$1" 2>&1
  fi
  clear_stage "$1"
}

run_all() {  # run_all LIST: every line is CALL WHERE PATH FAULT NEXT; lines of the table to stdout
  worker=0
  started=
  while [ $worker -lt $workers ]; do
    awk -v of=$workers -v nth=$worker 'NR % of == nth' "$1" >"$copies/list.$worker"
    (
      number=0
      while read -r call where path fault next; do
        number=$((number + 1))
        attempt "$worker.$number" "$call" "$where" "$path" "$fault" "$next"
      done <"$copies/list.$worker" >"$copies/table.$worker"
    ) &
    started="$started $!"
    worker=$((worker + 1))
  done
  # shellcheck disable=SC2086
  wait $started
  cat "$copies"/table.[0-9]*
}

# --- the campaign ---
learn() {  # learn NAME COMMAND…: the set after COMMAND on a fresh copy
  name=$1
  shift
  stage "$name"
  [ $# -eq 0 ] || chroot "$copies/$name/m" "$@" >"/tmp/said" 2>&1 </dev/null || { cat /tmp/said; fail "$*"; }
  chroot "$copies/$name/m" sh /probe set >"/sets/$name"
  check_same "the machine is well after '$*'" "" "$(chroot "$copies/$name/m" sh /probe health)"
  [ ! -e "$copies/$name/m/trace" ] || cp "$copies/$name/m/trace" /tmp/trace
  clear_stage "$name"
}

set_up_machine
copies=/tmp/copies
mkdir -p $copies /sets
write_probe
learn old
learn other cudapin use turing-10.2 --noconfirm --gpu 'RTX 2080'
learn other-after-new sh -c 'cudapin use ampere-11.1 --noconfirm --gpu "RTX 3090" && cudapin use turing-10.2 --noconfirm --gpu "RTX 2080"'
learn new strace -f -y -qq -o /trace -e "trace=$calls" cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
points_of /tmp/trace >/tmp/points
all=$(wc -l </tmp/points)
say "$all points in one run"

# Killed, and apart with one of the errors; what comes next takes turns.
plan() {
  awk -v wanted="$1" -v all="$all" -v long="${CUDAPIN_LONG-}" '
    BEGIN { split("ENOSPC EIO EROFS", error, " "); split("recover back again other", next_one, " ") }
    long == "" && int(NR * wanted / all) == int((NR - 1) * wanted / all) { next }
    {
      ++n
      if (long != "" || n % 2) print $0, "SIGKILL", next_one[n % 4 + 1]
      if (long != "" || n % 2 == 0) print $0, error[n % 3 + 1], next_one[(n + int(n / 4)) % 4 + 1]
    }' /tmp/points
}
plan "$wanted" >/tmp/plan
run_all /tmp/plan >/tmp/table
sort -t "$(printf '\t')" -k5,5 -k4,4 /tmp/table | awk -F '\t' '{ printf "%-6s %-5s %-8s %-10s %s (exit %s; %s: %s)%s\n", $1, $2, $3, $4, $5, $7, $8, $9, $6 == "no" ? " not reached" : "" }'
if [ -n "${KEEP-}" ]; then
  cp /tmp/table /tmp/points /tmp/trace "$KEEP/"
  cat $copies/failed.* >"$KEEP/failures" 2>/dev/null || : >"$KEEP/failures"
fi
tried=$(grep -c . /tmp/table)
failed=$(grep -c ^FAILED /tmp/table || true)
distinct=$(awk -F '\t' '$6 == "yes" { print $4, $5 }' /tmp/table | sort -u | grep -c .)
say "$tried tries at $distinct distinct points, $failed failed"
reached=$(awk -F '\t' '$6 == "yes"' /tmp/table | grep -c .)
[ $((reached * 10)) -ge $((tried * 8)) ] || fail "only $reached of $tried faults were reached"
if [ "$failed" -gt 0 ]; then
  for said in $(ls $copies/failed.* | head -n 3); do cat "$said"; done
  fail "$failed of $tried tries"
fi

say "Without the journal the same tries fail: the campaign can tell"
rm -f $copies/failed.*
grep -E '(write|openat|mkdir) .*/var/lib/pacman/local/(cuda|nccl)-' /tmp/points | head -n 4 | sed 's/$/ SIGKILL recover/' >/tmp/plan
UNRECOVERED=1
run_all /tmp/plan >/tmp/table.unrecovered
check "every one of them" sh -c '[ "$(grep -c "^FAILED" /tmp/table.unrecovered)" -eq "$(grep -c . /tmp/plan)" ]'
check "and there were some" test -s /tmp/plan
