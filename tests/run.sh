#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/run.sh [--long]
# Installs what the tests need, builds and runs all of them; --long adds the long forms. The last lines are ctest's
# summary, the exit status is ctest's.
set -eu
cd "$(dirname "$0")/.."

skip_long='--label-exclude long'
case ${1-} in
  --long) skip_long='' && export CUDAPIN_LONG=1 ;;
  '') ;;
  *) echo "usage: sh tests/run.sh [--long]" >&2 && exit 2 ;;
esac

. tests/packages.sh
need_packages test

launcher=''
! command -v ccache >/dev/null || launcher='-DCMAKE_CXX_COMPILER_LAUNCHER=ccache'
# shellcheck disable=SC2086  # both may be nothing at all
mkdir -p build
cmake --preset dev $launcher >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
cmake --build --preset dev -j2
# shellcheck disable=SC2086
exec ctest --preset dev -j2 $skip_long
