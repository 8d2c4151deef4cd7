// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/database_lock.hpp"

#include "core/text.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>

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

}  // namespace

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
    const auto* reason = is_read_only ? "its file system is read-only" : "only root can change packages";
    return Error(fmt::format("cannot write to the package database '{}': {}", conf.dbpath.string(), reason),
                 is_read_only ? file_hint(EROFS, conf.dbpath) : "run it again with sudo");
  }
  const auto lock = lock_file(conf);
  struct stat info {};
  if (::stat(lock.c_str(), &info) != 0)
    return Error(fmt::format("cannot create '{}'", lock.string()), file_hint(0, lock));
  if (const auto holder = lock_holder(conf, host); !holder.empty())
    return Error(fmt::format("another program is changing packages: {} holds '{}'", holder, lock.string()),
                 "wait for it to end, then run the same command again");
  return Error(fmt::format("the package database is locked by '{}', {}", lock.string(),
                           info.st_mtime < boot_time(host) ? "which is from before this machine started"
                                                           : "but no process here has it open"),
               fmt::format("sudo rm '{}'", lock.string()));
}

}  // namespace cudapin
