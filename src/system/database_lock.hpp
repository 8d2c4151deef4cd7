// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <string>

namespace cudapin {

/// The process that has db.lck open, as "pid 4242 (pacman -Syu)", or empty.
std::string lock_holder(const PacmanConf& conf, const Host& host);

/// Why the lock could not be taken: a running program (named), a left-over lock, a read-only file system, or
/// not root.
Error lock_failure(const PacmanConf& conf, const Host& host);

}  // namespace cudapin
