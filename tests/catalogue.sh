#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails when po/cudapin.pot is not what the source says, when a translation lacks an entry or has a doubtful or
# forgotten one, and when one does not compile.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
for program in xgettext msgfmt msgcmp msgattrib; do
  command -v "$program" >/dev/null || { echo "$program (gettext) is not here"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check() {  # check FOLDER_OF_TRANSLATIONS
  for translation in "$1"/*.po; do
    msgfmt --check-format --output-file=/dev/null "$translation" || return 1
    msgcmp "$translation" "$folder/fresh.pot" || return 1
    [ -z "$(msgattrib --only-obsolete "$translation")" ] || { echo "$translation has entries of no message"; return 1; }
  done
}

sh "$here/po/extract.sh" "$folder/fresh.pot"
diff -u "$here/po/cudapin.pot" "$folder/fresh.pot" >"$folder/difference" || {
  head -n 20 "$folder/difference"
  echo "po/cudapin.pot is not what the source says; cmake --build build/dev --target pot writes it anew"
  exit 1
}
check "$here/po"

# A rule that finds nothing wrong in a wrong file is no rule.
must_find() {  # must_find WHAT EDIT
  sed "$2" "$here/po/zh_CN.po" >"$folder/zh_CN.po"
  if check "$folder" >/dev/null 2>&1; then
    echo "catalogue: $1 is not found"
    exit 1
  fi
}
must_find "a missing entry" '/^msgid "no verb given"$/,/^$/d'
must_find "a doubtful entry" 's/^msgid "no verb given"$/#, fuzzy\n&/'
must_find "an empty entry" '/^msgid "no verb given"$/,/^$/ s/^msgstr .*/msgstr ""/'
