// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/segments.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace cudapin {

/// How one server is treated: how many connections it may be asked for at once, when it may be asked again,
/// and how much at a time, learnt from how it answers. Moments come from the caller.
class Courtesy {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;

  explicit Courtesy(unsigned connections) : wanted_(connections), limit_(connections) {}

  /// Whether another request may go out now. Beyond four no more are untried at a time than half of what it
  /// bears, or two, so that a server with a limit of its own refuses no more than that.
  bool may_ask(Moment now) const;
  /// When a request may go out again.
  Moment earliest() const { return earliest_; }
  unsigned active() const { return active_; }
  unsigned limit() const { return limit_; }

  /// Tells how many others it serves.
  unsigned asked(Moment now);
  /// The first bytes have come, so long after the request.
  void answered(Duration delay);
  /// The request is over; `answered` as was told before, the bytes that it brought in that time.
  void ended(bool answered, std::uint64_t bytes, Duration taken);
  /// It has too many requests, for one that was asked when it served so many. Where it serves others they
  /// tell how many it bears, and no more are sent for the next minute, or for `wait`; where it serves none it
  /// is left alone for `wait`.
  void busy(Moment now, Duration wait, unsigned served_before);
  /// The connection was cut in the middle.
  void cut();

  /// The silence after which a connection may be left: short in the middle of an answer, and before one as
  /// the server is used to.
  Duration patience(bool has_begun) const;
  /// Of one connection, on average.
  const Pace& pace() const { return pace_; }
  /// The most to ask for at once: a little first, then twice as much each time. What a server had sent when a
  /// connection is cut is lost on the way, so one that cuts is asked for a small part of what it brings
  /// between two cuts.
  std::uint64_t most() const { return most_; }

 private:
  unsigned served() const { return active_ - untried_; }

  unsigned wanted_;
  unsigned limit_;
  unsigned active_ = 0;
  unsigned untried_ = 0;
  unsigned borne_ = 0;  ///< the most that it has served at once
  unsigned cuts_ = 0;
  std::uint64_t brought_ = 0;
  Moment earliest_{};
  Moment refused_{};
  Pace pace_;
  std::uint64_t most_ = 4 << 20;
};

}  // namespace cudapin
