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

#include <algorithm>
#include <array>
#include <ostream>

namespace cudapin {

namespace {

std::string or_none(const std::string& profile) { return profile.empty() ? tr_text("no profile") : profile; }

/// What is on record is English, for programs; who reads it here reads their language.
std::string result_text(const std::string& result) {
  constexpr std::array known{tr_later("done"), tr_later("finished after an interruption"),
                             tr_later("taken back")};
  const auto found = std::ranges::find(known, result);
  return found == known.end() ? result : tr_text(*found);
}

std::string change_text(const Change& change) {
  return change.from.empty() ? tr("{} installed", change.to)
         : change.to.empty() ? tr("{} removed", change.from)
                             : change.from + " -> " + change.to;
}

/// Its head, and indented below it who, what came of it, why, and the packages.
std::string entry_text(const HistoryEntry& entry, const Style& style) {
  const auto result = result_text(entry.result);
  const auto who = entry.from == entry.to ? tr("by {}, {}", entry.user, result)
                                          : tr("by {}: {} -> {}, {}", entry.user, or_none(entry.from),
                                               or_none(entry.to), result);
  auto text = printable(entry.time) + "  " + printable(entry.command) + '\n';
  for (const auto& line : {who, entry.why})
    if (!line.empty()) text += "  " + wrap(printable(line), 2, style.columns) + '\n';
  std::vector<Row> rows;
  for (const auto& change : entry.changes) rows.push_back({"  " + change.name, change_text(change), ""});
  return text + table(rows, style);
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
  for (const auto& entry : entries) *host.out << entry_text(entry, style_of(host));
  if (entries.empty() && !options.quiet) *host.out << tr_text("no change is on record\n");
  return ExitStatus::done;
}

}  // namespace cudapin
