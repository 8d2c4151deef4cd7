// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ranges.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// Where bytes of an unfinished file came from.
struct PartSource {
  std::string url;        ///< without name and password
  std::string validator;  ///< the server's strong ETag or its Last-Modified, or empty
  RangeSet have = {};

  friend bool operator==(const PartSource&, const PartSource&) = default;
};

/// What is known of an unfinished file: a journal that lines are only ever added to.
struct PartNote {
  std::uint64_t total = 0;  ///< length of the whole, 0 when no server has said
  std::vector<PartSource> sources;

  RangeSet have() const;
  friend bool operator==(const PartNote&, const PartNote&) = default;
};

/// `boot` names the time that the machine has been running since: what was not yet on the disk counts only
/// within it. A last line that is cut off is left out; a text that makes no sense gives an empty note.
PartNote parse_part_note(std::string_view text, std::string_view boot);

/// The journal that reads as `note`, everything in it still to be put on the disk.
std::string part_note_text(const PartNote& note, std::string_view boot);

// Lines to add.
std::string total_line(std::uint64_t total);
std::string source_line(const PartSource& source);
std::string range_line(std::size_t source, Range range);
std::string drop_line(std::size_t source);
/// The first `lines` lines tell of bytes that are on the disk.
std::string synced_line(std::size_t lines);

}  // namespace cudapin
