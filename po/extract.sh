#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh po/extract.sh FILE: writes the catalogue of all messages, the same from the same source.
set -eu
target=$(realpath "$1")
cd "$(dirname "$0")/.."
find src -name '*.cpp' -o -name '*.hpp' | LC_ALL=C sort >"$target.files"
xgettext --language=C++ --from-code=UTF-8 --no-wrap --add-location=file --sort-by-file \
  --keyword=tr:1 --keyword=trn:1,2 --keyword=tr_text:1 --keyword=tr_later:1 --keyword=tr_count:1,2 \
  --package-name=cudapin --msgid-bugs-address=none \
  --files-from="$target.files" --output=- | grep -v -e '^"\(POT-Creation-Date\|Report-Msgid\|PO-Revision-Date\|Last-Tr\|Language-T\)' -e '^#, c-format$' |
  sed -e 's/; charset=CHARSET/; charset=UTF-8/' -e '1,/^msgid/ s/^#, fuzzy$//' -e '1,/^msgid/ { /^#$/d; /FIRST AUTHOR/d; /^# SOME DESC/d; /^# Copyright/d; s/^# This file.*/# SPDX-License-Identifier: GPL-3.0-or-later/ }' | sed '1,4{/^$/d}' >"$target.new"
rm "$target.files"
mv "$target.new" "$target"
