// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/files.hpp"
#include "system/host.hpp"

#include <filesystem>
#include <string>

namespace cudapin {

/// A regular, non-empty file: what a store's file is when it is there at all (it appears by rename).
bool is_whole(const std::filesystem::path& file);

/// Creates the folder and its missing parents, mode 0755 whatever the umask.
void make_store_folder(const std::filesystem::path& folder);

/// Removes a file of the store with what an interrupted copy or download left beside it.
void remove_stored(const std::filesystem::path& file);

/// An open file and where it was found; no fd when there is none.
struct FoundFile {
  std::filesystem::path path;
  Fd fd = Fd();
};

/// Opens FOLDER/RELATIVE for reading when it is a regular, non-empty file and no symbolic link lies between.
FoundFile open_below(const std::filesystem::path& folder, const std::string& relative);

/// Makes `target` the file found: a hard link where root alone can write that file, else a synced copy of
/// mode 0644. The caller holds the target's lock.
void copy_into_store(const Host& host, const FoundFile& source, const std::filesystem::path& target);

/// One process at a time for one file of the store; waits, and throws Error on an interrupt.
class FileLock {
 public:
  FileLock(const Host& host, const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  Fd fd_;
};

}  // namespace cudapin
