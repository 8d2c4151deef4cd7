// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What the driver's management library says of a GPU; empty optionals: it does not say.
struct GpuLoad {
  int minor = -1;  ///< N of /dev/nvidiaN
  std::string name;
  std::optional<unsigned> utilization;        ///< per cent
  std::optional<std::uint64_t> memory_used;   ///< bytes
  std::optional<std::uint64_t> memory_total;  ///< bytes
};

struct ProcessMemory {
  pid_t pid = 0;
  int minor = -1;
  std::optional<std::uint64_t> used;  ///< bytes
};

struct NvmlAnswer {
  std::vector<GpuLoad> gpus;
  std::vector<ProcessMemory> processes;
};

/// Asks NVML in a child process that gets a second; nothing when it is not there, is broken or hangs.
std::optional<NvmlAnswer> ask_nvml(const char* library = "libnvidia-ml.so.1");

/// The entries of a process list whose layout is not told by its function's name: of the strides the one
/// under which every pid is plausible and nothing lies beyond the last entry. `bytes` was filled with
/// `untouched` before.
std::vector<ProcessMemory> parse_process_list(std::span<const unsigned char> bytes, std::size_t count,
                                              int minor, std::span<const std::size_t> strides,
                                              std::int64_t greatest_pid);
inline constexpr unsigned char untouched = 0xa5;

/// The lines that the child writes, and back.
std::string to_lines(const NvmlAnswer& answer);
NvmlAnswer parse_nvml_lines(std::string_view text);

}  // namespace cudapin
