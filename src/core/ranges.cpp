// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranges.hpp"

#include <algorithm>

namespace cudapin {

void RangeSet::add(Range range) {
  if (range.size() == 0) return;
  const auto begin = std::ranges::lower_bound(ranges_, range.first, {}, &Range::end);
  auto end = begin;
  for (; end != ranges_.end() && end->first <= range.end; ++end) {
    range.first = std::min(range.first, end->first);
    range.end = std::max(range.end, end->end);
  }
  ranges_.insert(ranges_.erase(begin, end), range);
}

void RangeSet::add(const RangeSet& other) {
  for (const auto& range : other.ranges_) add(range);
}

void RangeSet::remove(Range range) {
  if (range.size() == 0) return;
  std::vector<Range> left;
  for (const auto& held : ranges_) {
    const Range before{held.first, std::min(held.end, range.first)};
    const Range after{std::max(held.first, range.end), held.end};
    if (before.size() > 0) left.push_back(before);
    if (after.size() > 0) left.push_back(after);
  }
  ranges_ = std::move(left);
}

std::uint64_t RangeSet::size() const {
  std::uint64_t bytes = 0;
  for (const auto& range : ranges_) bytes += range.size();
  return bytes;
}

bool RangeSet::contains(Range range) const {
  return range.size() == 0 || std::ranges::any_of(ranges_, [&](const Range& held) {
           return held.first <= range.first && range.end <= held.end;
         });
}

std::uint64_t RangeSet::front() const { return ranges_.empty() || ranges_[0].first > 0 ? 0 : ranges_[0].end; }

std::optional<Range> RangeSet::first_gap(std::uint64_t size, std::uint64_t from) const {
  for (const auto& held : ranges_) {
    if (held.end <= from) continue;
    if (held.first > from || from >= size) break;
    from = held.end;
  }
  const auto next = std::ranges::upper_bound(ranges_, from, {}, &Range::first);
  if (next != ranges_.end()) size = std::min(size, next->first);
  return from < size ? std::optional(Range{from, size}) : std::nullopt;
}

}  // namespace cudapin
