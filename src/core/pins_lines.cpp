// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pins_lines.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

namespace cudapin {

namespace {

[[noreturn]] void fail_damaged(const std::string& what) {
  throw Error(
      tr("the block of pins in pacman.conf is damaged: {}", what),
      tr_text("sudoedit /etc/pacman.conf  # take out the lines from '# cudapin: begin' to '# cudapin: end'"));
}

}  // namespace

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

std::optional<std::vector<std::string>> ignored_by(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == line.npos || trim(line.substr(0, equals)) != directive) return std::nullopt;
  return split(trim(line.substr(equals + 1)), " ");
}

std::optional<Block> find_block(std::string_view text, const std::vector<Line>& lines) {
  std::optional<std::size_t> opened;
  std::optional<Block> block;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = content(text, lines[i]);
    if (is_marker(line, begin_word)) {
      if (opened || block) fail_damaged(tr("line {} begins a second one", i + 1));
      opened = i;
    } else if (is_marker(line, end_word)) {
      if (!opened) fail_damaged(tr("line {} ends it but no line begins it", i + 1));
      block = Block{*opened, i};
      opened.reset();
    } else if (opened && is_header(line)) {
      fail_damaged(tr("line {} begins a section inside it", i + 1));
    }
  }
  if (opened) fail_damaged(tr("line {} begins it but no line ends it", *opened + 1));
  return block;
}

std::string_view line_end_of(std::string_view text, const Line& line) {
  return text.substr(line.end, line.next - line.end);
}

}  // namespace cudapin
