#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/manuals.sh BUILD_FOLDER: holds the manual pages against --help and the profile's schema, both ways, and lets man
# render them without a warning.
set -eu
build=$1
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C
failed=0

section() {  # section PAGE NAME: its lines
  awk -v name="# $2" '$0 == name { inside = 1; next } /^# / { inside = 0 } inside' "$1"
}

same() {  # same WHAT WANTED FOUND: two files of words
  sort -u "$2" >"$folder/left"
  sort -u "$3" >"$folder/right"
  for word in $(comm -23 "$folder/left" "$folder/right"); do echo "$1: the page does not have $word"; failed=1; done
  for word in $(comm -13 "$folder/left" "$folder/right"); do echo "$1: only the page has $word"; failed=1; done
}

page=$here/man/cudapin.1.scd
"$build/cudapin" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$folder/verbs"
section "$page" VERBS | grep '^\*[a-z]' | grep -o '\*[a-z ]*\*' | tr -d '*' | cut -d ' ' -f 1 |
  grep -v -x -e list -e verify -e prune >"$folder/told" || true
section "$page" VERBS | grep -q '^\*list\*' && echo list >>"$folder/told"
same "a verb in cudapin(1)" "$folder/verbs" "$folder/told"
section "$page" SYNOPSIS >"$folder/synopsis"
for verb in $(cat "$folder/verbs"); do
  grep -q "\*$verb" "$folder/synopsis" || { echo "the synopsis of cudapin(1) lacks $verb"; failed=1; }
done

{ "$build/cudapin" --help; for verb in $(cat "$folder/verbs"); do "$build/cudapin" "$verb" --help; done; } |
  sed -n '/^options:/,/^$/p' | grep -oE '^ {2,6}(-[a-zA-Z0-9], )? *--[a-z0-9-]+' | grep -oE -e '-[a-zA-Z0-9],|--[a-z0-9-]+' | tr -d , >"$folder/options"
section "$page" OPTIONS | grep '^\*-' | grep -oE -e '\*-[a-zA-Z0-9]\*|--[a-z0-9-]+' | tr -d '*' >"$folder/told"
same "an option in cudapin(1)" "$folder/options" "$folder/told"

# (What stands last are the names of its definitions.)
for kind in profile lock; do
  sed -n '/"properties"/,$s/^ *"\([a-z_0-9]*\)": *{.*/\1/p' "$here/profiles/cudapin-$kind.schema.json" |
    grep -v -x -e properties -e items -e '' -e additionalProperties -e patternProperties -e not -e propertyNames -e dependencies -e line -e package -e profile -e value >"$folder/keys" || true
  for key in $(sort -u "$folder/keys"); do
    grep -q "[*_ ]$key[*_:]" "$here/man/cudapin-$kind.5.scd" || { echo "cudapin-$kind(5) lacks the key $key"; failed=1; }
  done
done
sed -n '/^# DESCRIPTION/,/^# /s/^\*\([a-z_]*\)\*$/\1/p' "$here/man/cudapin-profile.5.scd" |
while read -r key; do
  grep -q "\"$key\": *{" "$here/profiles/cudapin-profile.schema.json" || echo "the schema lacks $key, which cudapin-profile(5) has"
done >"$folder/more"
[ ! -s "$folder/more" ] || { cat "$folder/more"; failed=1; }

"$build/cudapin-guard" --help 2>&1 | grep -oE '[a-z-]+ ' >/dev/null || true
for verb in freeze thaw allow check; do
  grep -q "\*$verb\*\|guard $verb\|cudapin $verb" "$here/man/cudapin-guard.8.scd" || { echo "cudapin-guard(8) lacks $verb"; failed=1; }
done

# What the pages tell to type is understood.
cat "$here"/man/*.scd | sed -nE 's/^\t?(sudo )?(cudapin [a-z][^*|]*)$/\2/p' | sed 's/[+]*$//' | sort -u >"$folder/lines"
[ "$(wc -l <"$folder/lines")" -gt 10 ] || { echo "the pages tell to type almost nothing"; failed=1; }
while read -r line; do
  (PATH=$build:$PATH && eval "$line --help") >"$folder/text" 2>&1 ||
    { echo "a page tells to type '$line'"; cat "$folder/text"; failed=1; }
done <"$folder/lines"

# Its examples are profiles.
mkdir -p "$folder/profiles" "$folder/bin" "$folder/share/cudapin"
cp "$build/cudapin" "$folder/bin/"
cp -R "$here/profiles" "$folder/share/cudapin/"
awk -v folder="$folder/profiles" '/^```$/ { inside = !inside; file = ""; next }
  inside && file == "" { file = folder "/" substr($0, 7) ".yaml"; number++ }
  inside { print >file }' "$here/man/cudapin-profile.5.scd"
[ "$(ls "$folder/profiles" | wc -l)" -ge 2 ] || { echo "cudapin-profile(5) has no examples"; failed=1; }
for example in "$folder"/profiles/*; do
  "$folder/bin/cudapin" validate "$example" >"$folder/text" 2>&1 ||
    { echo "cudapin-profile(5): an example is no profile"; cat "$folder/text"; failed=1; }
done

for name in NAME DESCRIPTION 'SEE ALSO'; do
  for source in "$here"/man/*.scd; do
    grep -qx "# $name" "$source" || { echo "$(basename "$source") has no section $name"; failed=1; }
  done
done
for name in SYNOPSIS 'HOW IT DECIDES' OPTIONS FILES 'EXIT STATUS' EXAMPLES CAVEATS; do
  grep -qx "# $name" "$page" || { echo "cudapin(1) has no section $name"; failed=1; }
done

if command -v man >/dev/null && command -v scdoc >/dev/null; then
  for source in "$here"/man/*.scd; do
    rendered=$folder/$(basename "$source" .scd)
    scdoc <"$source" | sed '/^[.]TH /a .nh' >"$rendered"
    MANWIDTH=80 man --warnings -E UTF-8 -l "$rendered" >"$folder/text" 2>"$folder/warnings" || failed=1
    [ ! -s "$folder/warnings" ] || { echo "$(basename "$rendered"):"; cat "$folder/warnings"; failed=1; }
    ! grep -q '‐$' "$folder/text" || { echo "$(basename "$rendered") breaks words"; failed=1; }
    [ -s "$folder/text" ] || { echo "$(basename "$rendered") renders to nothing"; failed=1; }
  done
else
  echo "man and scdoc are not here: nothing is rendered"
fi
exit $failed
