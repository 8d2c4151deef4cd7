// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/version_range.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

constexpr std::string_view range_characters = "<>=*";

/// With or without a pkgrel. A version may hold more characters than these, but where bounds meet they are
/// slips: commas, bars, other operators.
bool is_version(std::string_view text) {
  constexpr std::string_view slips = ",;|&<>=*^~!'\"()[]{}";
  return text.find_first_of(slips) == text.npos &&
         (Version::parse(text) || Version::parse(std::string(text) + "-1"));
}

/// What stands before the `*`, or nothing: a wildcard is a version cut off at a dot or at its dash.
std::optional<std::string> wildcard_start(std::string_view text) {
  const bool is_cut = text.ends_with(".*") || text.ends_with("-*");
  if (!is_cut || text.find_first_of("<>= ") != text.npos) return std::nullopt;
  const auto start = text.substr(0, text.size() - 1);
  const auto version = start.substr(0, start.size() - 1);
  const bool is_whole = is_version(version) && (start.ends_with('.') || version.find('-') == version.npos);
  return is_whole ? std::optional(std::string(start)) : std::nullopt;
}

std::optional<std::vector<Dependency>> parse_bounds(std::string_view text) {
  constexpr std::array<std::string_view, 5> operators{"=", ">=", "<=", ">", "<"};
  std::vector<Dependency> bounds;
  for (const auto& word : split(text, " ")) {
    auto bound = parse_dependency(word);
    if (!bound.name.empty() || std::ranges::find(operators, bound.op) == operators.end() ||
        !is_version(bound.version))
      return std::nullopt;
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

/// Whether no version can be above the one bound and below the other.
bool exclude(const Dependency& low, const Dependency& high) {
  if (low.op.starts_with('<') || high.op.starts_with('>')) return false;
  const int order = compare_versions(low.version, high.version);
  return order > 0 || (order == 0 && (low.op == ">" || high.op == "<"));
}

bool is_empty(const std::vector<Dependency>& bounds) {
  return std::ranges::any_of(bounds, [&](const Dependency& low) {
    return std::ranges::any_of(bounds,
                               [&](const Dependency& high) { return &low != &high && exclude(low, high); });
  });
}

}  // namespace

bool is_range(std::string_view text) { return text.find_first_of(range_characters) != text.npos; }

std::string range_problem(const std::string& text) {
  if (text.find('*') != text.npos)
    return wildcard_start(text) ? ""
                                : tr("'{}' is no wildcard: a version up to a dot or dash and then "
                                     "'*', as in 8.0.*",
                                     text);
  const auto bounds = parse_bounds(text);
  if (!bounds || bounds->empty())
    return tr("'{}' is no range: bounds with blanks between them, as in \">=455.23 <460\"", text);
  return is_empty(*bounds) ? tr("no version can meet '{}'", text) : "";
}

std::vector<std::string> versions_in(std::string_view text) {
  auto versions = split(text, "<>=* ");
  for (auto& version : versions)
    if (version.ends_with('.') || version.ends_with('-')) version.pop_back();
  return versions;
}

std::optional<VersionRange> VersionRange::parse(const std::string& text) {
  if (!range_problem(text).empty()) return std::nullopt;
  VersionRange range;
  range.text_ = text;
  if (auto start = wildcard_start(text))
    range.start_ = std::move(*start);
  else
    range.bounds_ = *parse_bounds(text);
  return range;
}

bool VersionRange::holds(const Version& version) const {
  if (start_.empty())
    return std::ranges::all_of(bounds_,
                               [&](const Dependency& bound) { return version_meets(bound, version.text()); });
  // Without an epoch of its own a wildcard means any.
  auto text = std::string_view(version.text());
  if (start_.find(':') == start_.npos) text.remove_prefix(text.find(':') + 1);
  return text.starts_with(start_) ||
         (start_.ends_with('.') &&
          text.substr(0, text.rfind('-')) == std::string_view(start_).substr(0, start_.size() - 1));
}

}  // namespace cudapin
