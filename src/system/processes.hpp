// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <sys/types.h>

#include <ctime>
#include <string>
#include <vector>

namespace cudapin {

/// A process with /dev/nvidia-uvm open: it computes. Names are raw; clean them before printing.
struct ComputeProcess {
  pid_t pid;
  uid_t uid;
  std::string user;       ///< name, or the bare uid
  std::string command;    ///< argv joined by spaces
  std::vector<int> gpus;  ///< minors N of open /dev/nvidiaN, sorted
  std::time_t started;    ///< seconds since the epoch
};

/// Everything that computes on this machine's GPUs, from /proc alone; processes that vanish while being read
/// are skipped.
std::vector<ComputeProcess> compute_processes(const Host& host);

}  // namespace cudapin
