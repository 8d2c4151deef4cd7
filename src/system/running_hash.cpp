// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/running_hash.hpp"

#include "system/files.hpp"

#include <unistd.h>

#include <algorithm>

namespace cudapin {

namespace {

constexpr std::size_t step = 1 << 20;

}  // namespace

RunningHash::RunningHash(int fd) : fd_(fd), thread_([this] { work(); }) {}

RunningHash::~RunningHash() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RunningHash::follow(std::uint64_t front) {
  {
    const std::lock_guard lock(mutex_);
    if (front <= front_) return;
    front_ = front;
  }
  changed_.notify_all();
}

void RunningHash::restart() {
  const std::lock_guard lock(mutex_);
  front_ = 0;
  summed_ = 0;
  sum_.reset();
  wanted_ = ~std::uint64_t{0};
  ++round_;
}

std::optional<std::string> RunningHash::result(std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (wanted_ != total) {
    wanted_ = total;
    changed_.notify_all();
  }
  return sum_;
}

void RunningHash::work() {
  std::string piece(step, '\0');
  Sha256 hash;
  std::uint64_t round = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto is_at_end = [&] { return summed_ == wanted_ && !sum_; };
    changed_.wait(lock, [&] { return ending_ || (summed_ < front_ && !sum_) || is_at_end(); });
    if (ending_) return;
    if (round != round_) hash = Sha256();
    round = round_;
    if (is_at_end()) {
      sum_ = hash.finish();
      continue;
    }
    const auto at = summed_;
    const auto length = std::min<std::uint64_t>(step, front_ - at);
    lock.unlock();
    const auto got = ::pread(fd_, piece.data(), length, static_cast<off_t>(at));
    if (got > 0) hash.add({piece.data(), static_cast<std::size_t>(got)});
    lock.lock();
    if (round != round_) continue;
    if (got <= 0) {
      sum_ = "";
      continue;
    }
    summed_ += static_cast<std::uint64_t>(got);
  }
}

}  // namespace cudapin
