// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

// The lines of pacman.conf as the pins see them.

inline constexpr std::string_view begin_word = "# cudapin: begin";
inline constexpr std::string_view end_word = "# cudapin: end";
inline constexpr std::string_view directive = "IgnorePkg";

/// A line of the file: [begin, end) without its line end, which takes [end, next).
struct Line {
  std::size_t begin;
  std::size_t end;
  std::size_t next;
};

std::vector<Line> lines_of(std::string_view text);

/// The line's words, without blanks at either side.
std::string_view content(std::string_view text, const Line& line);
/// "\n", "\r\n" or nothing.
std::string_view line_end_of(std::string_view text, const Line& line);

bool is_marker(std::string_view line, std::string_view word);
bool is_header(std::string_view line);

/// The names on an IgnorePkg line; nothing for any other line. pacman separates at spaces only; a tab stays
/// part of a name.
std::optional<std::vector<std::string>> ignored_by(std::string_view line);

/// The managed block: numbers of the lines that hold its markers.
struct Block {
  std::size_t first;
  std::size_t last;
};

/// Nothing when there is none. Throws Error when one is damaged.
std::optional<Block> find_block(std::string_view text, const std::vector<Line>& lines);

}  // namespace cudapin
