// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// The parts joined by `separator`.
std::string join(std::span<const std::string> parts, std::string_view separator);

/// The non-empty pieces of `text` between any of `separators`.
std::vector<std::string> split(std::string_view text, std::string_view separators);

/// Without white space at both ends.
std::string_view trim(std::string_view text);

/// 1536 -> "1.5 KiB"; binary units, one decimal, as pacman prints sizes.
std::string human_size(std::uint64_t bytes);

/// A moment in seconds since 1970, in UTC and as strftime's `form` says; empty when it is no moment.
std::string utc_text(std::int64_t seconds, const char* form);

/// Safe for a terminal and a log: control characters, escapes and invalid UTF-8 become `?`.
std::string printable(std::string_view text);

/// Every byte outside RFC 3986's unreserved set as %XX (so `:` and `+` too).
std::string percent_encode(std::string_view text);

/// Undoes %XX; a `%` without two hexadecimal digits stays as it is.
std::string percent_decode(std::string_view text);

/// The candidate nearest to `word` by edit distance, or empty when none is near enough to be a typing slip.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace cudapin
