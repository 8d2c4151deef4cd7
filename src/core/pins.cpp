// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pins.hpp"

#include "core/error.hpp"
#include "core/package.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cudapin {

namespace {

// Neither marker holds the word "IgnorePkg": pamac rewrites every line that does, comments too.
constexpr std::string_view begin_marker =
    "# cudapin: begin (written by 'cudapin use', removed by 'cudapin release')";
constexpr std::string_view begin_word = "# cudapin: begin";
constexpr std::string_view end_word = "# cudapin: end";
constexpr std::string_view directive = "IgnorePkg";
// pacman reads 4,095 bytes of a line and takes the rest for a directive of its own.
constexpr std::size_t line_limit = 3500;

/// A line of the file: [begin, end) without its line end, which takes [end, next).
struct Line {
  std::size_t begin;
  std::size_t end;
  std::size_t next;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto feed = text.find('\n', at);
    const auto next = feed == text.npos ? text.size() : feed + 1;
    auto end = feed == text.npos ? text.size() : feed;
    if (feed != text.npos && end > at && text[end - 1] == '\r') --end;
    lines.push_back({at, end, next});
    at = next;
  }
  return lines;
}

std::string_view content(std::string_view text, const Line& line) {
  return trim(text.substr(line.begin, line.end - line.begin));
}

bool is_marker(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ');
}

bool is_header(std::string_view line) { return line.starts_with('[') && line.ends_with(']'); }

/// The managed block: numbers of the lines that hold its markers.
struct Block {
  std::size_t first;
  std::size_t last;
};

[[noreturn]] void fail_damaged(const std::string& what) {
  throw Error("the block of pins in pacman.conf is damaged: " + what,
              "sudoedit /etc/pacman.conf  # take out the lines from '# cudapin: begin' to '# cudapin: end'");
}

std::optional<Block> find_block(std::string_view text, const std::vector<Line>& lines) {
  std::optional<std::size_t> opened;
  std::optional<Block> block;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = content(text, lines[i]);
    if (is_marker(line, begin_word)) {
      if (opened || block) fail_damaged(fmt::format("line {} begins a second one", i + 1));
      opened = i;
    } else if (is_marker(line, end_word)) {
      if (!opened) fail_damaged(fmt::format("line {} ends it but no line begins it", i + 1));
      block = Block{*opened, i};
      opened.reset();
    } else if (opened && is_header(line)) {
      fail_damaged(fmt::format("line {} begins a section inside it", i + 1));
    }
  }
  if (opened) fail_damaged(fmt::format("line {} begins it but no line ends it", *opened + 1));
  return block;
}

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
    if (!is_package_name(name))
      throw Error(fmt::format("cannot pin '{}': not a package name", printable(name)));
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

std::string_view line_end_of(std::string_view text, const Line& line) {
  return text.substr(line.end, line.next - line.end);
}

/// `text` has no block.
std::string insert_block(std::string_view text, std::span<const std::string> names) {
  const auto lines = lines_of(text);
  const auto header = std::find_if(lines.begin(), lines.end(),
                                   [&](const Line& line) { return content(text, line) == "[options]"; });
  if (header == lines.end())
    throw Error("cannot pin in pacman.conf: it has no line '[options]' of its own",
                "sudoedit /etc/pacman.conf  # add a line '[options]' above the first Include");
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

std::vector<std::string> pins_in(std::string_view text) {
  const auto lines = lines_of(text);
  const auto block = find_block(text, lines);
  std::vector<std::string> names;
  if (!block) return names;
  for (auto i = block->first + 1; i < block->last; ++i) {
    const auto line = content(text, lines[i]);
    const auto equals = line.find('=');
    if (equals == line.npos || trim(line.substr(0, equals)) != directive) continue;
    // pacman separates at spaces only; a tab stays part of a name.
    for (auto& name : split(trim(line.substr(equals + 1)), " ")) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace cudapin
