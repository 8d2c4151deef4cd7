#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a view: a mirror for a lab in two lines. fetch --to fills a folder, nginx serves it, and a machine with no way out
# of its own network takes all from there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/machine.sh"
command -v nginx >/dev/null || { echo "needs nginx" >&2; exit 77; }
command -v ip >/dev/null || { echo "needs ip" >&2; exit 77; }

if [ "${1-}" != inside ]; then
  set_up_machine
  say "fetch --to fills the mirror"
  must cudapin fetch ampere-11.1 --to /srv/cudapin
  check_same "the five packages and their signatures" 10 "$(find /srv/cudapin/packages -type f | wc -l)"
  # From here on there is no network but this one's own loopback.
  exec unshare --net "$0" inside
fi

ip link set lo up
say "A machine with no way out"
must_refuse 1 cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check "nothing was installed" has_version cuda 13.1.1-1
check "nothing is stored" sh -c '! find /var/lib/cudapin -name "*.pkg.tar*" | grep -q .'

say "The two lines"
mkdir -p /etc/nginx/conf.d /srv/log
cat >/etc/nginx/nginx.conf <<'END'
pid /run/nginx-mirror.pid;
error_log /srv/log/error.log;
events {}
http {
  access_log /srv/log/access.log;
  include /etc/nginx/conf.d/cudapin.conf;
}
END
echo 'server { listen 80; root /srv/cudapin; autoindex on; }' | tee /etc/nginx/conf.d/cudapin.conf
echo 'archives: [http://127.0.0.1]' | tee /etc/cudapin/config.yaml
chmod 755 /srv /srv/cudapin
must nginx
must cudapin versions cuda cudnn --gpu 'RTX 3090'
check "the mirror lists what it has" has_said 11.1.0-2
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check "cuda is there" has_version cuda 11.1.0-2
check "cudnn is there" has_version cudnn 8.0.4.30-1
for name in cuda cudnn nccl gcc10 gcc10-libs; do
  check "$name came from the mirror" grep -qE "GET /packages/./$name/$name-[^ ]*\.pkg\.tar\.zst HTTP/1.1\" 200" \
    /srv/log/access.log
done
check "no file differs from its package" sh -c 'pacman -Qkk >/dev/null 2>&1'

say "A damaged mirror"
must cudapin release --noconfirm
file=$(find /srv/cudapin -name 'nccl-*.zst')
cp "$file" /tmp/whole
dd if=/dev/zero of="$file" bs=1 seek=700 count=8 conv=notrunc 2>/dev/null
rm -r /var/lib/cudapin/store
pacman -Rdd --noconfirm nccl >/dev/null
must_refuse 1 cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check "a changed file is told" has_said nccl
cp /tmp/whole "$file"
rm -rf /var/lib/cudapin/store
must cudapin use ampere-11.1 --noconfirm --gpu 'RTX 3090'
check "nccl is there" has_version nccl 2.7.8-3
nginx -s quit
