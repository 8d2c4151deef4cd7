#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: Debian's Ansible and the role of contrib/ansible against four roots that start differently, one of them busy.
# Check mode predicts the first run exactly, the second run changes nothing, the busy one is put off and catches up.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
command -v ansible-playbook >/dev/null || { echo "needs ansible-playbook" >&2; exit 77; }
export ANSIBLE_ROLES_PATH="$here/../../contrib/ansible/roles" ANSIBLE_STDOUT_CALLBACK=told
export ANSIBLE_CALLBACK_PLUGINS="$here/../support/ansible"
export GNUPGHOME=/srv/admin ANSIBLE_LOCALHOST_WARNING=0 ANSIBLE_NOCOWS=1 ANSIBLE_FORKS=2
hosts='fresh used pinned busy'

say "Four machines"
"$BUILD/tests/make_world" "$world" /srv/fresh >/dev/null
serve "$world/archive" --moved "$world/moved" && archive=$url
cmake --install "$BUILD" --prefix /usr >/dev/null
mkdir -p /srv/fresh/etc/cudapin
cp /etc/passwd /srv/fresh/etc/passwd
printf 'archives:\n  - %s\n' "$archive" >/srv/fresh/etc/cudapin/config.yaml
for host in author used pinned busy; do cp -a /srv/fresh "/srv/$host"; done
card='RTX 3090'
must cudapin --root /srv/used use ampere-11.1 --noconfirm --gpu "$card"
must cudapin --root /srv/used release --noconfirm
must cudapin --root /srv/pinned use turing-10.2 --noconfirm --gpu 'RTX 2080'

say "An admin locks a profile and publishes it"
mkdir -m 700 "$GNUPGHOME" && mkdir -p /srv/web/lab
gpg --batch --quiet --passphrase '' --quick-gen-key 'Lab Admin <admin@lab.example.org>' ed25519 cert,sign never
key=$(gpg --with-colons --list-keys | sed -n 's/^fpr:*\([0-9A-F]*\):/\1/p' | head -n 1)
gpg --armor --export "$key" >/srv/admin.asc
must cudapin --root /srv/author lock ampere-11.1
must cudapin --root /srv/author profile export ampere-11.1 --lock -o /srv/web/lab
must cudapin --root /srv/author profile publish /srv/web/lab
serve /srv/web && web=$url/lab

say "Somebody computes on one of them"
# In a mount namespace of its own: the others have no GPU.
cat >/srv/compute <<'END'
{ cat /proc/devices; echo '511 nvidia-uvm'; } >/srv/devices
mount --bind /srv/devices /proc/devices
mount -t tmpfs tmpfs /sys/module && mkdir /sys/module/nvidia_uvm && echo 1 >/sys/module/nvidia_uvm/refcnt
mount -t tmpfs -o mode=0755 tmpfs /dev
: >/dev/nvidia-uvm && : >/dev/nvidia0 && : >/dev/nvidiactl
mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/zero c 1 5 && mknod -m 666 /dev/urandom c 1 9
ln -s /proc/self/fd /dev/fd && ln -s /proc/self/fd/0 /dev/stdin
exec "$BUILD/tests/computing" --space 12 --open /dev/nvidiactl --open /dev/nvidia0 --open /dev/nvidia-uvm
END
unshare --mount sh -eu /srv/compute >/tmp/ready &
training=$!
until grep -q ready /tmp/ready; do sleep 0.1; done
cat >/srv/busy-cudapin <<END
#!/bin/sh
! kill -0 $training 2>/dev/null || exec nsenter --target $training --mount --root cudapin --root /srv/busy "\$@"
exec cudapin --root /srv/busy "\$@"
END
chmod +x /srv/busy-cudapin
must /srv/busy-cudapin status --json
check "the busy one sees it" has_said '"pid"'

cat >/srv/inventory <<END
[gpu]
fresh  cudapin_command="['cudapin', '--root', '/srv/fresh']"
used   cudapin_command="['cudapin', '--root', '/srv/used']"
pinned cudapin_command="['cudapin', '--root', '/srv/pinned']"
busy   cudapin_command="['/srv/busy-cudapin']"
[gpu:vars]
ansible_connection=local
ansible_python_interpreter=/usr/bin/python3
END
cat >/srv/play.yml <<END
- hosts: gpu
  gather_facts: false
  roles:
    - role: cudapin
      cudapin_trusted_keys: [{file: /srv/admin.asc, fingerprint: $key}]
      cudapin_subscriptions: [$web]
      cudapin_profile: ampere-11.1
      cudapin_use_options: [--gpu, $card]
END
# play NAME [OPTION…]: what each task changed on each host, to /srv/NAME, and what was reported; nothing may fail.
play() {
  name=$1
  shift
  LC_ALL=C.UTF-8 ansible-playbook -i /srv/inventory /srv/play.yml "$@" >/tmp/told 2>/tmp/ansible.log || {
    cat /tmp/told /tmp/ansible.log
    fail "the play '$name' failed"
  }
  grep -v '| said |' /tmp/told | sort >"/srv/$name"
  grep '| said |' /tmp/told | sort | tee "/srv/$name.report"
}
everything() { for host in $hosts; do find "/srv/$host" -printf '%p %m %s %T@\n'; done | sort; }

say "Check mode"
everything >/srv/before
play predicted --check
everything >/srv/after
check "no file of any machine changed" diff /srv/before /srv/after

say "The first run"
play first
check "check mode had predicted it exactly" diff /srv/predicted /srv/first
check "it changed something" grep -q 'fresh | .* | changed' /srv/first
check "the busy one was put off" grep -q 'busy | said | put off: root computes here' /srv/first.report
check_same "and is as it was" "cuda 13.1.1-1" "$(pacman --root /srv/busy -Q cuda)"

say "The second run changes nothing"
play second
check "no task changed anything" sh -c '! grep -q "| changed" /srv/second'

say "When the work is over the busy one catches up"
kill "$training" && wait "$training" 2>/dev/null || true
play third --limit busy
check "it was changed" grep -q 'busy | cudapin : Put the profile in force | changed' /srv/third
packages='cuda cudnn nccl gcc10 gcc10-libs'
outcome() {  # what pacman -Q says of the profile's packages and the hashes of their files
  # shellcheck disable=SC2086
  pacman --root "/srv/$1" -Q $packages
  # shellcheck disable=SC2086
  (cd "/srv/$1" && pacman --root "/srv/$1" -Qlq $packages | grep -v '/$' | sed "s|^/srv/$1/||; s|^/||" | sort -u |
    xargs sha256sum)
}
for host in $hosts; do outcome "$host" >"/tmp/$host.outcome"; done
check "there is something to compare" [ "$(wc -l </tmp/fresh.outcome)" -gt 10 ]
for host in $hosts; do check "$host ends like the first" cmp /tmp/fresh.outcome "/tmp/$host.outcome"; done
gpgconf --homedir "$GNUPGHOME" --kill all
