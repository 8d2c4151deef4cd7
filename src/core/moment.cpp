// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/moment.hpp"

#include "core/text.hpp"

#include <ctime>

namespace cudapin {

std::optional<std::int64_t> utc_seconds(const std::string& text) {
  std::tm parts{};
  const auto* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (!rest || *rest != '\0') return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(::timegm(&parts));
  // A day that is not in the calendar, a lax number of digits: then it is written in another way.
  return utc_text(seconds, "%FT%TZ") == text ? std::optional(seconds) : std::nullopt;
}

}  // namespace cudapin
