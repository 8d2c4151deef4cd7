// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace cudapin {

/// Which of `packages` (name to owned paths, without leading slash) `pid` uses: it has a file of theirs
/// mapped, told by device and inode so that a container's own copy at the same path is not meant, or the
/// package has files in /opt/cuda and the process's CUDA_HOME, CUDA_PATH or PATH leads into that very folder
/// (ptxas, nvrtc and libdevice are opened late). A file that was replaced since is not counted.
std::vector<std::string> packages_in_use(const Host& host, pid_t pid,
                                         const std::map<std::string, std::vector<std::string>>& packages);

}  // namespace cudapin
