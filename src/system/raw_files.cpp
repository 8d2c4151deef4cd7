// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/raw_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

namespace cudapin::raw {

namespace {

bool synced_copy(const std::string& path, std::string_view text, mode_t mode) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
  return file.fd >= 0 && ::fchmod(file.fd, mode) == 0 && write_all(file.fd, text) && ::fsync(file.fd) == 0;
}

}  // namespace

bool read_all(int fd, std::string& text, std::size_t limit) {
  std::array<char, 16384> buffer;
  for (;;) {
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    errno = EFBIG;
    if (text.size() > limit) return false;
  }
}

Reading read_file(const std::string& path, std::string& text, std::size_t limit) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (file.fd < 0) return errno == ENOENT ? Reading::missing : Reading::failed;
  return read_all(file.fd, text, limit) ? Reading::done : Reading::failed;
}

std::string read_at(int folder, const char* name, std::size_t limit) {
  const File file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::string text;
  std::array<char, 8192> buffer;
  while (file.fd >= 0 && text.size() < limit) {
    const auto got = ::read(file.fd, buffer.data(), std::min(buffer.size(), limit - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool replace_file(const std::string& path, std::string_view text, mode_t mode) {
  const auto beside = path + ".new";
  if (synced_copy(beside, text, mode) && std::rename(beside.c_str(), path.c_str()) == 0) return true;
  const int reason = errno;
  ::unlink(beside.c_str());
  errno = reason;
  return false;
}

bool append_line(const std::string& path, std::string_view line) {
  const File file(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.fd < 0) return false;
  char last = '\n';
  if (const auto size = ::lseek(file.fd, 0, SEEK_END); size > 0 && ::pread(file.fd, &last, 1, size - 1) != 1)
    last = '\n';
  return write_all(file.fd, (last == '\n' ? "" : "\n") + std::string(line) + '\n') && ::fsync(file.fd) == 0;
}

bool make_folders(const std::string& path) {
  for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    if (::mkdir(path.substr(0, slash).c_str(), 0755) != 0 && errno != EEXIST) return false;
  return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
}

}  // namespace cudapin::raw
