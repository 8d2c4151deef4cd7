// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace cudapin {

/// Absolute paths of the files that `pid` has mapped, each once, as its maps name them; empty when it is gone
/// or may not be read.
std::vector<std::string> mapped_files(const Host& host, pid_t pid);

}  // namespace cudapin
