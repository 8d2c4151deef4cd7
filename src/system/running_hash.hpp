// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace cudapin {

/// The SHA-256 of a file that grows from its front, on a thread of its own: what comes in order is summed as
/// it comes, from the page cache.
class RunningHash {
 public:
  /// `fd` outlives it.
  explicit RunningHash(int fd);
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;

  /// The bytes before `front` are there and will not change.
  void follow(std::uint64_t front);
  /// Some of them have changed after all.
  void restart();
  /// Lower-case hexadecimal, once the first `total` bytes are summed; empty when they cannot be read.
  std::optional<std::string> result(std::uint64_t total);

 private:
  void work();

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t front_ = 0;
  std::uint64_t summed_ = 0;
  std::uint64_t round_ = 0;  ///< grows with every restart
  std::optional<std::string> sum_;
  std::uint64_t wanted_ = ~std::uint64_t{0};
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace cudapin
