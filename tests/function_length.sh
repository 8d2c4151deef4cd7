#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/function_length.sh [FILE…]
# Fails on a function of more than 80 lines. Without files it checks src/ and tests/ and then itself.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
limit=80
ctags --version 2>/dev/null | grep -q 'Universal Ctags' || { echo "needs universal-ctags"; exit 77; }

# doctest's macros hide the names of test cases from ctags, so the expansion is spelt out to it.
check() {
  ctags --output-format=json --fields=+ne --kinds-C++=f -D 'TEST_CASE(x)=void test_case()' \
    -D 'SUBCASE(x)=if(true)' -o - "$@" |
  awk -v limit="$limit" '
    function field(name,   at) {
      at = match($0, "\"" name "\": (\"[^\"]*\"|[0-9]+)")
      if (!at) return ""
      text = substr($0, RSTART, RLENGTH); sub(/^"[a-z]*": /, "", text); gsub(/"/, "", text)
      return text
    }
    { functions++; length_ = field("end") - field("line") + 1 }
    field("end") != "" && length_ > limit {
      print field("path") ":" field("line") ": " field("name") " has " length_ " lines, more than " limit; bad = 1
    }
    END { if (!functions) { print "no function found"; bad = 1 } exit bad }'
}

[ $# -eq 0 ] || { check "$@"; exit; }
cd "$here"
# shellcheck disable=SC2046  # file names in this tree have no spaces
check $(find src tests -name '*.cpp' -o -name '*.hpp' | sort)

sample=$(mktemp -d)
trap 'rm -rf "$sample"' EXIT
grow() {  # grow LINES OPENING: a function of LINES lines
  printf '%s\n' "$2"
  yes '  puts("");' | head -n "$(($1 - 2))"
  printf '}\n'
}
grow 80 'void short_enough() {' >"$sample/fine.cpp"
grow 81 'void too_long() {' >"$sample/function.cpp"
grow 81 'TEST_CASE("sample: too long") {' >"$sample/case.cpp"
check "$sample/fine.cpp"
for wrong in function case; do
  if check "$sample/$wrong.cpp" >/dev/null; then
    echo "function_length: 81 lines in a $wrong are not found"
    exit 1
  fi
done
