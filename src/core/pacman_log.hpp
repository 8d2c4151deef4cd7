// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// "upgraded nvidia-utils (460.56-1 -> 460.73.01-1) at 2021-04-22T03:10:00+0000": the last line of pacman.log
/// about a package, or empty.
std::string last_change(std::string_view log, std::string_view package);

/// What became of the last full upgrade.
struct UpgradeSeen {
  enum class End { none, completed, nothing_to_do, refused, broken };
  End end = End::none;  ///< refused: before anything changed; broken: while it changed
  std::string time;     ///< when it began
};

UpgradeSeen last_upgrade(std::string_view log);

/// Who speaks in the lines that cudapin itself writes there, one before each of its transactions.
inline constexpr const char* own_log_prefix = "CUDAPIN";

/// Packages that pacman installed or upgraded after databases were synchronized without a full upgrade.
/// cudapin takes its own from where they stood together, and a keyring may come alone.
struct PartialUpgrade {
  std::string time;  ///< of the synchronization
  std::vector<std::string> packages;
};

PartialUpgrade partial_upgrade(std::string_view log);

}  // namespace cudapin
