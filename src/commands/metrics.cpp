// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"
#include "commands/machine_report.hpp"
#include "core/moment.hpp"
#include "core/text.hpp"
#include "system/files.hpp"
#include "system/http.hpp"

#include <fmt/format.h>

#include <ostream>

namespace cudapin {

namespace {

/// The value of a label, as the text format wants it.
std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : printable(value)) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text;
}

/// Metrics as they are written: each with what it means and its type before it.
class Exposition {
 public:
  void describe(std::string_view name, std::string_view type, std::string_view meaning) {
    name_ = name;
    text_ += fmt::format("# HELP cudapin_{0} {2}\n# TYPE cudapin_{0} {1}\n", name, type, meaning);
  }
  void add(std::int64_t value, const std::string& labels = {}) {
    text_ += fmt::format("cudapin_{}{} {}\n", name_, labels.empty() ? "" : "{" + labels + "}", value);
  }
  void add(std::string_view name, std::string_view type, std::string_view meaning, std::int64_t value) {
    describe(name, type, meaning);
    add(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string_view name_;
  std::string text_;
};

std::int64_t drifted(const Report& report) {
  std::int64_t count = 0;
  for (const auto& pin : report.pins) count += pin.has_drifted() ? 1 : 0;
  return count;
}

void add_pins(Exposition& page, const Report& report, const Host& host) {
  page.describe("profile_active", "gauge", "Whether a profile is in force; its name is the label.");
  if (report.state)
    page.add(1, fmt::format("profile=\"{}\"", escaped(report.state->profile)));
  else
    page.add(0);
  page.add("pinned_packages", "gauge", "Packages that are pinned.",
           static_cast<std::int64_t>(report.pins.size()));
  page.add("drifted_packages", "gauge", "Pinned packages that are not at their pinned version.",
           drifted(report));
  page.add("pin_problems", "gauge", "Damages to the pins in pacman.conf or to the guard.",
           static_cast<std::int64_t>(report.pin_problems.size()));
  if (const auto age = report.pins_age(host))
    page.add("pins_age_seconds", "gauge", "Time since the profile was put in force.", *age);
  page.add("recovery_due", "gauge", "Whether an interrupted change waits to be finished.",
           !report.recovery.empty());
}

void add_work(Exposition& page, const Report& report) {
  page.describe("driver_skew", "gauge", "Whether the loaded driver differs from the one on disk.");
  page.add(report.has_driver_skew(),
           fmt::format("loaded=\"{}\",on_disk=\"{}\"", escaped(report.machine.driver_loaded),
                       escaped(report.machine.driver_on_disk)));
  page.add("running_work", "gauge", "Processes that compute on a GPU.",
           static_cast<std::int64_t>(report.work.size()));
  page.add("freezes", "gauge", "Freezes that hold now.", static_cast<std::int64_t>(report.freezes.size()));
  page.add("blocked_transactions_total", "counter", "Transactions of pacman that the guard has blocked.",
           static_cast<std::int64_t>(report.blocked.size()));
  if (!report.blocked.empty())
    page.add("last_blocked_timestamp_seconds", "gauge", "When it blocked the last one.",
             report.blocked.back());
}

void add_subscriptions(Exposition& page, const Report& report) {
  if (report.subscribed.empty()) return;
  page.describe("subscription_serial", "gauge", "The edition that is here.");
  for (const auto& one : report.subscribed)
    page.add(static_cast<std::int64_t>(one.serial),
             fmt::format("place=\"{}\"", escaped(shown_url(one.place))));
  page.describe("subscription_expires_timestamp_seconds", "gauge", "Until when that edition holds.");
  for (const auto& one : report.subscribed)
    page.add(utc_seconds(one.expires).value_or(0),
             fmt::format("place=\"{}\"", escaped(shown_url(one.place))));
}

}  // namespace

ExitStatus metrics(const MetricsOptions& options, const Host& host) {
  const auto report = gather_report(host);
  Exposition page;
  page.add("metrics_schema", "gauge", "Version of these metrics' names and meanings.", 1);
  add_pins(page, report, host);
  add_work(page, report);
  add_subscriptions(page, report);
  // Renamed into its place whole: node-exporter reads its folder at any moment.
  if (options.output.empty())
    *host.out << page.text();
  else
    replace_file(options.output, page.text());
  return ExitStatus::done;
}

}  // namespace cudapin
