// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

// The guard's plain text files. Each begins with a line that names it; a parser gives nothing when the text
// is not such a file throughout.

/// `# profile NAME`, then `name version` a line.
std::string pin_state_text(const PinState& pins);
std::optional<PinState> parse_pin_state(std::string_view text);

/// `cards ID…`, `last FAMILY LAST RELEASE CARD…`, `driver-package NAME`.
std::string bounds_text(const Bounds& bounds);
std::optional<Bounds> parse_bounds(std::string_view text);

/// `END OWNER PACKAGES REASON…` a line; PACKAGES is `*` or names separated by commas.
std::string freezes_text(std::span<const Freeze> freezes);
std::optional<std::vector<Freeze>> parse_freezes(std::string_view text);

/// `once|until END OWNER PACKAGES` a line.
std::string allowances_text(std::span<const Allowance> allowances);
std::optional<std::vector<Allowance>> parse_allowances(std::string_view text);

/// guard.conf: `key = value` lines. A line that makes no sense is reported in `problems` and passed over.
GuardPolicy parse_policy(std::string_view text, std::vector<std::string>& problems);

/// "3d", "10m", "2h", "1d12h" in seconds; nothing for anything else, zero and more than a year included.
std::optional<std::int64_t> parse_duration(std::string_view text);

}  // namespace cudapin
