// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/database_lock.hpp"

#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <ostream>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

fs::path lock_file(const PacmanConf& conf) { return conf.dbpath / "db.lck"; }

/// Seconds since the epoch, or 0 when /proc does not tell.
std::time_t boot_time(const Host& host) {
  const auto text = read_file_if_exists(host.proc / "stat");
  const auto at = text.find("\nbtime ");
  std::time_t seconds = 0;
  if (at != text.npos) std::from_chars(text.data() + at + 7, text.data() + text.size(), seconds);
  return seconds;
}

bool is_process(const fs::path& folder) {
  const auto name = folder.filename().string();
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

std::string command_of(const fs::path& process) {
  auto text = read_file_if_exists(process / "cmdline");
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return printable(text);
}

/// Compares the file itself: another mount namespace may show it under another path.
bool has_open(const fs::path& process, const struct stat& lock) {
  std::error_code gone;
  for (fs::directory_iterator fd(process / "fd", gone), end; !gone && fd != end; fd.increment(gone)) {
    std::error_code closed;
    struct stat info {};
    if (fs::read_symlink(fd->path(), closed).filename() == "db.lck" &&
        ::stat(fd->path().c_str(), &info) == 0 && info.st_dev == lock.st_dev && info.st_ino == lock.st_ino)
      return true;
  }
  return false;
}

fs::path note_file(const Host& host) { return host.at(state_folder) / "lock.note"; }

/// "INODE CTIME" in nanoseconds.
std::string identity(const struct stat& lock) {
  return fmt::format("{} {}.{:09}", lock.st_ino, lock.st_ctim.tv_sec, lock.st_ctim.tv_nsec);
}

/// A number that no real group has: the kernel takes any, and those from here on are nobody's.
std::string unused_group() {
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint32_t>(::getpid());
  return std::to_string(0x78000000U | (number & 0x07ffffffU));
}

/// A note is "GROUP" or, once the lock was made, "GROUP INODE CTIME".
bool is_noted(const Host& host, const struct stat& lock) {
  const std::string note(trim(read_file_if_exists(note_file(host))));
  const auto blank = note.find(' ');
  if (note.empty()) return false;
  return blank == note.npos ? note == std::to_string(lock.st_gid) : note.substr(blank + 1) == identity(lock);
}

}  // namespace

LockNote::LockNote(const PacmanConf& conf, const Host& host)
    : lock_(lock_file(conf)), note_(note_file(host)), group_(unused_group()) {
  make_folders(note_.parent_path());
  write(group_);
  // Where it may not be set (a user namespace), only the lock's first moment is without proof.
  ::setfsgid(static_cast<gid_t>(std::stoul(group_)));
}

void LockNote::made() {
  ::setfsgid(::getegid());
  struct stat lock {};
  if (::lstat(lock_.c_str(), &lock) == 0) write(group_ + " " + identity(lock));
}

LockNote::~LockNote() {
  ::setfsgid(::getegid());
  std::error_code ignored;
  if (!fs::exists(lock_, ignored)) fs::remove(note_, ignored);
}

void LockNote::write(const std::string& text) const { replace_file(note_, text + "\n"); }

bool clear_dead_lock(const PacmanConf& conf, const Host& host, bool old_ones) {
  struct stat lock {};
  if (::lstat(lock_file(conf).c_str(), &lock) != 0) return false;
  const bool is_old = old_ones && lock.st_ctime < boot_time(host) && lock.st_mtime < boot_time(host);
  if ((!is_old && !is_noted(host, lock)) || !lock_holder(conf, host).empty()) return false;
  fs::remove(lock_file(conf));
  fs::remove(note_file(host));
  return true;
}

void wait_for_lock_holder(const PacmanConf& conf, const Host& host) {
  for (int tenths = 0; tenths < 100; ++tenths) {
    const auto holder = lock_holder(conf, host);
    if (holder.empty()) return;
    if (tenths == 0) *host.err << tr(":: waiting for {}, which is changing packages\n", holder);
    host.check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string lock_holder(const PacmanConf& conf, const Host& host) {
  struct stat lock {};
  if (::stat(lock_file(conf).c_str(), &lock) != 0) return {};
  std::error_code gone;
  for (fs::directory_iterator process(host.proc, gone), end; !gone && process != end; process.increment(gone))
    if (is_process(process->path()) && has_open(process->path(), lock))
      return fmt::format("pid {} ({})", process->path().filename().string(), command_of(process->path()));
  return {};
}

Error lock_failure(const PacmanConf& conf, const Host& host) {
  if (::access(conf.dbpath.c_str(), W_OK) != 0) {
    const bool is_read_only = errno == EROFS;
    const auto* reason =
        is_read_only ? tr_text("its file system is read-only") : tr_text("only root can change packages");
    return Error(tr("cannot write to the package database '{}': {}", conf.dbpath.string(), reason),
                 is_read_only ? file_hint(EROFS, conf.dbpath) : tr_text("run it again with sudo"));
  }
  const auto lock = lock_file(conf);
  struct stat info {};
  if (::stat(lock.c_str(), &info) != 0)
    return Error(tr("cannot create '{}'", lock.string()), file_hint(0, lock));
  if (const auto holder = lock_holder(conf, host); !holder.empty())
    return Error(tr("another program is changing packages: {} holds '{}'", holder, lock.string()),
                 tr_text("wait for it to end, then run the same command again"));
  return Error(tr("the package database is locked by '{}', {}", lock.string(),
                  info.st_mtime < boot_time(host) ? tr_text("which is from before this machine started")
                                                  : tr_text("but no process here has it open")),
               fmt::format("sudo rm '{}'", lock.string()));
}

}  // namespace cudapin
