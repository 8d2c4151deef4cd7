// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/courtesy.hpp"

#include <algorithm>

namespace cudapin {

namespace {

constexpr unsigned taken_for_granted = 4;
constexpr unsigned always_untried = 2;
constexpr std::uint64_t least = 256 << 10;
constexpr std::uint64_t largest = 1 << 30;
constexpr std::chrono::minutes one_more_after{1};
constexpr std::uint64_t parts_between_cuts = 64;
constexpr Courtesy::Duration silence{3'000};
constexpr Courtesy::Duration slow_start{10'000};  // an archive may take long to find a file
constexpr double usual_delays = 4;                // that are not yet too long

double smoothed(double old, double fresh) { return old > 0 ? 0.7 * old + 0.3 * fresh : fresh; }

}  // namespace

bool Courtesy::may_ask(Moment now) const {
  if (now < earliest_ || active_ >= limit_) return false;
  return active_ < std::max(taken_for_granted, borne_) || untried_ < std::max(always_untried, borne_ / 2);
}

unsigned Courtesy::asked(Moment now) {
  if (limit_ < wanted_ && now - refused_ >= one_more_after) {
    ++limit_;
    refused_ = now;
  }
  const auto others = served();
  ++active_;
  ++untried_;
  return others;
}

void Courtesy::answered(Duration delay) {
  --untried_;
  borne_ = std::max(borne_, served());
  limit_ = std::max(limit_, served());
  pace_.delay = smoothed(pace_.delay, std::max(0.001, std::chrono::duration<double>(delay).count()));
}

void Courtesy::ended(bool answered, std::uint64_t bytes, Duration taken) {
  --active_;
  if (!answered) --untried_;
  brought_ += bytes;
  const auto seconds = std::chrono::duration<double>(taken).count();
  if (bytes >= least && seconds > 0) pace_.rate = smoothed(pace_.rate, static_cast<double>(bytes) / seconds);
  if (cuts_ == 0 && bytes >= least) most_ = std::min(most_ * 2, largest);
}

void Courtesy::busy(Moment now, Duration wait, unsigned served_before) {
  refused_ = now + std::max<Duration>(wait, one_more_after) - one_more_after;
  if (active_ <= 1) {
    earliest_ = std::max(earliest_, now + wait);
    return;
  }
  // Some have ended or been answered since, or were sent later and came first.
  borne_ = std::min(borne_, std::max(served_before, served()));
  limit_ = std::clamp(borne_, 1u, limit_);
}

Courtesy::Duration Courtesy::patience(bool has_begun) const {
  if (has_begun) return silence;
  if (pace_.delay <= 0) return slow_start;
  const std::chrono::duration<double> long_delay(usual_delays * pace_.delay);
  return std::clamp(std::chrono::duration_cast<Duration>(long_delay), silence, slow_start);
}

void Courtesy::cut() {
  ++cuts_;
  most_ = std::clamp(brought_ / cuts_ / parts_between_cuts, least, most_);
}

}  // namespace cudapin
