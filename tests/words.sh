#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/words.sh [FOLDER]
# Fails on a source file without its licence line, on a note to self, and on what only the machine of the author has:
# the path of this checkout and the hosts that this machine installs packages from.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

# Hosts of the package sources of this machine; Arch's own archive is what cudapin is about.
package_hosts() {
  {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/pacman.d/mirrorlist "$HOME/.npmrc" /etc/npmrc 2>/dev/null
    env | grep -i '^[a-z_]*\(registry\|index_url\|proxy\)[a-z_]*=' || true
  } | sed -n 's|.*://\([^/@[:space:]]*@\)*\([A-Za-z0-9.-]*\).*|\2|p' | grep -F . |
    grep -v -e 'archlinux\.org$' -e '^127\.' | sort -u
}

check() (  # check FOLDER
  bad=0
  cd "$1"
  files=$(find . -path ./build -prune -o -path ./.git -prune -o -path ./.cache -prune -o -type f -print | sort)
  for file in $files; do
    case $file in
    ./tests/fuzz/corpus/*) ;;
    *.[ch] | *.cpp | *.hpp | *.cc | *.sh | *.cmake | */CMakeLists.txt | ./.ci/run | *.yaml | *.hook | *.in | *.po | *.pot | *.install | */PKGBUILD | *.service)
      head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
        { echo "$file: no SPDX line at its head"; bad=1; } ;;
    esac
  done
  # Spelt in halves, or this file would be its own first finding.
  found=$(printf '%s\n' "$files" | xargs grep -nIwE "TO""DO|FIX""ME|X""XX" || true)
  [ -z "$found" ] || { echo "$found"; bad=1; }
  for word in "$here/" $(package_hosts); do
    found=$(printf '%s\n' "$files" | xargs grep -nIF -e "$word" || true)
    [ -z "$found" ] || { echo "$found"; bad=1; }
  done
  exit $bad
)

[ $# -eq 0 ] || { check "$1"; exit; }
check "$here"

sample=$(mktemp -d)
trap 'rm -rf "$sample"' EXIT
must_find() {  # must_find WHAT
  if check "$sample" >/dev/null; then
    echo "words: $1 is not found"
    exit 1
  fi
  rm "$sample"/*
}
printf 'int main() {}\n' >"$sample/a.cpp" && must_find "a missing licence line"
printf '// TO''DO: later\n' >"$sample/a.md" && must_find "a note to self"
printf 'see %s/src\n' "$here" >"$sample/a.md" && must_find "the path of the checkout"
printf '# SPDX-License-Identifier: GPL-3.0-or-later\n' >"$sample/a.sh" && check "$sample"
