// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// One package of a change. Empty versions: not installed before, or not afterwards.
struct Change {
  std::string name;
  std::string from;
  std::string to;

  friend bool operator==(const Change&, const Change&) = default;
};

/// One line of history: who did what, when and with which result.
struct HistoryEntry {
  std::string time;     ///< ISO 8601, UTC
  std::string user;     ///< login name behind sudo, else the effective user
  std::string command;  ///< "use ampere-11.1"
  std::string from;     ///< active profile before, or empty
  std::string to;       ///< active profile after, or empty
  std::vector<Change> changes;
  std::string result;  ///< "done", "finished after an interruption", "taken back"
  std::string why;     ///< of the command, in words; may be empty

  friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

/// One JSON object in one line, without the line end.
std::string to_line(const HistoryEntry& entry);

/// Nothing for a line that is no entry (a torn last line after a power cut).
std::optional<HistoryEntry> parse_history_line(std::string_view line);

}  // namespace cudapin
