// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile_words.hpp"

#include "core/text.hpp"
#include "core/version_range.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace cudapin {

namespace {

constexpr std::array<std::string_view, 6> foundation{"gcc",    "gcc-libs",  "glibc",
                                                     "libgcc", "libstdc++", "pacman"};

constexpr std::array<std::string_view, 6> operators{"", "=", ">=", "<=", ">", "<"};

constexpr std::string_view digits = "0123456789";
constexpr std::string_view lower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool contains(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

/// Whether `text` starts with one of `first` and goes on with those or `rest`.
bool is_word(std::string_view text, const std::string& first, std::string_view rest) {
  return !text.empty() && first.find(text[0]) != first.npos &&
         text.find_first_not_of(first + std::string(rest)) == text.npos;
}

/// The leading dotted numbers: `9.1.85.3-5` gives 9, 1, 85, 3.
std::vector<int> leading_numbers(std::string_view version) {
  std::vector<int> numbers;
  for (const auto& piece : split(version.substr(0, version.find('-')), ".")) {
    const auto* end = piece.data() + piece.size();
    int number = 0;
    if (const auto result = std::from_chars(piece.data(), end, number);
        result.ec != std::errc{} || result.ptr != end)
      break;
    numbers.push_back(number);
  }
  return numbers;
}

/// What a version given for cuda belongs to, when not to CUDA. Drivers have three digits. CUDA had 8.0
/// and 9.0 to 9.2 with a third number of 27 or more (8.0.61, 9.1.85.3), where cuDNN has a small one
/// (8.0.4.30).
std::string mistaken_for_cuda(std::string_view version) {
  const auto parts = leading_numbers(version);
  if (parts.empty()) return {};
  if (parts[0] >= 100) return "driver";
  if (parts[0] != 8 && parts[0] != 9) return {};
  const bool is_no_minor = parts.size() > 1 && parts[1] > (parts[0] == 8 ? 0 : 2);
  return is_no_minor || (parts.size() > 2 && parts[2] < 10) ? "cudnn" : "";
}

}  // namespace

bool is_profile_name(std::string_view text) {
  return is_word(text, std::string(lower).append(digits), ".+-");
}

bool is_foundation(std::string_view package) { return contains(foundation, package); }

bool is_variable(std::string_view text) { return is_word(text, std::string(upper) + "_", digits); }

bool is_loading_variable(std::string_view name) {
  constexpr std::array<std::string_view, 4> names{"PATH", "IFS", "ENV", "BASH_ENV"};
  return name.starts_with("LD_") || contains(names, name);
}

bool is_date(const std::string& text) {
  const auto is_digit = [](char c) { return digits.find(c) != digits.npos; };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || std::ranges::count_if(text, is_digit) != 8)
    return false;
  const auto number = [&](std::size_t at, std::size_t size) { return std::stoi(text.substr(at, size)); };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

std::string version_problem(const std::string& package, const std::string& text) {
  for (const auto& version : package == "cuda" ? versions_in(text) : std::vector<std::string>{})
    if (const auto other = mistaken_for_cuda(version); !other.empty())
      return tr("'{}' is no CUDA version, did you mean {}?{}", text, other,
                other == "driver" ? tr_text(" (it goes under 'requires')") : "");
  if (is_range(text)) return range_problem(text);
  if (Version::parse(text)) return {};
  if (Version::parse(text + "-1"))
    return tr("'{0}' is no exact version: the pkgrel is missing, as in {0}-1 or {0}-*", text);
  return tr("'{}' is no package version", text);
}

std::optional<Dependency> whole_dependency(const std::string& text) {
  auto dependency = parse_dependency(text);
  const bool is_whole = dependency.text() == text && is_package_name(dependency.name) &&
                        contains(operators, dependency.op) &&
                        std::ranges::all_of(dependency.version, [](char c) { return c > ' ' && c < 0x7F; });
  return is_whole ? std::optional(std::move(dependency)) : std::nullopt;
}

}  // namespace cudapin
