#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: what README.md tells to type is typed, from the installation to the day it is taken off again, and README.zh-CN.md tells
# the same. What the console blocks show is transcripts.sh's. With CUDAPIN_LONG=1 the two lines that build are typed too;
# else the build under test stands where they would have put it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
tree=$(cd "$here/../.." && pwd)
readme=$tree/README.md

# The lines to type of a README, without their comments; and what it names in passing.
to_type() { awk '/^```/ { block = !block } !block && /^    [^ #]/ { sub(/ +#.*/, ""); print substr($0, 5) }' "$1" | grep -v '^archives:'; }
in_passing() { grep -o '`[^`]*`' "$1" | tr -d '`' | grep -E '^(sudo )?cudapin .|^gpg' | sort -u; }

: >/tmp/typed
type_it() {  # type_it LINE [SED_SCRIPT]: a line of the README, where it is followed by names of the reader's own with those
  { to_type "$readme"; in_passing "$readme"; } | grep -qxF -e "$1" || fail "the README does not say: $1"
  echo "$1" >>/tmp/typed
  line=$(echo "$1" | sed -e "${2-}")
  echo "\$ $line"
  status=0
  (cd "$tree" && sh -c "$line") >"$said" 2>&1 </dev/null || status=$?
  cat "$said"
}
works() {  # works LINE [SED_SCRIPT]
  type_it "$@"
  [ "$status" -eq 0 ] || fail "'$line' came out with exit $status"
}
of_cudapin() { find /etc /opt /root /usr /var -xdev -path "$tree" -prune -o -name '*cudapin*' -print | sort; }

set_up_machine
say "A machine that has never seen cudapin"
xargs -r -d '\n' rm -f -- <"$BUILD/install_manifest.txt"
rm -rf /etc/cudapin /usr/lib/cudapin /usr/share/cudapin
check_same "nothing of it is there" '' "$(of_cudapin)"

pages=
! command -v man >/dev/null || ! command -v scdoc >/dev/null || pages=yes

say "Install"
cp /etc/pacman.conf /tmp/pacman.conf.before
rm -rf "$tree/build/release"
if [ -n "${CUDAPIN_LONG-}" ]; then
  works 'cmake --preset release'
  works 'cmake --build --preset release'
else
  mkdir -p "$tree/build" && ln -s "$BUILD" "$tree/build/release"
  printf 'cmake --preset release\ncmake --build --preset release\n' >>/tmp/typed
fi
works 'sudo cmake --install build/release --prefix /usr'
must cudapin --version
must cudapin list
check "list has the profiles" has_said ampere-11.1
for page in cudapin.1 cudapin-profile.5 cudapin-guard.8 cudapin.conf.5; do
  [ -z "$pages" ] || check "there is a manual $page" man -w "${page%.*}"
done
check "pacman has its hooks" test -e /usr/share/libalpm/hooks/00-cudapin-4-decide.hook
mkdir -p /etc/cudapin && printf 'archives:\n  - %s\n' "$archive" >/etc/cudapin/config.yaml

say "Install into the root of another system"
"$BUILD/tests/make_world" /srv/other /srv/root
rm -rf /mnt && mv /srv/root /mnt
for file in /bin/sh $(ldd /bin/sh "$BUILD/cudapin-guard" | grep -o '/lib[^ ):]*' | sort -u); do
  mkdir -p "/mnt${file%/*}" && cp -L "$file" "/mnt$file"   # hooks are run by its shell
done
works 'sudo DESTDIR=/mnt cmake --install build/release --prefix /usr'
check "there are files" test -s "$tree/build/release/install_manifest.txt"
while read -r file; do cmp "$file" "/mnt$file" || fail "$file is not there"; done <"$tree/build/release/install_manifest.txt"
check_same "it says its version" "$(cudapin --version)" "$(/mnt/usr/bin/cudapin --version)"
serve /srv/other/archive --moved /srv/other/moved
mkdir -p /mnt/etc/cudapin && printf 'archives:\n  - %s\n' "$url" >/mnt/etc/cudapin/config.yaml
must cudapin --root /mnt use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check_same "cuda is the old one there" 'cuda 11.1.0-2' "$(pacman --root /mnt --config /mnt/etc/pacman.conf --dbpath /mnt/var/lib/pacman -Q cuda)"
check "and as it was here" has_version cuda 13.1.1-1
check "its pins are its own" grep -q '^IgnorePkg.* cuda ' /mnt/etc/pacman.conf
check "pacman.conf here is as it was" cmp /etc/pacman.conf /tmp/pacman.conf.before
works "sed 's|^|/mnt|' build/release/install_manifest.txt | sudo xargs rm --"
check_same "no program of it is left there" '' "$(find /mnt/usr -name '*cudapin*' ! -type d)"
check "and here they are" cudapin --version

card="s/\$/ --gpu 'RTX 3090'/"
say "1. Use a profile"
before=$(state)
works 'cudapin use ampere-11.1 --dry-run' "$card"
changes_nothing "looking changes nothing" "$before"
works 'sudo cudapin use ampere-11.1' "$card; s/\$/ --noconfirm/"
check "cuda is the old one" has_version cuda 11.1.0-2
works 'sudo cudapin use ampere-11.1' "$card"
check "again, it does nothing" has_said 'nothing to do'

say "2. See where the machine stands"
type_it 'cudapin doctor'
check "doctor finds no error" sh -c "! grep -q '^error' $said"

say "3. Upgrade as always"
works 'cudapin who'
works "sudo cudapin freeze --for 3d --reason 'paper deadline'"
must_refuse 1 pacman -S --noconfirm htop
check "for its reason" has_said 'paper deadline'
must cudapin thaw
next_day
works 'sudo cudapin upgrade' 's/$/ --noconfirm/'
check "everything else is upgraded" has_version htop 3.4.1-2
check "cuda is not" has_version cuda 11.1.0-2

say "4. Choose, or write your own"
works 'cudapin list'
works 'cudapin suggest' "$card"
works 'cudapin show ampere-11.1'
works 'cudapin versions cuda'
check "the archive's too" has_said 11.1.0-2
mkdir -p /etc/cudapin/profiles
cat >/etc/cudapin/profiles/mine.yaml <<'END'
name: mine
extends: ampere-11.1
summary: what my training needs
END
works 'cudapin validate FILE' 's|FILE|/etc/cudapin/profiles/mine.yaml|'

say "5. Have the same on every machine"
works 'sudo cudapin lock ampere-11.1'
must cudapin use ampere-11.1 --locked --gpu 'RTX 3090'
works 'cudapin fetch ampere-11.1 --to DIR' 's|DIR|/srv/mirror|'
check "it is laid out like the archive" test -e /srv/mirror/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.zst
works 'sudo cudapin fetch --import FILE…' 's|FILE…|/srv/mirror/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.zst|'
type_it 'sudo cudapin lock PROFILE --vouch' 's|PROFILE|ampere-11.1|'
export GNUPGHOME=/tmp/admin
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key 'Lab Admin <admin@lab.example>' ed25519 sign
works 'gpg --armor --export >KEYFILE' 's|KEYFILE|/tmp/admin.asc|'
fingerprint=$(gpg --list-keys --with-colons | sed -n 's/^fpr:*\([0-9A-F]*\):/\1/p' | head -n 1)
mkdir -p /srv/lab && cp /etc/cudapin/profiles/mine.yaml /srv/lab/
works 'cudapin profile publish DIR' 's|DIR|/srv/lab|'
rm /etc/cudapin/profiles/mine.yaml
serve /srv/lab
works 'sudo cudapin profile trust KEYFILE' "s|KEYFILE|/tmp/admin.asc --fingerprint $fingerprint|"
works 'sudo cudapin profile subscribe URL' "s|URL|$url --noconfirm|"
works 'sudo cudapin profile update'
must cudapin show mine
works 'cudapin metrics'
check "for Prometheus" has_said '# TYPE cudapin_'

say "When something went wrong"
works 'sudo cudapin recover'
works 'cudapin history'
check "history has the use" has_said 'use ampere-11.1'
works 'sudo cudapin undo' 's/$/ --noconfirm/'
check "undo brings back the set before" has_version cuda 13.1.1-1

say "Take it off again"
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
must cudapin release --noconfirm
check "pacman.conf is what it was" cmp /etc/pacman.conf /tmp/pacman.conf.before
works 'sudo xargs -a build/release/install_manifest.txt rm --'
works 'sudo rm -rf /var/lib/cudapin /etc/cudapin /usr/lib/cudapin /usr/share/cudapin'
check_same "nothing of it is left" '' "$(of_cudapin)"
must pacman -Syu --noconfirm
check "pacman goes on as ever" has_version cuda 13.2.1-3

say "Every line that the README has to type was typed, here or by another story"
elsewhere='sh tests/try.sh
sh tests/run.sh
cd contrib/arch && makepkg -si
sudo pacman -R cudapin'
{ echo "$elsewhere"; cat /tmp/typed; } | sort -u >/tmp/told
{ to_type "$readme"; in_passing "$readme"; } | sort -u >/tmp/said.readme
check_same "README.md has no other" '' "$(comm -13 /tmp/told /tmp/said.readme)"
{ to_type "$tree/README.zh-CN.md"; in_passing "$tree/README.zh-CN.md"; } |
  sed 's/公钥文件/KEYFILE/; s/目录/DIR/; s/文件/FILE/; s/方案/PROFILE/; s/赶论文/paper deadline/' | sort -u >/tmp/said.chinese
check_same "README.zh-CN.md has the same" "$(cat /tmp/said.readme)" "$(cat /tmp/said.chinese)"
