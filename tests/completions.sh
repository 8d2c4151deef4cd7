#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/completions.sh BUILD_FOLDER: real shells complete real command lines with the generated scripts. Shells that
# are not here are passed over.
set -eu
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/share/cudapin/profiles"
cp "$build/cudapin" "$folder/bin/"
mkdir "$folder/zsh"
cp "$build/completions/cudapin.zsh" "$folder/zsh/_cudapin"
for name in ampere-11.1 ampere-11.8 ada-12; do : >"$folder/share/cudapin/profiles/$name.yaml"; done
PATH=$folder/bin:$PATH
export PATH LC_ALL=C
failed=0

expect() {  # expect SHELL LINE WORDS...
  shell=$1 line=$2
  shift 2
  wanted=$(printf '%s\n' "$@" | sort)
  found=$("complete_in_$shell" "$line" | sed 's|/$||' | sort)
  [ "$wanted" = "$found" ] && return
  echo "$shell: '$line' is completed to '$(echo $found)' and not to '$(echo $wanted)'"
  failed=1
}

actions_of() { cudapin "$1" --help | sed -n '/^actions:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }

complete_in_bash() {
  bash --norc -c '
    . "$1/completions/cudapin.bash"
    COMP_LINE=$2 COMP_POINT=${#2}
    read -ra COMP_WORDS <<<"$2"
    [[ $2 != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    compopt() { :; }
    _cudapin
    printf "%s\n" "${COMPREPLY[@]}"' bash "$build" "$1"
}

complete_in_fish() {
  HOME=$folder fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$build/completions/cudapin.fish" "$1" |
    cut -f 1
}

# zsh completes at a terminal only: what Tab shows there.
complete_in_zsh() {
  HOME=$folder zsh -f -c '
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PROMPT=; fpath=($1 \$fpath); autoload -U compinit; compinit -D -u; stty -echo; LISTMAX=0"
    zpty -w shell "zstyle \":completion:*\" list-separator \"\"; bindkey \"^I\" list-choices; unsetopt list_beep zle_bracketed_paste"
    zpty -w shell "print READY"
    zpty -r shell seen "*READY*READY*"
    zpty -w -n shell "$2"$'"'\t'"'
    sleep 0.5
    zpty -r -t shell seen
    while zpty -r -t shell more; do seen+=$more; done
    print -r -- "$seen"
    zpty -d shell' zsh "$folder/zsh" "$1" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g' | tr '\r' '\n' | grep -F -v cudapin
}

for shell in bash fish; do
  command -v $shell >/dev/null || { echo "$shell is not here"; continue; }
  expect $shell "cudapin use am" ampere-11.1 ampere-11.8
  expect $shell "cudapin val" validate
  expect $shell "cudapin use --dr" --dry-run
  expect $shell "cudapin store " list verify prune
  expect $shell "cudapin env --shell z" zsh
  expect $shell "cudapin show ada-12" ada-12
  expect $shell "cudapin profile " $(actions_of profile)
  expect $shell "cudapin profile sub" subscribe subscriptions
  expect $shell "cudapin profile export ada" ada-12
  expect $shell "cudapin profile diff ampere-11.1 ad" ada-12
  expect $shell "cudapin profile publish $folder/share/" "$folder/share/cudapin"
  expect $shell "cudapin profile --dry-run add $folder/share/cudapin/profiles/ada" "$folder/share/cudapin/profiles/ada-12.yaml"
  expect $shell "cudapin guard " check
  expect $shell "cudapin --root $folder/root profile un" unsubscribe untrust
done
if command -v zsh >/dev/null; then
  for word in ampere-11.1 ampere-11.8; do
    complete_in_zsh "cudapin use am" | grep -qw "$word" || { echo "zsh: '$word' is not offered for 'cudapin use am'"; failed=1; }
  done
  complete_in_zsh "cudapin use --dr" | grep -q dry-run || { echo "zsh: --dry-run is not offered"; failed=1; }
  offered=$(complete_in_zsh "cudapin profile ")
  for word in $(actions_of profile); do
    echo "$offered" | grep -qw "$word" || { echo "zsh: 'profile $word' is not offered"; failed=1; }
  done
  complete_in_zsh "cudapin profile export am" | grep -qw ampere-11.8 || { echo "zsh: no profile is offered for export"; failed=1; }
  complete_in_zsh "cudapin store p" | grep -qw prune || { echo "zsh: 'store prune' is not offered"; failed=1; }
  ! complete_in_zsh "cudapin use am" | grep -qw ada-12 || { echo "zsh: ada-12 is offered for 'am'"; failed=1; }
fi

# Every verb of the help is there, in each script.
for script in cudapin.bash cudapin.zsh cudapin.fish; do
  for verb in $(cudapin --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    grep -qw -e "$verb" "$build/completions/$script" || { echo "$script lacks $verb"; failed=1; }
  done
done

# A completion is typed against: the best of five takes less than 30 ms.
best=1000
for round in 1 2 3 4 5; do
  start=$(date +%s%N)
  cudapin complete profiles am >/dev/null
  took=$((($(date +%s%N) - start) / 1000000))
  [ "$took" -ge "$best" ] || best=$took
done
[ "$best" -lt 30 ] || { echo "completing takes $best ms"; failed=1; }
exit $failed
