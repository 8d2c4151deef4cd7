// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/segments.hpp"

#include <algorithm>

namespace cudapin {

namespace {

constexpr std::uint64_t least_chunk = 512 << 10;
constexpr std::uint64_t usual_chunk = 4 << 20;
constexpr std::uint64_t least_loot = 512 << 10;
constexpr double transfer_per_delay = 25;  // a request's delay costs 4 % at most
constexpr double slowest = 1;              // bytes a second, where nothing is known

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

std::optional<Range> Segments::steal(int id, const Pace& pace, int victim, const Pace& its_pace) {
  const auto found = work_.find(victim);
  if (found == work_.end()) return std::nullopt;
  auto& held = found->second;
  const auto mine = pace.rate > 0 ? pace.rate : std::max(its_pace.rate, slowest);
  const auto theirs = its_pace.rate > 0 ? its_pace.rate : mine;
  const auto share = (static_cast<double>(held.size()) / theirs - pace.delay) / (1 / mine + 1 / theirs);
  if (share < static_cast<double>(least_loot)) return std::nullopt;
  const auto size = std::min(static_cast<std::uint64_t>(share), held.size());
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

double seconds_for(std::uint64_t bytes, const Pace& pace, const Pace& other) {
  const auto rate = pace.rate > 0 ? pace.rate : other.rate;
  return static_cast<double>(bytes) / std::max(rate, slowest);
}

std::uint64_t chunk_of(std::uint64_t left, unsigned connections, const Pace& pace, std::uint64_t most) {
  const auto share = left / (2 * std::max(connections, 1u));
  const auto wanted = std::max(static_cast<double>(usual_chunk), pace.rate * pace.delay * transfer_per_delay);
  const auto chunk = static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(share)));
  return std::clamp(std::max(chunk, least_chunk), std::min(most, least_chunk), most);
}

}  // namespace cudapin
