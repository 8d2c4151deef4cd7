// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

/// Files by system calls alone: what the guard reads and writes, where the tool's own helpers would bring
/// OpenSSL and exceptions.
namespace cudapin::raw {

/// A descriptor that closes itself.
struct File {
  explicit File(int number) : fd(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

inline constexpr std::size_t size_limit = 64u << 20;

/// Reads to the end; false on an error (errno tells) or beyond the limit.
bool read_all(int fd, std::string& text, std::size_t limit = size_limit);

enum class Reading { done, missing, failed };
/// The whole file; a link is not followed, a pipe not waited for.
Reading read_file(const std::string& path, std::string& text, std::size_t limit = size_limit);

/// The first `limit` bytes of a file in `folder`, or nothing when it cannot be read.
std::string read_at(int folder, const char* name, std::size_t limit);

/// False with errno on any failure. The text is complete and synced before it takes the file's name.
bool replace_file(const std::string& path, std::string_view text, mode_t mode = 0644);
bool append_line(const std::string& path, std::string_view line);
bool make_folders(const std::string& path);
bool write_all(int fd, std::string_view text);

/// Calls `visit(folder, name)` for each entry without a leading dot; false when the folder cannot be listed.
template <typename Visit>
bool visit_entries(int parent, const char* name, Visit visit) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto close = [](DIR* folder) { ::closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> folder(fd < 0 ? nullptr : ::fdopendir(fd), close);
  if (!folder) return false;
  while (const auto* entry = ::readdir(folder.get()))
    if (entry->d_name[0] != '.') visit(fd, entry->d_name);
  return true;
}

}  // namespace cudapin::raw
