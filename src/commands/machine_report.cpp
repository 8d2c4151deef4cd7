// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/machine_report.hpp"

#include "commands/apply.hpp"
#include "core/moment.hpp"
#include "core/text.hpp"
#include "system/files.hpp"
#include "system/guard_files.hpp"
#include "system/local_database.hpp"
#include "system/pacman_conf.hpp"

#include <algorithm>
#include <charconv>

namespace cudapin {

namespace {

std::vector<PinStatus> pins_of(const Host& host, const std::optional<State>& state) {
  if (!state) return {};
  const auto conf = read_pacman_conf(host);
  const LocalDatabase database(conf);
  std::vector<PinStatus> pins;
  for (const auto& [name, version] : state->pins) {
    const auto now = database.find(name);
    pins.push_back({name, version, now ? now->version : "",
                    std::ranges::find(conf.ignore_pkg, name) != conf.ignore_pkg.end()});
  }
  return pins;
}

std::vector<std::int64_t> blocked_of(const Host& host) {
  std::vector<std::int64_t> moments;
  for (const auto& line : split(read_file_if_exists(host.at(state_folder) / "blocked"), "\n")) {
    std::int64_t moment = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), moment);
    if (error == std::errc{} && rest == line.data() + line.size()) moments.push_back(moment);
  }
  return moments;
}

std::vector<Freeze> freezes_of(const Host& host) {
  GuardInput input;
  GuardFiles(host.root.string()).read(input);
  const auto now = std::chrono::system_clock::to_time_t(host.now());
  std::erase_if(input.freezes, [now](const Freeze& freeze) { return freeze.end <= now; });
  return input.freezes;
}

}  // namespace

bool Report::has_drifted() const { return std::ranges::any_of(pins, &PinStatus::has_drifted); }

bool Report::has_driver_skew() const {
  return !machine.driver_loaded.empty() && !machine.driver_on_disk.empty() &&
         machine.driver_loaded != machine.driver_on_disk;
}

std::optional<std::int64_t> Report::pins_age(const Host& host) const {
  const auto since = state ? utc_seconds(state->since) : std::nullopt;
  if (!since) return since;
  return std::max<std::int64_t>(0, std::chrono::system_clock::to_time_t(host.now()) - *since);
}

Report gather_report(const Host& host) {
  Report report{.state = read_state(host),
                .machine = inspect_machine(host),
                .work = compute_processes(host),
                .recovery = recovery_notice(host)};
  report.blocked = blocked_of(host);
  report.freezes = freezes_of(host);
  report.subscribed = subscriptions(host);
  report.pins = pins_of(host, report.state);
  if (report.recovery.empty()) report.pin_problems = pin_problems_of(host, report.state);
  const auto& machine = report.machine;
  report.highest =
      highest_cuda(machine.driver_loaded.empty() ? machine.driver_on_disk : machine.driver_loaded);
  return report;
}

}  // namespace cudapin
