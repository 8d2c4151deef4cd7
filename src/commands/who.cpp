// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/style.hpp"
#include "core/guard.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/guard_files.hpp"
#include "system/nvml.hpp"
#include "system/processes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>

namespace cudapin {

namespace {

struct Holder {
  ComputeProcess process;
  std::optional<std::uint64_t> memory;  ///< of all its GPUs
};

struct Answer {
  std::vector<Holder> holders;
  std::optional<NvmlAnswer> nvml;
  bool is_complete = true;
};

std::optional<std::uint64_t> memory_of(const std::optional<NvmlAnswer>& nvml, pid_t pid) {
  std::optional<std::uint64_t> sum;
  if (nvml)
    for (const auto& process : nvml->processes)
      if (process.pid == pid && process.used) sum = sum.value_or(0) + *process.used;
  return sum;
}

Answer gather(const Host& host) {
  const auto policy = GuardFiles(host.root.string()).policy();
  auto scan = find_work(host, policy.ignored_processes);
  Answer answer{.is_complete = scan.is_complete && scan.is_readable};
  // It can hang or wake a sleeping card: it is asked only when there is somebody to tell about.
  if (!scan.processes.empty()) answer.nvml = ask_nvml();
  for (auto& process : scan.processes) {
    const auto memory = memory_of(answer.nvml, process.pid);
    answer.holders.push_back({std::move(process), memory});
  }
  return answer;
}

std::int64_t age_of(const ComputeProcess& process, const Host& host) {
  return std::max<std::int64_t>(0, std::chrono::system_clock::to_time_t(host.now()) - process.started);
}

std::string numbers(const std::vector<int>& values) {
  std::vector<std::string> words;
  for (const int value : values) words.push_back(std::to_string(value));
  return join(words, ",");
}

std::string note(const Holder& holder, const Host& host) {
  const auto& process = holder.process;
  auto text = tr("{}{}, for {}", process.user,
                 process.gpus.empty() ? "" : tr_text(" on GPU ") + numbers(process.gpus),
                 duration_text(age_of(process, host)));
  if (holder.memory) text += ", " + human_size(*holder.memory);
  if (!process.place.empty()) text += tr_text(", in ") + process.place;
  if (process.is_ignored) text += tr_text(", ignored");
  return text;
}

std::string gpu_note(const GpuLoad& gpu) {
  auto text = gpu.utilization ? tr("{} % busy", *gpu.utilization) : tr_text("load unknown");
  if (gpu.memory_used && gpu.memory_total)
    text += tr(", {} of {}", human_size(*gpu.memory_used), human_size(*gpu.memory_total));
  return text;
}

nlohmann::json json_of(const Answer& answer, const Host& host) {
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
  };
  auto processes = nlohmann::json::array();
  for (const auto& [process, memory] : answer.holders)
    processes.push_back({{"pid", process.pid},
                         {"uid", process.uid},
                         {"user", process.user},
                         {"gpus", process.gpus},
                         {"started", process.started},
                         {"seconds", age_of(process, host)},
                         {"command", process.command},
                         {"executable", process.executable},
                         {"place", process.place},
                         {"ignored", process.is_ignored},
                         {"memory", or_null(memory)}});
  auto gpus = nlohmann::json::array();
  if (answer.nvml)
    for (const auto& gpu : answer.nvml->gpus)
      gpus.push_back({{"minor", gpu.minor},
                      {"name", gpu.name},
                      {"utilization", or_null(gpu.utilization)},
                      {"memory_used", or_null(gpu.memory_used)},
                      {"memory_total", or_null(gpu.memory_total)}});
  return {{"schema", 1}, {"complete", answer.is_complete}, {"processes", processes}, {"gpus", gpus}};
}

}  // namespace

ExitStatus who(const WhoOptions& options, const Host& host) {
  const auto answer = gather(host);
  if (options.json) {
    *host.out << json_text(json_of(answer, host));
    return ExitStatus::done;
  }
  std::vector<Row> rows;
  for (const auto& holder : answer.holders)
    rows.push_back({fmt::format("pid {}", holder.process.pid), note(holder, host),
                    holder.process.command.substr(0, 200)});
  if (answer.nvml)
    for (const auto& gpu : answer.nvml->gpus)
      rows.push_back({fmt::format("GPU {}", gpu.minor), gpu.name, gpu_note(gpu)});
  *host.out << table(rows, style_of(host));
  if (answer.holders.empty()) *host.out << tr_text("nothing computes on the GPUs\n");
  if (!answer.is_complete)
    *host.out << tr_text("other people's processes could not be seen; next: sudo cudapin who\n");
  return ExitStatus::done;
}

}  // namespace cudapin
