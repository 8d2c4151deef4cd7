#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/layering.sh [SOURCE_FOLDER]
# Fails on an #include against the arrow main -> commands -> {cli, system} -> core, on a second door to a C library,
# and on input or output in core. Without a folder it checks src/ and then itself: a bad include must be found.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

# The rules: who may include whom, and the only files that may include a library.
check() {  # check SOURCE_FOLDER
  generated=$(cd "$here" && find src hooks -name '*.hpp.in' 2>/dev/null | sed 's,.*/,,; s,\.in$,,' | tr '\n' ' ')
  (cd "$1" && find . -name '*.?pp' | sed 's,^\./,,' | sort | xargs grep -n '^[[:space:]]*#[[:space:]]*include') |
  awk -F: -v generated=" $generated" '
    BEGIN {
      may["core"] = " core "
      may["cli"] = " cli core "
      may["system"] = " system core "
      may["commands"] = " commands cli system core "
      may["main"] = " commands system core "

      door["yaml-cpp/"] = " core/yaml.cpp "
      door["CLI/"] = " cli/arguments.cpp "
      door["curl/"] = " system/transfer.cpp system/request.cpp system/pages.cpp "
      door["gpgme"] = " system/gpg.hpp "
      door["archive"] = " system/package_file.cpp "
      door["alpm"] = " core/version.cpp system/alpm_handle.hpp "
      door["openssl/"] = " system/files.cpp "
      inner["system/alpm_handle.hpp"] = " system/alpm_handle.cpp system/local_database.cpp system/transaction.cpp system/repositories.cpp "
      inner["system/gpg.hpp"] = " system/gpg.cpp system/signature.cpp system/keys.cpp "
      effects = "^(filesystem|fstream|iostream|cstdio|stdio\\.h|thread|unistd\\.h|fcntl\\.h|sys/.*)$"
    }
    function complain(what) { print file ":" line ": " what; bad = 1 }
    {
      file = $1; line = $2
      split($3, part, /[<>"]/); header = part[2]; quoted = index($3, "\"") > 0
      layer = index(file, "/") ? substr(file, 1, index(file, "/") - 1) : "main"
      target = index(header, "/") ? substr(header, 1, index(header, "/") - 1) : ""

      if (!(layer in may)) complain("a folder outside the layers")
      else if (quoted && (target in may) && !index(may[layer], " " target " "))
        complain(layer " must not include " header)
      else if (quoted && !(target in may) && !index(generated, " " header " ")) complain(header " is in no layer")

      if (quoted && (header in inner) && !index(inner[header], " " file " ")) complain(header " is for" inner[header])
      if (!quoted)
        for (library in door)
          if (index(header, library) == 1 && !index(door[library], " " file " "))
            complain(header " has its door in" door[library])
      if (!quoted && layer == "core" && header ~ effects) complain("core is pure, it has no use for " header)
    }
    END { exit bad }'
}

# A rule that finds nothing wrong in a wrong file is no rule.
must_find() {  # must_find FILE INCLUDE
  cp -R "$here/src/." "$copy"
  printf '#include %s\n' "$2" >>"$copy/$1"
  if check "$copy" >/dev/null; then
    echo "layering: '#include $2' in $1 is not found"
    return 1
  fi
}

[ $# -eq 0 ] || { check "$1"; exit; }
check "$here/src"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
must_find core/package.hpp '"system/host.hpp"'
must_find cli/arguments.hpp '"system/host.hpp"'
must_find system/host.cpp '"cli/arguments.hpp"'
must_find system/host.cpp '"commands/run.hpp"'
must_find system/host.cpp '<yaml-cpp/yaml.h>'
must_find commands/run.cpp '<alpm.h>'
must_find system/state.cpp '"system/alpm_handle.hpp"'
must_find core/text.cpp '<fstream>'
must_find main.cpp '"nowhere/else.hpp"'
mkdir "$copy/newcomers"
must_find newcomers/a.cpp '<string>'
