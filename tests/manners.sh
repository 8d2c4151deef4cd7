#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/manners.sh BUILD_FOLDER: how the program behaves on a terminal of 80 columns, in a pipe, without a reader, without
# colour and in Chinese. The terminal is tmux's; without tmux that part is passed over.
set -eu
build=$1
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/share/cudapin"
cp "$build/cudapin" "$folder/bin/"
cp -R "$here/profiles" "$folder/share/cudapin/"
[ ! -d "$build/po" ] || cp -R "$build/po" "$folder/share/locale"
PATH=$folder/bin:$PATH
export PATH LC_ALL=C
unset NO_COLOR LANGUAGE
escape=$(printf '\033')
failed=0
check() {  # check WHAT COMMAND…
  what=$1
  shift
  "$@" || { echo "not so: $what"; failed=1; }
}
has_escapes() { grep -q "$escape" "$1"; }
has_none() { ! has_escapes "$1"; }
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' "$1"; }

# In a pipe.
cudapin nonsense >"$folder/out" 2>"$folder/err" && status=0 || status=$?
check "a wrong command line exits 2" test "$status" -eq 2
check "errors go to stderr" test ! -s "$folder/out"
check "an error says so" grep -q '^error: ' "$folder/err"
check "no colour in a pipe" has_none "$folder/err"
cudapin show ampere-11.1 --color always >"$folder/out" 2>"$folder/err"
cudapin show none-such --color always 2>"$folder/err" || true
check "colour where it is asked for" has_escapes "$folder/err"
NO_COLOR=1 cudapin show none-such --color always 2>"$folder/err" || true
check "--color always is said last" has_escapes "$folder/err"
cudapin list -q >"$folder/out"
check "-q gives names" grep -qx ampere-11.1 "$folder/out"
check "-q gives one a line" sh -c "! grep -q '[[:space:]]' '$folder/out'"

# Without a reader: no word, no crash.
for verb in list --help 'show ampere-11.1' 'doctor --json'; do
  { cudapin $verb 2>"$folder/err" || echo "$?" >"$folder/status"; } | :
  check "$verb into a closed pipe says nothing" sh -c "! grep -q 'terminate\|Aborted\|Broken' '$folder/err'"
  case $(cat "$folder/status" 2>/dev/null) in 13? | 1[4-9]?) check "$verb into a closed pipe ends well" false ;; esac
done
check "with its streams closed it ends" sh -c 'cudapin list <&- >&- 2>&-'

# On a full disk: an error, however much there was to write. (What has been said before is none.)
if [ -c /dev/full ]; then
  for command in list status --version --help 'use --help' 'completions bash' 'complete profiles' 'list --json'; do
    cudapin $command >/dev/full 2>"$folder/err" && status=0 || status=$?
    check "$command onto a full disk exits 1, not $status" test "$status" -eq 1
    check "$command onto a full disk says why" grep -qx 'error: cannot write the output: No space left on device' "$folder/err"
    check "$command onto a full disk says it once" test "$(grep -c '^error: ' "$folder/err")" -eq 1
  done
  cudapin nonsense >/dev/full 2>/dev/null && status=0 || status=$?
  check "nothing to write is not an error" test "$status" -eq 2
fi
cudapin list 2>"$folder/err" | head -n 1 >"$folder/out"
check "head gets its line" test "$(wc -l <"$folder/out")" -eq 1
check "and nothing is said of the rest" sh -c "! grep -q . '$folder/err'"

# What others have named does not steer the terminal.
strange=$folder/$(printf 'bad\033[31m\007name.yaml')
printf 'name: x\nsummary: "a\\e[31mb"\n' >"$strange"
cudapin validate "$strange" >"$folder/out" 2>&1 || true
check "it is told of" grep -q 'bad' "$folder/out"
check "no control character comes out" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$folder/out'"

# In Chinese, what libc says too: no question marks for want of characters.
if [ -d "$folder/share/locale/zh_CN" ]; then
  LC_ALL=C.UTF-8 LANGUAGE=zh_CN cudapin validate /nonexistent/file >"$folder/out" 2>&1 || true
  check "it speaks Chinese" grep -q '失败' "$folder/out"
  check "and libc's words are readable" sh -c "! grep -q '?' '$folder/out'"
fi

# Eighty columns.
for verb in $(cudapin --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  cudapin "$verb" --help >"$folder/out"
  check "the help of $verb fits: $(widest "$folder/out")" test "$(widest "$folder/out")" -le 80
done
for command in list status 'show ampere-11.1' suggest; do
  cudapin $command >"$folder/out" 2>/dev/null || true
  check "$command fits 80 columns: $(widest "$folder/out")" test "$(widest "$folder/out")" -le 80
done

# On a terminal.
if command -v tmux >/dev/null; then
  terminal() { tmux -S "$folder/socket$session" "$@"; }
  session=0
  show() {  # show COLUMNS COMMAND: what a terminal of that width shows
    session=$((session + 1))  # a server that is just ending is not asked again
    terminal -f /dev/null new-session -d -x "$1" -y 60 "$2; printf 'END\n'; sleep 20"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      terminal capture-pane -p -e -J >"$folder/screen"
      ! grep -q END "$folder/screen" || break
      sleep 0.2
    done
    terminal capture-pane -p >"$folder/plain"
    terminal capture-pane -p -J >"$folder/joined"
    terminal kill-server
  }
  show 80 'cudapin show none-such'
  check "colour on a terminal" has_escapes "$folder/screen"
  show 80 'NO_COLOR=1 cudapin show none-such'
  check "no colour under NO_COLOR" sh -c "! grep -q '$escape\[[0-9;]*31m' '$folder/screen'"
  show 80 'cudapin --color never show none-such'
  check "no colour with --color never" sh -c "! grep -q '$escape\[[0-9;]*31m' '$folder/screen'"
  for width in 80 50; do
    show $width 'cudapin list; cudapin status'

    check "a terminal of $width columns breaks no line by itself" test "$(wc -l <"$folder/joined")" -eq "$(wc -l <"$folder/plain")"
  done
fi

# In Chinese, where the catalogue is built: the same order, a full width counts two.
if [ -e "$folder/share/locale/zh_CN/LC_MESSAGES/cudapin.mo" ]; then
  export LC_ALL=C.UTF-8 LANGUAGE=zh_CN
  cudapin nonsense 2>"$folder/err" || true
  check "it speaks Chinese" grep -q '^错误: 未知命令' "$folder/err"
  cudapin list --json >"$folder/json"
  LC_ALL=C cudapin list --json >"$folder/json.C"
  check "JSON is never translated" cmp -s "$folder/json" "$folder/json.C"
  cudapin doctor --json >"$folder/json" 2>/dev/null || true
  check "findings in JSON are English" sh -c "! LC_ALL=C grep -q '[^ -~]' '$folder/json'"
  LC_ALL=C cudapin nonsense 2>"$folder/err" || true
  check "LC_ALL=C is English whatever LANGUAGE says" grep -q '^error: unknown verb' "$folder/err"
fi
exit $failed
