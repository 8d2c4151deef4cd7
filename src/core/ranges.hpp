// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cudapin {

/// The bytes from `first` up to, not including, `end`.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end > first ? end - first : 0; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Parts of a file, kept sorted, apart and without empty ones.
class RangeSet {
 public:
  void add(Range range);
  void remove(Range range);
  void add(const RangeSet& other);

  const std::vector<Range>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  std::uint64_t size() const;
  bool contains(Range range) const;
  /// Where the part that begins at byte 0 ends.
  std::uint64_t front() const;
  /// The first stretch below `size` that is in no range.
  std::optional<Range> first_gap(std::uint64_t size, std::uint64_t from = 0) const;

  friend bool operator==(const RangeSet&, const RangeSet&) = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace cudapin
