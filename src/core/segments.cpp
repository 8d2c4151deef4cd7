// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/segments.hpp"

#include <algorithm>
#include <cmath>

namespace cudapin {

namespace {

constexpr std::uint64_t least_chunk = 512 << 10;
constexpr std::uint64_t usual_chunk = 4 << 20;
constexpr std::uint64_t least_loot = 512 << 10;
constexpr double least_gain = 0.5;         // seconds; for that less loot is worth a request too
constexpr double transfer_per_delay = 25;  // a request's delay costs 4 % at most
constexpr double short_silence = 0.2;      // seconds, which tell nothing
constexpr double supposed_rate = 1 << 20;  // where nothing is known

}  // namespace

Range Segments::work_of(int id) const {
  const auto found = work_.find(id);
  return found == work_.end() ? Range{} : found->second;
}

void Segments::set_size(std::uint64_t size) {
  size_ = size;
  for (auto& [id, range] : work_) range.end = std::min(range.end, size);
}

RangeSet Segments::taken() const {
  auto taken = have_;
  for (const auto& [id, range] : work_) taken.add(range);
  return taken;
}

std::optional<Range> Segments::take(int id, std::uint64_t most) {
  auto gap = taken().first_gap(size_);
  if (!gap) return std::nullopt;
  // A rest too small for a request of its own goes along.
  if (gap->size() > most && gap->size() - most >= least_chunk / 2) gap->end = gap->first + most;
  work_[id] = *gap;
  return gap;
}

std::optional<Range> Segments::take_last(int id, std::uint64_t most) {
  const auto here = taken();
  std::optional<Range> last;
  for (auto gap = here.first_gap(size_); gap; gap = here.first_gap(size_, gap->end)) last = gap;
  if (!last) return std::nullopt;
  if (last->size() > most && last->size() - most >= least_chunk / 2) last->first = last->end - most;
  work_[id] = *last;
  return last;
}

std::optional<Range> Segments::steal(int id, const Pace& pace, int victim, const Pace& its_pace) {
  const auto found = work_.find(victim);
  if (found == work_.end()) return std::nullopt;
  auto& held = found->second;
  const auto theirs = its_pace.rate > 0 ? its_pace : Pace{pace.rate, its_pace.delay};
  const auto mine = pace.rate > 0 ? pace : Pace{its_pace.rate, pace.delay};
  const auto late = seconds_for(held.size(), theirs);
  const auto share = (late - mine.delay) / (seconds_for(1, {mine.rate}) + seconds_for(1, {theirs.rate}));
  const auto size = static_cast<std::uint64_t>(std::clamp(share, 0.0, static_cast<double>(held.size())));
  if (size < least_loot && (size == 0 || late - seconds_for(size, mine) < least_gain)) return std::nullopt;
  const Range loot{held.end - size, held.end};
  held.end = loot.first;
  work_[id] = loot;
  return loot;
}

void Segments::extend(int id, std::uint64_t end) {
  auto& held = work_[id];
  const auto gap = taken().first_gap(std::min(end, size_), held.end);
  if (gap && gap->first == held.end) held.end = gap->end;
}

void Segments::restart(int id) {
  have_ = {};
  work_.clear();
  work_[id] = {0, size_};
}

void Segments::advance(int id, std::uint64_t bytes) {
  auto& held = work_[id];
  have_.add({held.first, held.first + bytes});
  held.first += bytes;
}

void Segments::drop(const RangeSet& ranges) {
  for (const auto& range : ranges.ranges()) have_.remove(range);
}

double seconds_for(std::uint64_t bytes, const Pace& pace) {
  return pace.delay + static_cast<double>(bytes) / (pace.rate > 0 ? pace.rate : supposed_rate);
}

double seconds_to_next_byte(double silence, double usual) {
  const auto seconds = std::abs(silence - usual);
  return seconds < short_silence ? 0 : seconds;
}

std::uint64_t chunk_of(std::uint64_t left, unsigned connections, const Pace& pace, std::uint64_t most) {
  const auto share = left / (2 * std::max(connections, 1u));
  const auto wanted = std::max(static_cast<double>(usual_chunk), pace.rate * pace.delay * transfer_per_delay);
  const auto chunk = static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(share)));
  return std::clamp(std::max(chunk, least_chunk), std::min(most, least_chunk), most);
}

}  // namespace cudapin
