// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pins.hpp"

#include "core/error.hpp"
#include "core/package.hpp"
#include "core/pins_lines.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>

namespace cudapin {

namespace {

// Neither marker holds the word "IgnorePkg": pamac rewrites every line that does, comments too.
constexpr std::string_view begin_marker =
    "# cudapin: begin (written by 'cudapin use', removed by 'cudapin release')";
// pacman reads 4,095 bytes of a line and takes the rest for a directive of its own.
constexpr std::size_t line_limit = 3500;

/// Whether the last section header above line `number` is [options].
bool in_options(std::string_view text, const std::vector<Line>& lines, std::size_t number) {
  while (number-- > 0)
    if (const auto line = content(text, lines[number]); is_header(line)) return line == "[options]";
  return false;
}

std::vector<std::string> directives(std::span<const std::string> names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::string> result;
  for (const auto& name : sorted) {
    if (!is_package_name(name)) throw Error(tr("cannot pin '{}': not a package name", printable(name)));
    if (result.empty() || result.back().size() + 1 + name.size() > line_limit)
      result.push_back(fmt::format("{} =", directive));
    result.back() += ' ' + name;
  }
  return result;
}

/// The block's text without a line end after its last line.
std::string block_text(std::span<const std::string> names, std::string_view line_end) {
  std::string text(begin_marker);
  for (const auto& line : directives(names)) text.append(line_end).append(line);
  return text.append(line_end).append(end_word);
}

/// `text` has no block.
std::string insert_block(std::string_view text, std::span<const std::string> names) {
  const auto lines = lines_of(text);
  const auto header = std::find_if(lines.begin(), lines.end(),
                                   [&](const Line& line) { return content(text, line) == "[options]"; });
  if (header == lines.end())
    throw Error(tr_text("cannot pin in pacman.conf: it has no line '[options]' of its own"),
                tr_text("sudoedit /etc/pacman.conf  # add a line '[options]' above the first Include"));
  // The line before a header without a line end shows which one the file uses.
  const bool is_open = header->next == header->end;
  const auto& example = is_open && header != lines.begin() ? *(header - 1) : *header;
  const std::string_view line_end = line_end_of(text, example).empty() ? "\n" : line_end_of(text, example);
  std::string result(text.substr(0, header->next));
  if (is_open) result += line_end;
  result += block_text(names, line_end);
  if (!is_open) result += line_end;
  return result.append(text.substr(header->next));
}

std::string cut_block(std::string_view text, const std::vector<Line>& lines, const Block& block) {
  const auto line_end = line_end_of(text, lines[block.first]);
  auto kept = text.substr(0, lines[block.first].begin);
  const auto& last = lines[block.last];
  // No line end after the block: the header had none either, the one before the block came with it.
  if (last.next == last.end && kept.ends_with(line_end)) kept.remove_suffix(line_end.size());
  return std::string(kept).append(text.substr(last.next));
}

}  // namespace

std::string with_pins(std::string_view text, std::span<const std::string> names) {
  if (names.empty()) return without_pins(text);
  const auto lines = lines_of(text);
  const auto block = find_block(text, lines);
  if (!block) return insert_block(text, names);
  if (!in_options(text, lines, block->first)) return insert_block(cut_block(text, lines, *block), names);
  const auto& first = lines[block->first];
  return std::string(text.substr(0, first.begin))
      .append(block_text(names, line_end_of(text, first)))
      .append(text.substr(lines[block->last].end));
}

std::string without_pins(std::string_view text) {
  const auto lines = lines_of(text);
  const auto block = find_block(text, lines);
  return block ? cut_block(text, lines, *block) : std::string(text);
}

std::string covering_entry(std::span<const std::string> entries, const std::string& name) {
  const auto found = std::ranges::find_if(
      entries, [&](const std::string& entry) { return ::fnmatch(entry.c_str(), name.c_str(), 0) == 0; });
  return found == entries.end() ? std::string{} : *found;
}

std::vector<std::string> pins_in(std::string_view text) {
  const auto lines = lines_of(text);
  const auto block = find_block(text, lines);
  std::vector<std::string> names;
  if (!block) return names;
  for (auto i = block->first + 1; i < block->last; ++i)
    if (auto listed = ignored_by(content(text, lines[i])))
      names.insert(names.end(), listed->begin(), listed->end());
  return names;
}

}  // namespace cudapin
