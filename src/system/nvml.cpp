// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/nvml.hpp"

#include "core/text.hpp"
#include "system/nvml_library.hpp"
#include "system/process_text.hpp"
#include "system/raw_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace cudapin {

namespace {

using nvml::call;
using nvml::Device;
using nvml::Library;

constexpr auto time_limit = std::chrono::seconds(1);
constexpr std::size_t most_processes = 1024;
constexpr std::size_t widest_entry = 64;
/// NVML's own "not available" for a size.
constexpr auto not_available = ~std::uint64_t{0};

void add_gpu(const Library& library, Device device, int minor, NvmlAnswer& answer) {
  GpuLoad gpu{.minor = minor};
  std::array<char, 96> name{};
  if (call(library, "nvmlDeviceGetName", device, name.data(), unsigned{name.size()})) gpu.name = name.data();
  std::array<unsigned, 2> rates{};
  if (call(library, "nvmlDeviceGetUtilizationRates", device, rates.data())) gpu.utilization = rates[0];
  std::array<std::uint64_t, 3> memory{};  // total, free, used
  if (call(library, "nvmlDeviceGetMemoryInfo", device, memory.data())) {
    gpu.memory_total = memory[0];
    gpu.memory_used = memory[2];
  }
  answer.gpus.push_back(std::move(gpu));
}

struct ListFunction {
  const char* name;
  std::array<std::size_t, 2> strides;
};

// The entry has grown twice, the second time without a new name (driver 535 had it for some releases).
constexpr std::array list_functions{ListFunction{"nvmlDeviceGetComputeRunningProcesses_v3", {24, 32}},
                                    ListFunction{"nvmlDeviceGetComputeRunningProcesses_v2", {24, 32}},
                                    ListFunction{"nvmlDeviceGetComputeRunningProcesses", {16, 24}}};

std::int64_t greatest_pid() {
  const auto text = raw::read_at(AT_FDCWD, "/proc/sys/kernel/pid_max", 32);
  return process_text::number<std::int64_t>(trim(text)).value_or(4194304);
}

void add_processes(const Library& library, Device device, int minor, NvmlAnswer& answer) {
  for (const auto& function : list_functions) {
    std::vector<unsigned char> bytes(most_processes * widest_entry, untouched);
    unsigned count = most_processes;
    if (!call(library, function.name, device, &count, static_cast<void*>(bytes.data()))) continue;
    const auto found = parse_process_list(bytes, std::min<std::size_t>(count, most_processes), minor,
                                          function.strides, greatest_pid());
    answer.processes.insert(answer.processes.end(), found.begin(), found.end());
    return;
  }
}

std::string ask(const char* name) {
  NvmlAnswer answer;
  const Library library(name);
  nvml::visit_devices(library, [&](unsigned index, Device device) {
    unsigned minor = index;
    call(library, "nvmlDeviceGetMinorNumber", device, &minor);
    add_gpu(library, device, static_cast<int>(minor), answer);
    add_processes(library, device, static_cast<int>(minor), answer);
  });
  return to_lines(answer);
}

std::optional<std::uint64_t> size_at(std::span<const unsigned char> bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value == not_available ? std::nullopt : std::optional(value);
}

std::string size_word(const std::optional<std::uint64_t>& size) { return size ? std::to_string(*size) : "?"; }

}  // namespace

std::vector<ProcessMemory> parse_process_list(std::span<const unsigned char> bytes, std::size_t count,
                                              int minor, std::span<const std::size_t> strides,
                                              std::int64_t greatest_pid) {
  for (const auto stride : strides) {
    const auto end = count * stride;
    if (end + 4 > bytes.size() || bytes[end] != untouched || bytes[end + 3] != untouched) continue;
    std::vector<ProcessMemory> found;
    for (std::size_t at = 0; at < end; at += stride) {
      std::uint32_t pid = 0;
      std::memcpy(&pid, bytes.data() + at, sizeof pid);
      if (pid > 0 && pid <= greatest_pid)
        found.push_back({static_cast<pid_t>(pid), minor, size_at(bytes, at + 8)});
    }
    if (found.size() == count) return found;
  }
  return {};
}

std::string to_lines(const NvmlAnswer& answer) {
  std::string text;
  for (const auto& gpu : answer.gpus)
    text += "gpu " + std::to_string(gpu.minor) + ' ' +
            (gpu.utilization ? std::to_string(*gpu.utilization) : "?") + ' ' + size_word(gpu.memory_used) +
            ' ' + size_word(gpu.memory_total) + ' ' + printable(gpu.name) + '\n';
  for (const auto& process : answer.processes)
    text += "process " + std::to_string(process.pid) + ' ' + std::to_string(process.minor) + ' ' +
            size_word(process.used) + '\n';
  return text;
}

NvmlAnswer parse_nvml_lines(std::string_view text) {
  using process_text::number;
  NvmlAnswer answer;
  for (const auto& line : split(text, "\n")) {
    const auto words = split(line, " ");
    if (words.size() >= 5 && words[0] == "gpu")
      answer.gpus.push_back({number<int>(words[1]).value_or(-1), join({words.begin() + 5, words.end()}, " "),
                             number<unsigned>(words[2]), number<std::uint64_t>(words[3]),
                             number<std::uint64_t>(words[4])});
    if (words.size() == 4 && words[0] == "process")
      answer.processes.push_back({number<pid_t>(words[1]).value_or(0), number<int>(words[2]).value_or(-1),
                                  number<std::uint64_t>(words[3])});
  }
  return answer;
}

std::optional<NvmlAnswer> ask_nvml(const char* library) {
  const auto text = nvml::in_child([&] { return ask(library); }, time_limit);
  auto answer = parse_nvml_lines(text.value_or(""));
  return answer.gpus.empty() ? std::nullopt : std::optional(std::move(answer));
}

}  // namespace cudapin
