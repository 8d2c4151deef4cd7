#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/try.sh [shell]
# Builds cudapin and shows it at work on a throwaway rolling-release machine: a copy-on-write view of this one, in
# which nothing that happens survives. `shell` opens a shell there. As a user without root it shows the plan only.
set -eu
cd "$(dirname "$0")/.."
case ${1-} in '' | shell) ;; *) echo "usage: sh tests/try.sh [shell]" >&2 && exit 2 ;; esac

. tests/packages.sh
need_packages build

echo ":: Building (the first time takes some minutes)"
launcher=
! command -v ccache >/dev/null || launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
generator='-G Ninja'
command -v ninja >/dev/null || generator='-G Unix\ Makefiles'
mkdir -p build
build() { cmake --build --preset release --target try -j2; }
eval cmake --preset release "$generator" $launcher >build/try.log 2>&1 || { cat build/try.log; exit 1; }
if [ -t 1 ]; then  # it shows how far it is
  build || exit 1
else
  build >>build/try.log 2>&1 || { cat build/try.log; exit 1; }
fi
BUILD=$PWD/build/release
export BUILD

if [ "$(id -u)" -eq 0 ]; then
  exec sh tests/view.sh sh tests/end_to_end/tour.sh "$@"
fi

# Without root: the packages of the same machine in a folder, and the plan for it.
work=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
"$BUILD/tests/make_world" "$work/world" "$work/root"
DESTDIR=$work/installed cmake --install "$BUILD" --prefix /usr >/dev/null
"$BUILD/tests/archive_server" "$work/world/archive" --moved "$work/world/moved" >"$work/serving" &
server=$!
until url=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$work/serving"); do
  kill -0 "$server" || { echo "the archive server does not start" >&2; exit 1; }
  sleep 0.1
done
printf '$ cudapin use ampere-11.1 --dry-run --gpu '"'RTX 3090'"' --root %s --archive %s\n' "$work/root" "$url"
"$work/installed/usr/bin/cudapin" use ampere-11.1 --dry-run --gpu 'RTX 3090' --root "$work/root" --archive "$url" \
  >"$work/plan" || { cat "$work/plan"; exit 1; }
cat "$work/plan"
for word in 13.1.1-1 11.1.0-2 8.0.4.30-1 1:10.2.0-3; do
  grep -qF "$word" "$work/plan" || { echo "FAILED: the plan does not name $word" >&2; exit 1; }
done
echo "That is the plan. As root, 'sh tests/try.sh' carries it out on a throwaway machine."
