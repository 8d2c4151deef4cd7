// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/history.hpp"

#include <nlohmann/json.hpp>

namespace cudapin {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Change, name, from, to)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HistoryEntry, time, user, command, from, to, changes, result,
                                                why)

std::string to_line(const HistoryEntry& entry) {
  return nlohmann::json(entry).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<HistoryEntry> parse_history_line(std::string_view line) {
  try {
    auto entry = nlohmann::json::parse(line).get<HistoryEntry>();
    if (!entry.time.empty()) return entry;
  } catch (const nlohmann::json::exception&) {  // no entry
  }
  return std::nullopt;
}

}  // namespace cudapin
