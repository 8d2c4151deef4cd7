// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <sys/types.h>

#include <ctime>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// A process that computes: it has /dev/nvidia-uvm open, and if it has loaded the management library it has
/// mapped a device too. Or one that `cudapin run` watches over. Texts are raw; clean them before printing.
struct ComputeProcess {
  pid_t pid;
  uid_t uid;
  std::string user;       ///< name, "NAME (uid N)" when only its own environment says so, or the bare uid
  std::string command;    ///< argv joined by spaces
  std::vector<int> gpus;  ///< minors N of open /dev/nvidiaN, sorted
  std::time_t started;    ///< seconds since the epoch
  std::string executable = {};
  std::string place = {};   ///< "docker 0123456789ab", "slurm job 77", or empty
  bool is_ignored = false;  ///< named by ignore-processes: shown, but no reason to block
};

/// What a look at /proc found.
struct WorkScan {
  std::vector<ComputeProcess> processes;  ///< by pid, without those that open the device and do not train
  bool is_readable = true;                ///< /proc could be listed
  bool is_complete = true;                ///< no process kept its files from us
};

/// Whether the kernel has the compute device's module: as /sys says, or /proc where there is no /sys.
bool uvm_is_loaded(const Host& host);

/// Everything that computes on this machine's GPUs, from /proc alone. What vanishes while being read is
/// skipped. Cheap first: without the module, or with nobody holding it, no process is looked at; only where
/// the module's count says that more hold it are processes with a small address space and single threads
/// looked through too.
WorkScan find_work(const Host& host, std::span<const std::string> ignored = {});

/// Every process's descriptors and threads: what find_work falls back to.
WorkScan find_work_everywhere(const Host& host, std::span<const std::string> ignored = {});

/// find_work without what is ignored.
std::vector<ComputeProcess> compute_processes(const Host& host);

}  // namespace cudapin
