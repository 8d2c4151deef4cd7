// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/files.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace cudapin {

/// The unfinished file `TARGET.part` and, in `TARGET.part.meta`, what the server said of the whole.
class PartFile {
 public:
  /// Opens or creates the part. One without a note of its whole is emptied: nothing tells whose it is.
  explicit PartFile(std::filesystem::path target);
  /// A part with bytes in it stays for the next time.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// Length of the whole, 0 when the server did not say.
  std::uint64_t total() const { return total_; }
  /// The server's strong ETag or its Last-Modified, or empty.
  const std::string& validator() const { return validator_; }

  /// Where to resume: one byte before the end of a part that is whole, so that the server is asked about it.
  std::uint64_t prepare_resume();
  /// Empties the part and notes what it becomes a part of.
  void restart(std::uint64_t total, std::string_view validator);
  /// Throws Error when the disk does not take it.
  void append(std::string_view bytes);
  /// Synced, mode 0644, and in place of the target.
  void finish();

 private:
  void truncate(std::uint64_t size);

  std::filesystem::path target_;
  std::filesystem::path path_;
  std::filesystem::path note_;
  Fd fd_;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
  std::string validator_;
};

}  // namespace cudapin
