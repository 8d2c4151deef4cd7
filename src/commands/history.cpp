// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/history.hpp"

#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/state.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>

namespace cudapin {

namespace {

std::string or_none(const std::string& profile) { return profile.empty() ? tr_text("no profile") : profile; }

std::string note_of(const HistoryEntry& entry) {
  std::vector<std::string> changes;
  for (const auto& change : entry.changes)
    changes.push_back(change.from.empty() ? tr("{} {} installed", change.name, change.to)
                      : change.to.empty() ? tr("{} {} removed", change.name, change.from)
                                          : fmt::format("{} {} -> {}", change.name, change.from, change.to));
  auto note =
      fmt::format("{}: {} -> {}, {}", entry.user, or_none(entry.from), or_none(entry.to), entry.result);
  if (!changes.empty()) note += "; " + join(changes, ", ");
  return entry.why.empty() ? note : note + " (" + entry.why + ")";
}

}  // namespace

ExitStatus history(const HistoryOptions& options, const Host& host) {
  const auto entries = read_history(host);
  if (options.json) {
    auto changes = nlohmann::json::array();
    for (const auto& entry : entries) changes.push_back(nlohmann::json::parse(to_line(entry)));
    *host.out << json_text(nlohmann::json{{"schema", 1}, {"changes", changes}});
    return ExitStatus::done;
  }
  std::vector<Row> rows;
  for (const auto& entry : entries) rows.push_back({entry.time, entry.command, note_of(entry)});
  *host.out << table(rows, style_of(host));
  if (entries.empty() && !options.quiet) *host.out << tr_text("no change is on record\n");
  return ExitStatus::done;
}

}  // namespace cudapin
