// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>
#include <utility>

namespace cudapin {

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != text.npos;) {
    const auto end = std::min(text.find_first_of(separators, at), text.size());
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(blank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string human_size(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  if (unit == 0) return std::to_string(bytes) + " B";
  const auto tenths = static_cast<std::uint64_t>(size * 10 + 0.5);
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + ' ' + units[unit];
}

std::string utc_text(std::int64_t seconds, const char* form) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32] = "";
  if (::gmtime_r(&time, &parts)) std::strftime(text, sizeof text, form, &parts);
  return text;
}

namespace {

/// Length of the valid UTF-8 sequence at the start of `text`, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80       ? 1
                             : byte(0) >> 5 == 6  ? 2
                             : byte(0) >> 4 == 14 ? 3
                             : byte(0) >> 3 == 30 ? 4
                                                  : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2) return 0;
  const bool overlong = (length == 2 && byte(0) < 0xC2) ||
                        (length == 3 && byte(0) == 0xE0 && byte(1) < 0xA0) ||
                        (length == 4 && byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate = length == 3 && byte(0) == 0xED && byte(1) > 0x9F;
  const bool beyond = length == 4 && (byte(0) > 0xF4 || (byte(0) == 0xF4 && byte(1) > 0x8F));
  return overlong || surrogate || beyond ? 0 : length;
}

/// C0, DEL and C1 controls, and the bidirectional overrides that make a line read differently from what it
/// says.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  if (sequence.size() == 2) return first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
  return sequence.size() == 3 && (sequence == "\u202A" || sequence == "\u202B" || sequence == "\u202C" ||
                                  sequence == "\u202D" || sequence == "\u202E" || sequence == "\u2066" ||
                                  sequence == "\u2067" || sequence == "\u2068" || sequence == "\u2069");
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const auto replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const auto length = utf8_length(text);
    const auto sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(sequence))
      clean += '?';
    else
      clean += sequence;
    text.remove_prefix(sequence.size());
  }
  return clean;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      encoded += c;
    else
      encoded.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return encoded;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    decoded += escaped ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : text[i];
    if (escaped) i += 2;
  }
  return decoded;
}

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    if (distance < best_distance) best = &candidate, best_distance = distance;
  }
  return best ? *best : std::string{};
}

}  // namespace cudapin
