// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cudapin {

/// The moment in seconds since 1970 that a text of the form YYYY-MM-DDTHH:MM:SSZ means; nothing for any
/// other.
std::optional<std::int64_t> utc_seconds(const std::string& text);

}  // namespace cudapin
