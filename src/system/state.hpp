// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/history.hpp"
#include "system/files.hpp"
#include "system/host.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// What is in force on this machine: kept in the state folder, written only under the StateLock.
struct State {
  std::string profile;
  std::string origin;                       ///< the file the profile was read from
  std::string since;                        ///< ISO 8601, UTC
  std::map<std::string, std::string> pins;  ///< name -> version
  std::vector<std::string> own;             ///< of these, those that the person's own lines ignored before

  friend bool operator==(const State&, const State&) = default;
};

/// Nothing when no profile is active. Throws Error for a file that is damaged.
std::optional<State> read_state(const Host& host);
void write_state(const Host& host, const State& state);
void clear_state(const Host& host);

/// A State as JSON text and back; parse throws Error naming `origin`.
std::string to_json(const State& state);
State parse_state(const std::string& text, const std::string& origin);

/// Appends one synced line to history.
void append_history(const Host& host, const HistoryEntry& entry);
/// Oldest first; a torn last line is passed over.
std::vector<HistoryEntry> read_history(const Host& host);

/// Held by every command that changes something. Waits up to ten seconds for another cudapin, then throws
/// Error that names its pid. Released when the process ends, however it ends.
class StateLock {
 public:
  explicit StateLock(const Host& host);

 private:
  Fd file_;
};

/// The person behind this command: sudo's user, else the name of the process's own.
std::string acting_user(const Host& host);

/// `host.now()` as ISO 8601 in UTC, to the second.
std::string timestamp(const Host& host);

}  // namespace cudapin
