// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What pacman is about to do with a package; `change` where that was not recorded.
enum class Operation { install, upgrade, remove, change };

/// "install", "upgrade", "remove", "change".
std::string_view operation_word(Operation operation);

struct GuardTarget {
  std::string name;
  Operation operation;
  friend bool operator==(const GuardTarget&, const GuardTarget&) = default;
};

/// What must stay as it is, and which profile says so.
struct PinState {
  std::string profile;
  std::map<std::string, std::string> versions;  ///< by package name
  friend bool operator==(const PinState&, const PinState&) = default;
};

/// The guard's file of pins: two header lines, then `name version` a line.
std::string pin_state_text(const PinState& pins);

/// Nothing when `text` is not such a file throughout.
std::optional<PinState> parse_pin_state(std::string_view text);

/// All that a decision rests on.
struct GuardInput {
  std::vector<GuardTarget> targets;
  PinState pins;
  bool is_own = false;  ///< cudapin's own transaction, proved by its token
};

struct Verdict {
  bool blocks = false;
  std::vector<std::string> lines;  ///< what to tell: at most 20, safe for a terminal; none when it passes
};

/// Goes through the table of rules; one objection blocks.
Verdict judge(const GuardInput& input);

}  // namespace cudapin
