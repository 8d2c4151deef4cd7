// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_text.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <charconv>

namespace cudapin {

namespace {

constexpr std::string_view pins_line = "# cudapin pins 1";
constexpr std::string_view bounds_line = "# cudapin bounds 1";
constexpr std::string_view freezes_line = "# cudapin freezes 1";
constexpr std::string_view allowances_line = "# cudapin allowances 1";
constexpr std::string_view profile_word = "# profile ";

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@._+-") ==
             text.npos;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One word for a line of words: what would end it becomes `_`.
std::string as_word(std::string_view text) {
  auto word = printable(text);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word.empty() ? "-" : word;
}

std::string packages_word(const std::vector<std::string>& packages) {
  return packages.empty() ? "*" : join(packages, ",");
}

std::optional<std::vector<std::string>> parse_packages(std::string_view word) {
  if (word == "*") return std::vector<std::string>{};
  auto names = split(word, ",");
  if (names.empty() || !std::all_of(names.begin(), names.end(), is_name)) return std::nullopt;
  return names;
}

std::string rest_of(const std::vector<std::string>& words, std::size_t from) {
  return join({words.begin() + static_cast<std::ptrdiff_t>(from), words.end()}, " ");
}

/// The lines after the one that names the file, each given to `read`, which says whether it makes sense.
template <typename Read>
bool read_lines(std::string_view text, std::string_view first, Read read) {
  const auto lines = split(text, "\n");
  return !lines.empty() && lines[0] == first && std::all_of(lines.begin() + 1, lines.end(), read);
}

bool read_limit(const std::vector<std::string>& words, Bounds& bounds) {
  const bool is_family =
      words.size() > 4 && (words[1] == "driver" || words[1] == "toolkit" || words[1] == "cudnn");
  if (!is_family || words[2].find_first_not_of("0123456789.") != std::string::npos) return false;
  bounds.limits.push_back({words[1], words[2], words[3], rest_of(words, 4)});
  return true;
}

std::optional<bool> truth(std::string_view text) {
  if (text == "true" || text == "yes") return true;
  if (text == "false" || text == "no") return false;
  return std::nullopt;
}

bool read_setting(std::string_view key, std::string_view value, GuardPolicy& policy) {
  if (key == "on-error" && (value == "allow" || value == "block")) {
    policy.blocks_on_error = value == "block";
    return true;
  }
  if (key == "strict" && truth(value)) {
    policy.strict = *truth(value);
    return true;
  }
  if (key != "ignore-processes") return false;
  for (auto& pattern : split(value, " \t")) policy.ignored_processes.push_back(std::move(pattern));
  return true;
}

}  // namespace

std::string pin_state_text(const PinState& pins) {
  auto text = std::string(pins_line) + '\n' + std::string(profile_word) + printable(pins.profile) + '\n';
  for (const auto& [name, version] : pins.versions) text += name + ' ' + version + '\n';
  return text;
}

std::optional<PinState> parse_pin_state(std::string_view text) {
  PinState pins;
  const bool whole = read_lines(text, pins_line, [&](const std::string& line) {
    if (line.starts_with(profile_word)) {
      pins.profile = line.substr(profile_word.size());
      return true;
    }
    const auto words = split(line, " ");
    return words.size() == 2 && is_name(words[0]) && pins.versions.emplace(words[0], words[1]).second;
  });
  return whole ? std::optional(std::move(pins)) : std::nullopt;
}

std::string bounds_text(const Bounds& bounds) {
  auto text = std::string(bounds_line) + '\n';
  if (!bounds.cards.empty()) text += "cards " + join(bounds.cards, " ") + '\n';
  for (const auto& limit : bounds.limits)
    text += "last " + limit.family + ' ' + limit.last + ' ' + as_word(limit.release) + ' ' +
            printable(limit.card) + '\n';
  for (const auto& name : bounds.drivers) text += "driver-package " + name + '\n';
  return text;
}

std::optional<Bounds> parse_bounds(std::string_view text) {
  Bounds bounds;
  const bool whole = read_lines(text, bounds_line, [&](const std::string& line) {
    const auto words = split(line, " ");
    if (words.empty()) return false;
    if (words[0] == "last") return read_limit(words, bounds);
    if (words[0] == "cards") return bounds.cards.assign(words.begin() + 1, words.end()), true;
    if (words[0] != "driver-package" || words.size() != 2 || !is_name(words[1])) return false;
    bounds.drivers.push_back(words[1]);
    return true;
  });
  return whole ? std::optional(std::move(bounds)) : std::nullopt;
}

std::string freezes_text(std::span<const Freeze> freezes) {
  auto text = std::string(freezes_line) + '\n';
  for (const auto& freeze : freezes)
    text += std::to_string(freeze.end) + ' ' + as_word(freeze.owner) + ' ' + packages_word(freeze.packages) +
            ' ' + printable(freeze.reason) + '\n';
  return text;
}

std::optional<std::vector<Freeze>> parse_freezes(std::string_view text) {
  std::vector<Freeze> freezes;
  const bool whole = read_lines(text, freezes_line, [&](const std::string& line) {
    const auto words = split(line, " ");
    if (words.size() < 4) return false;
    const auto end = number(words[0]);
    auto packages = parse_packages(words[2]);
    if (!end || !packages) return false;
    freezes.push_back({*end, words[1], std::move(*packages), rest_of(words, 3)});
    return true;
  });
  return whole ? std::optional(std::move(freezes)) : std::nullopt;
}

std::string allowances_text(std::span<const Allowance> allowances) {
  auto text = std::string(allowances_line) + '\n';
  for (const auto& allowance : allowances)
    text += std::string(allowance.once ? "once " : "until ") + std::to_string(allowance.end) + ' ' +
            as_word(allowance.owner) + ' ' + packages_word(allowance.packages) + '\n';
  return text;
}

std::optional<std::vector<Allowance>> parse_allowances(std::string_view text) {
  std::vector<Allowance> allowances;
  const bool whole = read_lines(text, allowances_line, [&](const std::string& line) {
    const auto words = split(line, " ");
    if (words.size() != 4 || (words[0] != "once" && words[0] != "until")) return false;
    const auto end = number(words[1]);
    auto packages = parse_packages(words[3]);
    if (!end || !packages) return false;
    allowances.push_back({words[0] == "once", *end, words[2], std::move(*packages)});
    return true;
  });
  return whole ? std::optional(std::move(allowances)) : std::nullopt;
}

GuardPolicy parse_policy(std::string_view text, std::vector<std::string>& problems) {
  GuardPolicy policy;
  for (const auto& line : split(text, "\r\n")) {
    const auto content = trim(line);
    if (content.empty() || content.starts_with('#')) continue;
    const auto equals = std::min(content.find('='), content.size());
    const auto value = trim(content.substr(std::min(equals + 1, content.size())));
    if (!read_setting(trim(content.substr(0, equals)), value, policy)) problems.emplace_back(content);
  }
  return policy;
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
  constexpr std::string_view units = "mhdw";
  constexpr std::int64_t seconds[] = {60, 3600, 86400, 604800};
  constexpr std::int64_t most = 366 * 86400;
  std::int64_t sum = 0;
  while (!text.empty()) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto value = number(text.substr(0, digits));
    const auto unit = digits < text.size() ? units.find(text[digits]) : units.npos;
    if (!value || unit == units.npos || *value > most) return std::nullopt;
    sum += *value * seconds[unit];
    text.remove_prefix(digits + 1);
  }
  return sum > 0 && sum <= most ? std::optional(sum) : std::nullopt;
}

}  // namespace cudapin
