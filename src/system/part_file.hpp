// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/part_note.hpp"
#include "system/files.hpp"
#include "system/host.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>

namespace cudapin {

/// The unfinished file `TARGET.part` and its journal `TARGET.part.meta`. What the journal tells of is there
/// after a kill; after a crash of the machine, what had reached the disk. Who opens and publishes them may be
/// another process than the one that writes: that one needs `files` only, and no right to the folder.
class PartFile {
 public:
  /// Opens both, and takes up what an earlier process has left; a part without a journal, or a journal
  /// without a part, is nothing. Throws Error where there can be none.
  PartFile(const Host& host, std::filesystem::path target);
  /// A part with bytes in it stays for the next time.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// What is written through.
  std::array<int, 2> files() const { return {fd_.get(), journal_.get()}; }
  const PartNote& note() const { return note_; }
  int fd() const { return fd_.get(); }
  /// Whether its length is known, and its room reserved.
  bool is_begun() const { return is_begun_; }

  /// Makes it a part of a whole of `total` bytes (0: not known) and reserves that much. Throws Error where
  /// the disk has no room.
  void begin(std::uint64_t total);
  /// Forgets every byte and source, and begins again.
  void restart(std::uint64_t total);
  /// Its place in the note; noted when it is new or says another validator.
  std::size_t source(const std::string& url, const std::string& validator);
  /// Throws Error when the disk does not take it.
  void write(std::uint64_t offset, std::string_view bytes);
  /// Those bytes have been written and came from there.
  void record(std::size_t source, Range range);
  /// Forgets what came from there.
  void drop(std::size_t source);
  /// Lets what is recorded reach the disk, in the background, now and then.
  void sync_sometimes();
  /// Puts all of it on the disk and closes it.
  void settle();
  /// Puts what has been settled in the place of the target. Throws Error where somebody can still write it.
  void publish();

 private:
  void append(const std::string& line);
  void start_journal();

  std::filesystem::path target_;
  std::filesystem::path path_;
  std::filesystem::path journal_path_;
  std::string boot_;
  Fd fd_;
  Fd journal_;
  PartNote note_;
  bool is_begun_ = false;
  std::size_t lines_ = 0;
  std::size_t lines_syncing_ = 0;
  std::uint64_t unsynced_ = 0;  ///< bytes, since the last time
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
  std::future<int> syncing_;
};

}  // namespace cudapin
