// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ranges.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace cudapin {

/// How fast a connection is, as far as anyone knows.
struct Pace {
  double rate = 0;   ///< bytes a second; 0: not known yet
  double delay = 0;  ///< seconds to its first byte, or to its next one
};

/// Who fetches which bytes of one file: what is here, what each connection is at, what is left, and what a
/// free connection takes from a slow one. Connections are known by numbers of the caller's choice.
class Segments {
 public:
  /// The length is not known before the first answer.
  explicit Segments(std::uint64_t size = unknown, RangeSet have = {}) : size_(size), have_(std::move(have)) {}
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  std::uint64_t size() const { return size_; }
  const RangeSet& have() const { return have_; }
  bool is_complete() const { return have_.contains({0, size_}); }
  /// What the connection has still to bring.
  Range work_of(int id) const;

  /// Notes the length; a connection that was to bring everything brings no more than this.
  void set_size(std::uint64_t size);
  /// Gives the first stretch that is neither here nor on its way, at most `most` bytes of it.
  std::optional<Range> take(int id, std::uint64_t most);
  /// The same of the last stretch, where nobody waits for it.
  std::optional<Range> take_last(int id, std::uint64_t most);
  /// Gives the tail of another connection's work, parted so that both end at the same time, or all of it.
  /// Nothing where it is not worth a request.
  std::optional<Range> steal(int id, const Pace& pace, int victim, const Pace& its_pace);
  /// Lets a connection go on behind its end as far as `end`, where nobody has or brings those bytes.
  void extend(int id, std::uint64_t end);
  /// Forgets what is here and gives the connection all of it.
  void restart(int id);
  /// The connection has brought the next `bytes` of its work.
  void advance(int id, std::uint64_t bytes);
  /// The connection brings nothing more; what it has not brought is left again.
  void release(int id) { work_.erase(id); }
  /// Bytes that are here no longer.
  void drop(const RangeSet& ranges);

 private:
  RangeSet taken() const;

  std::uint64_t size_;
  RangeSet have_;
  std::map<int, Range> work_;
};

/// Seconds that the connection still needs for `bytes`.
double seconds_for(std::uint64_t bytes, const Pace& pace);

/// Seconds to the next byte of a connection that has been silent for `silence`, where `usual` are usual: when
/// these are over, likely as long again as it has been late.
double seconds_to_next_byte(double silence, double usual);

/// How much a free connection asks for: enough that the delay of a request is small beside its transfer, yet
/// no more than a share of what is left, so that the last one does not drag; within `most`.
std::uint64_t chunk_of(std::uint64_t left, unsigned connections, const Pace& pace, std::uint64_t most);

}  // namespace cudapin
