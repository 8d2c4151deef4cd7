# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Sourced inside a view after machine.sh: a lab machine with a driver, a toolkit and frameworks out of one unsigned
# repository, with a private /dev, and processes that look as if they computed.

yesterday='
linux 6.18.2-1 files:usr/lib/modules/6.18.2/vmlinuz
linux-headers 6.18.2-1
nvidia 580.119.02-1 depends:linux,nvidia-utils=580.119.02 provides:NVIDIA-MODULE conflicts:NVIDIA-MODULE files:usr/lib/modules/6.18.2/extramodules/nvidia.ko
nvidia-utils 580.119.02-1 files:usr/lib/libcuda.so.580.119.02
opencl-nvidia 580.119.02-1
lib32-nvidia-utils 580.119.02-1 depends:nvidia-utils
cuda 12.9.1-2 depends:opencl-nvidia provides:libcudart.so=12-64 files:opt/cuda/bin/ptxas
cudnn 9.10.2.21-1 depends:cuda>=12 files:usr/lib/libcudnn.so.9.10
nccl 2.27.1-1 files:usr/lib/libnccl.so.2.27
python 3.13.11-1 files:usr/lib/libpython3.13-lab.so
python-pytorch-cuda 2.9.0-1 depends:cuda,cudnn,nccl,python,libcudart.so=12-64 files:usr/lib/libtorch-lab.so
htop-lab 3.4.1-1
blender-lab 5.0-1 depends:libcudart.so=12-64
'
today='
linux 6.19.1-1 files:usr/lib/modules/6.19.1/vmlinuz
linux-headers 6.19.1-1
nvidia-open 590.48.01-1 depends:linux,nvidia-utils=590.48.01 provides:NVIDIA-MODULE conflicts:NVIDIA-MODULE replaces:nvidia files:usr/lib/modules/6.19.1/extramodules/nvidia.ko
nvidia-utils 590.48.01-1 files:usr/lib/libcuda.so.590.48.01
opencl-nvidia 590.48.01-1
lib32-nvidia-utils 590.48.01-1 depends:nvidia-utils
cuda 13.0.2-1 depends:opencl-nvidia provides:libcudart.so=13-64 files:opt/cuda/bin/ptxas
cudnn 9.12.0.46-1 depends:cuda>=13 files:usr/lib/libcudnn.so.9.12
nccl 2.28.7-1 files:usr/lib/libnccl.so.2.28
python 3.14.2-1 files:usr/lib/libpython3.14-lab.so
python-pytorch-cuda 2.10.0-1 depends:cuda,cudnn,nccl,python,libcudart.so=13-64 files:usr/lib/libtorch-lab.so
htop-lab 3.4.1-2
blender-lab 5.1-1 depends:libcudart.so=13-64
'
packages='linux linux-headers nvidia nvidia-utils opencl-nvidia lib32-nvidia-utils cuda cudnn nccl python python-pytorch-cuda htop-lab blender-lab'

# As in machine.sh, but a package that went and came back is the same.
state() {
  pacman -Qi | grep -v -e '^Install Date' -e '^Validated By'
  pacman -Qkk 2>/dev/null
  cat /etc/pacman.conf
  find /var/lib/pacman -maxdepth 1 | sort
}

# Every package that moved to its version of yesterday.
go_back() {
  echo "$yesterday" | while read -r name version _; do
    [ -z "$name" ] || [ "$(installed "$name")" = "$version" ] || echo "/srv/lab/$name-$version-x86_64.pkg.tar.zst"
  done >/tmp/moved
  # shellcheck disable=SC2046
  must pacman -U --noconfirm $(cat /tmp/moved)
}

# The machine's own devices stay as they are: what is made here is made in a /dev of the view's own.
private_devices() {
  mount -t tmpfs -o mode=0755 tmpfs /dev
  mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/zero c 1 5 && mknod -m 666 /dev/urandom c 1 9
  ln -s /proc/self/fd /dev/fd && mkdir /dev/shm
  : >/dev/nvidia-uvm && : >/dev/nvidia0 && : >/dev/nvidiactl
  { cat /proc/devices; echo '511 nvidia-uvm'; } >/srv/devices
  mkdir -p /srv/module/nvidia /srv/module/nvidia_uvm
  echo 580.119.02 >/srv/module/nvidia/version
  holders 0
  mount --bind /srv/devices /proc/devices
  mount --bind /srv/module /sys/module
}
holders() { echo "$1" >/srv/module/nvidia_uvm/refcnt; }  # what the kernel counts by itself

set_up_lab() {
  mkdir -p /srv/lab /srv/next
  echo "$yesterday" | "$BUILD/tests/make_repository" /srv/lab lab
  echo "$today" | "$BUILD/tests/make_repository" /srv/next lab
  touch -d '2 days ago' /srv/lab/lab.db  # pacman fetches a database only when it is newer
  world=/srv/none && mkdir -p "$world/keyring" && : >"$world/files"
  empty_pacman
  cat >/etc/pacman.conf <<END
[options]
Architecture = auto
CheckSpace
SigLevel = Never
[lab]
Server = file:///srv/lab
END
  # shellcheck disable=SC2086
  must pacman -Sy --noconfirm $packages
  cmake --install "$BUILD" --prefix /usr >/dev/null
  cp -a /srv/next/. /srv/lab/
  must pacman -Sy
  private_devices
}

# compute USER [OPTION…]: sets training to its pid.
compute() {
  user=$1
  shift
  setpriv --reuid "$user" --clear-groups "$BUILD/tests/computing" --space 12 --open /dev/nvidiactl --open /dev/nvidia0 \
    --open /dev/nvidia-uvm "$@" >/tmp/ready &
  training=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    ! grep -q ready /tmp/ready || break
    sleep 0.1
  done
  holders 1
}
stop_computing() {
  kill "$training" && wait "$training" 2>/dev/null || true
  holders 0
}
