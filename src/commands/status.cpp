// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/machine_report.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/guard_state.hpp"
#include "system/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace {

/// Cards come and go; what no longer serves the new ones is the guard's to know.
void tell_guard_of_new_cards(const Host& host, const std::vector<Gpu>& gpus) {
  std::vector<std::string> ids;
  for (const auto& gpu : gpus) ids.push_back(gpu.pci_id);
  if (host.privileged && !ids.empty() && ids != guarded_cards(host))
    refresh_bounds(host, read_pacman_conf(host), gpus);
}

std::string disk_note(const Machine& machine) {
  if (machine.driver_on_disk.empty()) return tr_text("no package here brings one");
  return machine.driver_loaded.empty() || machine.driver_loaded == machine.driver_on_disk
             ? tr_text("the libraries that new processes load")
             : tr_text("DIFFERS from the loaded module: new GPU processes fail until a reboot");
}

std::string or_none(const std::string& text) { return text.empty() ? tr_text("none") : text; }

std::string pin_note(const PinStatus& pin) {
  if (pin.installed.empty()) return tr_text("DRIFT: pinned, but not installed");
  if (pin.has_drifted()) return tr("DRIFT: {} is installed", pin.installed);
  return pin.in_force ? tr_text("installed, kept back by pacman")
                      : tr_text("installed, but pacman's IgnorePkg does not list it");
}

std::string process_note(const ComputeProcess& process, const Host& host) {
  const auto seconds =
      std::max<std::int64_t>(0, std::chrono::system_clock::to_time_t(host.now()) - process.started);
  std::vector<std::string> gpus;
  for (const int gpu : process.gpus) gpus.push_back(std::to_string(gpu));
  return tr("{} on GPU {} for {}h{:02}m: {}", process.user, gpus.empty() ? "?" : join(gpus, ","),
            seconds / 3600, seconds / 60 % 60, printable(process.command).substr(0, 120));
}

std::vector<Row> rows_of(const Report& report, const Host& host) {
  const auto& machine = report.machine;
  std::vector<Row> rows;
  if (report.state)
    rows.push_back({tr_text("profile"), report.state->profile, tr("in force since {}", report.state->since)});
  else
    rows.push_back(
        {tr_text("profile"), tr_text("none"), tr_text("no profile is active; 'cudapin list' shows them")});
  for (const auto& pin : report.pins)
    rows.push_back({tr_text("pinned"), pin.name + " " + pin.version, pin_note(pin)});
  for (const auto& problem : report.pin_problems) rows.push_back({tr_text("pins"), "DAMAGED", problem});
  rows.push_back({tr_text("driver loaded"), or_none(machine.driver_loaded),
                  tr_text("the module in the running kernel")});
  rows.push_back({tr_text("driver on disk"), or_none(machine.driver_on_disk), disk_note(machine)});
  rows.push_back({tr_text("highest CUDA"), or_none(report.highest),
                  tr_text("what this driver can run; nvidia-smi prints this, not the toolkit")});
  rows.push_back({"nvcc", or_none(machine.nvcc), tr_text("the compiler of the toolkit in /opt/cuda")});
  rows.push_back(
      {"libcudart", or_none(machine.libcudart), tr_text("the runtime of the toolkit in /opt/cuda")});
  rows.push_back({"cuDNN", or_none(machine.cudnn), tr_text("the library that frameworks load")});
  for (const auto& gpu : machine.gpus)
    rows.push_back({"GPU", gpu.name.empty() ? gpu.pci_id : gpu.name,
                    gpu.capability.empty()
                        ? tr_text("unknown generation; name it with --gpu")
                        : tr("{}, compute capability {}", gpu.generation, gpu.capability)});
  if (machine.gpus.empty())
    rows.push_back({"GPU", tr_text("none"), tr_text("no NVIDIA GPU was found on the PCI bus")});
  for (const auto& freeze : report.freezes)
    rows.push_back({tr_text("frozen"),
                    freeze.packages.empty() ? tr_text("every package") : join(freeze.packages, " "),
                    tr("by {} until {}: {}", freeze.owner, time_text(freeze.end), freeze.reason)});
  for (const auto& process : report.work)
    rows.push_back({tr_text("computing"), fmt::format("pid {}", process.pid), process_note(process, host)});
  if (report.work.empty())
    rows.push_back(
        {tr_text("computing"), tr_text("nothing"), tr_text("no process has the GPU's compute device open")});
  return rows;
}

nlohmann::json to_json(const Report& report, const Host& host) {
  const auto age = report.pins_age(host);
  auto pins = nlohmann::json::array();
  for (const auto& pin : report.pins)
    pins.push_back({{"name", pin.name},
                    {"version", pin.version},
                    {"installed", pin.installed},
                    {"in_force", pin.in_force},
                    {"drift", pin.has_drifted()}});
  auto gpus = nlohmann::json::array();
  for (const auto& gpu : report.machine.gpus)
    gpus.push_back({{"name", gpu.name},
                    {"pci_id", gpu.pci_id},
                    {"address", gpu.address},
                    {"generation", gpu.generation},
                    {"capability", gpu.capability}});
  auto work = nlohmann::json::array();
  for (const auto& process : report.work)
    work.push_back({{"pid", process.pid},
                    {"uid", process.uid},
                    {"user", process.user},
                    {"gpus", process.gpus},
                    {"started", process.started},
                    {"command", process.command}});
  auto freezes = nlohmann::json::array();
  for (const auto& freeze : report.freezes)
    freezes.push_back({{"owner", freeze.owner},
                       {"until", utc_text(freeze.end, "%FT%TZ")},
                       {"packages", freeze.packages},
                       {"reason", freeze.reason}});
  return {{"schema", 1},
          {"profile", report.state ? nlohmann::json(report.state->profile) : nlohmann::json(nullptr)},
          {"since", report.state ? nlohmann::json(report.state->since) : nlohmann::json(nullptr)},
          {"pins_age", age ? nlohmann::json(*age) : nlohmann::json(nullptr)},
          {"pins", pins},
          {"drift", report.has_drifted()},
          {"pin_problems", report.pin_problems},
          {"driver",
           {{"loaded", report.machine.driver_loaded},
            {"on_disk", report.machine.driver_on_disk},
            {"skew", report.has_driver_skew()},
            {"highest_cuda", report.highest}}},
          {"nvcc", report.machine.nvcc},
          {"libcudart", report.machine.libcudart},
          {"cudnn", report.machine.cudnn},
          {"kernel", report.machine.kernel},
          {"gpus", gpus},
          {"computing", work},
          {"freezes", freezes},
          {"blocked",
           {{"transactions", report.blocked.size()},
            {"last", report.blocked.empty() ? nlohmann::json(nullptr)
                                            : nlohmann::json(utc_text(report.blocked.back(), "%FT%TZ"))}}},
          {"recovery_due", !report.recovery.empty()}};
}

}  // namespace

ExitStatus status(const StatusOptions& options, const Host& host) {
  const auto report = gather_report(host);
  tell_guard_of_new_cards(host, report.machine.gpus);
  if (options.json) {
    *host.out << json_text(to_json(report, host));
    return ExitStatus::done;
  }
  *host.out << table(rows_of(report, host), style_of(host));
  if (!report.pin_problems.empty()) *host.out << tr_text("next: sudo cudapin pin --repair\n");
  return ExitStatus::done;
}

}  // namespace cudapin
