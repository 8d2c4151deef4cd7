// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/store.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t copy_step = 8 << 20;

[[noreturn]] void fail(const char* act, const fs::path& path) {
  const int reason = errno;
  throw Error(tr("cannot {} '{}': {}", tr_text(act), path.string(), std::strerror(reason)),
              file_hint(reason, path));
}

/// The next piece, by the kernel; an old kernel or two file systems leave sendfile.
ssize_t copy_piece(int from, int to) {
  const auto copied = ::copy_file_range(from, nullptr, to, nullptr, copy_step, 0);
  if (copied >= 0 || errno == EINTR) return copied;
  const bool unable = errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
  return unable ? ::sendfile(to, from, nullptr, copy_step) : -1;
}

void copy_bytes(const Host& host, int from, int to, const fs::path& copy) {
  for (;;) {
    host.check_interrupt();
    const auto copied = copy_piece(from, to);
    if (copied == 0) return;
    if (copied < 0 && errno != EINTR) fail(tr_later("write"), copy);
  }
}

/// The name under which a copy grows; gone unless renamed.
struct Growing {
  explicit Growing(const fs::path& target) : path(target.string() + ".copy") { ::unlink(path.c_str()); }
  ~Growing() { ::unlink(path.c_str()); }
  fs::path path;
};

bool only_root_writes(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == 0 && (info.st_mode & 07777) == 0644;
}

bool link_file(const FoundFile& source, const fs::path& link) {
  struct stat info {};
  if (::fstat(source.fd.get(), &info) != 0 || !only_root_writes(info)) return false;
  const auto opened = fmt::format("/proc/self/fd/{}", source.fd.get());
  return ::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, link.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

bool is_whole(const fs::path& file) {
  struct stat info {};
  return ::lstat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

void make_store_folder(const fs::path& folder) {
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  make_store_folder(folder.parent_path());
  if (::mkdir(folder.c_str(), 0755) != 0) {
    if (errno == EEXIST) return;
    fail(tr_later("create"), folder);
  }
  if (::chmod(folder.c_str(), 0755) != 0) fail(tr_later("set the mode of"), folder);
}

void remove_stored(const fs::path& file) {
  for (const auto* ending : {"", ".part", ".part.meta", ".copy"})
    if (::unlink((file.string() + ending).c_str()) != 0 && errno != ENOENT)
      fail(tr_later("remove"), file.string() + ending);
}

FoundFile open_below(const fs::path& folder, const std::string& relative) {
  Fd at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto parts = split(relative, "/");
  for (std::size_t i = 0; at && i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    at = Fd(::openat(at.get(), parts[i].c_str(),
                     O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK : O_DIRECTORY)));
  }
  struct stat info {};
  if (!at || ::fstat(at.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return {};
  return {folder / relative, std::move(at)};
}

void copy_into_store(const Host& host, const FoundFile& source, const fs::path& target) {
  const Growing growing(target);
  if (!link_file(source, growing.path)) {
    const auto copy = open_file(growing.path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    copy_bytes(host, source.fd.get(), copy.get(), growing.path);
    if (::fchmod(copy.get(), 0644) != 0) fail(tr_later("set the mode of"), growing.path);
    if (::fsync(copy.get()) != 0) fail(tr_later("sync"), growing.path);
  }
  for (const auto* leftover : {".part", ".part.meta"}) ::unlink((target.string() + leftover).c_str());
  if (::rename(growing.path.c_str(), target.c_str()) != 0) fail(tr_later("create"), target);
  sync_path(target.parent_path());
}

FileLock::FileLock(const Host& host, const fs::path& file) : path_(file.string() + ".lock") {
  for (;;) {
    fd_ = open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
    while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail(tr_later("lock"), path_);
      host.check_interrupt();
      std::this_thread::sleep_for(50ms);
    }
    // The last holder removed the file it had locked: only the one that still has the name counts.
    struct stat held {};
    struct stat named {};
    if (::fstat(fd_.get(), &held) == 0 && ::lstat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino)
      return;
  }
}

FileLock::~FileLock() { ::unlink(path_.c_str()); }

}  // namespace cudapin
