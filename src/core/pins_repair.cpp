// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.hpp"
#include "core/pins.hpp"
#include "core/pins_lines.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cudapin {

namespace {

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What pamac leaves of a line whose names it moved elsewhere.
bool is_blanked(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const auto names = ignored_by(trim(line.substr(1)));
  return names && names->empty();
}

std::optional<Block> whole_block(std::string_view text, const std::vector<Line>& lines) {
  try {
    return find_block(text, lines);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The lines in the block that are not cudapin's, ready to stand below it.
std::string foreign_lines(std::string_view text, const std::vector<Line>& lines, const Block& block,
                          std::span<const std::string> ours) {
  std::string kept;
  std::set<std::string> names;
  for (auto i = block.first + 1; i < block.last; ++i) {
    const auto line = content(text, lines[i]);
    if (const auto listed = ignored_by(line)) {
      for (const auto& name : *listed)
        if (!contains(ours, name)) names.insert(name);
    } else if (!is_blanked(line)) {
      kept += text.substr(lines[i].begin, lines[i].next - lines[i].begin);
    }
  }
  if (names.empty()) return kept;
  return fmt::format("{} = {}{}{}", directive, fmt::join(names, " "), line_end_of(text, lines[block.first]),
                     kept);
}

/// An IgnorePkg line without some of its names; spaces and comments elsewhere are not touched.
std::string without_names(std::string_view line, const std::vector<std::string>& listed,
                          std::span<const std::string> unwanted) {
  std::vector<std::string> left;
  for (const auto& name : listed)
    if (!contains(unwanted, name)) left.push_back(name);
  if (left.size() == listed.size()) return std::string(line);
  if (left.empty()) return "#" + std::string(directive) + "   =";
  return std::string(line.substr(0, line.find('=') + 1)) + " " + join(left, " ");
}

bool is_any_marker(std::string_view line) { return is_marker(line, begin_word) || is_marker(line, end_word); }

/// The lines of a block without its whole frame: markers, and next to them lines that list only `ours`.
std::set<std::size_t> remains_of_block(std::string_view text, const std::vector<Line>& lines,
                                       std::span<const std::string> ours) {
  const auto is_ours = [&](std::size_t number) {
    const auto listed = number < lines.size() ? ignored_by(content(text, lines[number])) : std::nullopt;
    return listed && std::ranges::all_of(*listed, [&](const auto& name) { return contains(ours, name); });
  };
  std::set<std::size_t> remains;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_any_marker(content(text, lines[i]))) continue;
    remains.insert(i);
    for (auto next = i + 1; is_ours(next); ++next) remains.insert(next);
    for (auto before = i; before > 0 && is_ours(before - 1); --before) remains.insert(before - 1);
  }
  return remains;
}

/// Takes out what remains of a damaged block and, of all IgnorePkg lines, the names in `unwanted`.
std::string cleaned(std::string_view text, std::span<const std::string> ours,
                    std::span<const std::string> unwanted) {
  std::string result;
  const auto lines = lines_of(text);
  const auto remains = remains_of_block(text, lines, ours);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (remains.count(i) > 0) continue;
    const auto& line = lines[i];
    const auto words = content(text, line);
    const auto body = text.substr(line.begin, line.end - line.begin);
    const auto listed = ignored_by(words);
    result += listed ? without_names(body, *listed, unwanted) : std::string(body);
    result += text.substr(line.end, line.next - line.end);
  }
  return result;
}

std::vector<std::string> except(std::span<const std::string> names, std::span<const std::string> those) {
  std::vector<std::string> left;
  for (const auto& name : names)
    if (!contains(those, name)) left.push_back(name);
  return left;
}

}  // namespace

std::string with_foreign_kept(std::string_view text, std::span<const std::string> ours) {
  const auto lines = lines_of(text);
  const auto block = whole_block(text, lines);
  if (!block) return std::string(text);
  const auto foreign = foreign_lines(text, lines, *block, ours);
  if (foreign.empty()) return std::string(text);
  std::string result(text.substr(0, lines[block->first].next));
  for (auto i = block->first + 1; i < block->last; ++i) {
    const auto listed = ignored_by(content(text, lines[i]));
    if (!listed) continue;
    const auto body = text.substr(lines[i].begin, lines[i].end - lines[i].begin);
    result += without_names(body, *listed, except(*listed, ours));
    result += line_end_of(text, lines[i]);
  }
  const auto& last = lines[block->last];
  result += text.substr(last.begin, last.next - last.begin);
  if (last.next == last.end) result += line_end_of(text, lines[block->first]);
  return result.append(foreign).append(text.substr(last.next));
}

std::vector<std::string> pins_outside(std::string_view text, std::span<const std::string> ours) {
  std::set<std::string> found;
  const auto lines = lines_of(text);
  const auto block = whole_block(text, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (block && i > block->first && i < block->last) continue;
    if (const auto listed = ignored_by(content(text, lines[i])))
      for (const auto& name : *listed)
        if (contains(ours, name)) found.insert(name);
  }
  return {found.begin(), found.end()};
}

std::vector<std::string> pin_problems(std::string_view text, std::span<const std::string> names,
                                      std::span<const std::string> own) {
  std::vector<std::string> problems;
  std::vector<std::string> listed;
  try {
    listed = pins_in(text);
    if (!find_block(text, lines_of(text)) && !names.empty())
      problems.push_back(
          tr_text("pacman.conf has no block of pins: the file was replaced or the block taken out"));
  } catch (const Error& damage) {
    problems.push_back(damage.what());
  }
  if (problems.empty()) {
    if (const auto gone = except(names, listed); !gone.empty())
      problems.push_back(tr("the block of pins in pacman.conf lacks {}", join(gone, " ")));
    if (const auto foreign = except(listed, names); !foreign.empty())
      problems.push_back(
          tr("the block of pins in pacman.conf holds names that are not cudapin's: {}", join(foreign, " ")));
  }
  if (const auto leaked = except(pins_outside(text, names), own); !leaked.empty())
    problems.push_back(
        tr("other IgnorePkg lines of pacman.conf list {} too, which would stay after "
           "a release",
           join(leaked, " ")));
  return problems;
}

std::string repaired_pins(std::string_view text, std::span<const std::string> names,
                          std::span<const std::string> own, std::span<const std::string> former) {
  if (pin_problems(text, names, own).empty()) return std::string(text);
  std::vector<std::string> ours(names.begin(), names.end());
  ours.insert(ours.end(), former.begin(), former.end());
  auto bare = with_foreign_kept(text, ours);
  if (whole_block(bare, lines_of(bare))) bare = without_pins(bare);
  return with_pins(cleaned(bare, ours, except(names, own)), names);
}

}  // namespace cudapin
