#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: what README.md and README.zh-CN.md show in their console blocks comes out when it is typed, line by line; `...`
# stands for any lines, or for the rest of one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
tree=$(cd "$here/../.." && pwd)

# Each command of the blocks with what it shows: NUMBER.command and NUMBER.shown in the folder.
take_out() {  # take_out FILE FOLDER
  mkdir -p "$2"
  awk -v folder="$2" '
    /^```console$/ { inside = 1; next }
    /^```$/ { inside = 0 }
    inside && /^[#$] / { number++; print substr($0, 3) >(folder "/" sprintf("%02d", number) ".command"); next }
    inside { print >(folder "/" sprintf("%02d", number) ".shown") }' "$1"
}

# Whether a text is as it was shown: every line in its order, without gaps but where `...` stands.
is_as_shown() {  # is_as_shown SHOWN TEXT
  awk '
    function fits(wanted, found,   start) {
      if (wanted == found) return 1
      if (wanted !~ /\.\.\.$/ || length(wanted) <= 3) return 0
      start = substr(wanted, 1, length(wanted) - 3)
      return substr(found, 1, length(start)) == start
    }
    FNR == NR { wanted[++count] = $0; next }
    { lines[++total] = $0 }
    END {
      at = 1
      for (i = 1; i <= count; i++) {
        if (wanted[i] == "...") { gap = 1; continue }
        while (gap && at <= total && !fits(wanted[i], lines[at])) at++
        if (at > total || !fits(wanted[i], lines[at])) { print "not shown: " wanted[i]; print "but: " lines[at]; exit 1 }
        at++; gap = 0
      }
      if (!gap && at <= total) { print "not in the transcript: " lines[at]; exit 1 }
    }' "$1" "$2"
}

play() {  # play FILE
  folder=/tmp/transcripts/$(basename "$1" .md)
  take_out "$1" "$folder"
  check "$(basename "$1") has transcripts" test -e "$folder/03.command"
  for command in "$folder"/*.command; do
    say "$(cat "$command")"
    yes | head -n 5 | sh "$command" >/tmp/shown 2>&1 || true
    sed 's/ *$//; s/\[Y\/n\].*/&\n/' /tmp/shown | sed 's/ *$//' >/tmp/lines
    sed 's/ *$//' "${command%.command}.shown" >/tmp/wanted
    is_as_shown /tmp/wanted /tmp/lines || { cat /tmp/shown; fail "$(basename "$1") shows something else"; }
    echo "    ok: as shown"
    case $(cat "$command") in *'cudapin use '*) later ;; esac
  done
}

set_up_machine
later() { [ -e /tmp/next ] || { next_day && pacman -Sy >/dev/null && : >/tmp/next; }; }
play "$tree/README.md"

say "And in Chinese, on a machine as it was at first"
rm -f /tmp/next
set_up_machine
export LC_ALL=C.UTF-8 LANGUAGE=zh_CN
play "$tree/README.zh-CN.md"
