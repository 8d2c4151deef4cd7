// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pacman_log.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace cudapin {

namespace {

/// `[2026-11-30T20:15:00+0000] [ALPM] upgraded cuda (12.3.0-1 -> 13.0.0-1)`; before pacman 5.2 the time had a
/// blank and no seconds.
struct Line {
  std::string_view time;
  std::string_view sender;
  std::string_view text;
};

Line parse_line(std::string_view line) {
  const auto first = line.find("] [");
  const auto second = first == line.npos ? line.npos : line.find("] ", first + 3);
  if (!line.starts_with('[') || second == line.npos) return {};
  return {line.substr(1, first - 1), line.substr(first + 3, second - first - 3),
          trim(line.substr(second + 2))};
}

void for_each_line(std::string_view log, const std::function<void(const Line&)>& read) {
  while (!log.empty()) {
    const auto end = log.find('\n');
    if (const auto line = parse_line(log.substr(0, end)); !line.text.empty()) read(line);
    log.remove_prefix(end == log.npos ? log.size() : end + 1);
  }
}

bool changes_package(const Line& line) {
  if (line.sender != "ALPM") return false;
  for (const std::string_view verb : {"upgraded ", "downgraded ", "installed ", "reinstalled "})
    if (line.text.starts_with(verb)) return true;
  return false;
}

std::string_view package_of(const Line& line) {
  auto rest = line.text.substr(line.text.find(' ') + 1);
  return rest.substr(0, rest.find(' '));
}

}  // namespace

std::string last_change(std::string_view log, std::string_view package) {
  std::string last;
  for_each_line(log, [&](const Line& line) {
    if (changes_package(line) && package_of(line) == package)
      last = fmt::format("{} at {}", line.text, line.time);
  });
  return last;
}

UpgradeSeen last_upgrade(std::string_view log) {
  using End = UpgradeSeen::End;
  UpgradeSeen seen;
  bool open = false;
  for_each_line(log, [&](const Line& line) {
    if (line.text.find("starting full system upgrade") != line.text.npos) {
      seen = {End::nothing_to_do, std::string(line.time)};
      open = true;
    } else if (!open) {
      return;
    } else if (line.sender == "PACMAN" && line.text.starts_with("Running '")) {
      open = false;
    } else if (line.text == "transaction started") {
      seen.end = End::broken;
    } else if (line.text == "transaction completed") {
      seen.end = End::completed;
      open = false;
    } else if (line.text.starts_with("running '") && seen.end == End::nothing_to_do) {
      seen.end = End::refused;
    }
  });
  return seen;
}

PartialUpgrade partial_upgrade(std::string_view log) {
  PartialUpgrade partial;
  bool synchronized = false;
  bool is_pacmans = true;
  for_each_line(log, [&](const Line& line) {
    if (line.sender == "PACMAN" || line.sender == own_log_prefix) is_pacmans = line.sender == "PACMAN";
    if (line.text.find("synchronizing package lists") != line.text.npos) {
      partial = {std::string(line.time), {}};
      synchronized = true;
    } else if (line.text.find("starting full system upgrade") != line.text.npos) {
      partial = {};
      synchronized = false;
    } else if (synchronized && is_pacmans && changes_package(line)) {
      const std::string name(package_of(line));
      if (!name.ends_with("-keyring") && std::ranges::count(partial.packages, name) == 0)
        partial.packages.push_back(name);
    }
  });
  return partial;
}

}  // namespace cudapin
