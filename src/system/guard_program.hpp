// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace cudapin {

/// Exit status of the guard that blocks; every other one lets pacman go on.
inline constexpr int guard_blocks = 3;

/// cudapin-guard: `record install|upgrade|remove` notes the package names on stdin under /run, `decide`
/// judges them all (and those on its own stdin), `after` looks at what the transaction left; `freeze`,
/// `thaw`, `allow` and `check` are an admin's. `--root DIR`, `--proc DIR` and `--sys DIR` before the verb put
/// what it reads there. A hook's verb ends within two seconds. Whatever is missing or garbled is said on
/// stderr and lets pacman go on, unless guard.conf says otherwise.
int run_guard(std::span<char* const> arguments);

}  // namespace cudapin
