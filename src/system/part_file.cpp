// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/part_file.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t journal_limit = 16u << 20;
constexpr auto sync_every = 10s;

[[noreturn]] void fail(int reason, std::string_view act, const fs::path& path) {
  throw Error(tr("cannot {} '{}': {}", act, path.string(), std::strerror(reason)), file_hint(reason, path));
}

[[noreturn]] void fail(const char* act, const fs::path& path) { fail(errno, tr_text(act), path); }

std::uint64_t size_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::string boot_of(const Host& host) {
  std::error_code missing;
  const auto path = host.proc / "sys/kernel/random/boot_id";
  return fs::exists(path, missing) ? std::string(trim(read_file(path, 100))) : std::string{};
}

PartNote read_note(const fs::path& path, const std::string& boot) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return {};
  return parse_part_note(read_file(path, journal_limit), boot);
}

/// A file system that cannot reserve can still be asked what is free.
void reserve(int fd, std::uint64_t total, const fs::path& path) {
  if (total == 0 || ::fallocate(fd, 0, 0, static_cast<off_t>(total)) == 0) return;
  const auto act = tr("reserve {} for", human_size(total));
  if (errno != EOPNOTSUPP && errno != ENOSYS) fail(errno, act, path);
  struct statvfs space {};
  struct stat info {};
  if (::fstatvfs(fd, &space) != 0 || ::fstat(fd, &info) != 0) return;
  const auto here = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (space.f_bavail * space.f_frsize + here < total) fail(ENOSPC, act, path);
}

void write_all(int fd, std::string_view bytes, std::uint64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const auto written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(tr_later("write"), path);
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

PartFile::PartFile(const Host& host, fs::path target)
    : target_(std::move(target)),
      path_(target_.string() + ".part"),
      journal_path_(path_.string() + ".meta"),
      boot_(boot_of(host)),
      note_(read_note(journal_path_, boot_)) {
  std::error_code missing;
  if (!note_.have().empty() && fs::is_regular_file(fs::symlink_status(path_, missing))) open(false);
  const auto held = note_.have();
  if (fd_ && !held.empty() && held.ranges().back().end <= size_of(fd_.get()))
    start_journal();
  else
    note_ = {};
}

PartFile::~PartFile() {
  if (!note_.have().empty()) return;
  if (!fd_ && !journal_) return;
  ::unlink(path_.c_str());
  ::unlink(journal_path_.c_str());
}

void PartFile::open(bool create) {
  fd_ = open_file(path_, O_RDWR | O_NOFOLLOW | (create ? O_CREAT : 0), 0644);
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0 || !S_ISREG(info.st_mode)) fail(tr_later("use"), path_);
}

void PartFile::begin(std::uint64_t total) {
  if (!fd_) open(true);
  if (note_.have().empty() && ::ftruncate(fd_.get(), 0) != 0) fail(tr_later("write"), path_);
  note_.total = total;
  reserve(fd_.get(), total, path_);
  start_journal();
}

void PartFile::restart(std::uint64_t total) {
  note_ = {};
  begin(total);
}

/// What an earlier process wrote is put on the disk first, so that the new journal promises no more than the
/// old one.
void PartFile::start_journal() {
  const auto text = part_note_text(note_, boot_);
  lines_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (!note_.have().empty() && ::fdatasync(fd_.get()) != 0) fail(tr_later("sync"), path_);
  ::unlink(journal_path_.c_str());
  journal_ = open_file(journal_path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0644);
  append(text + synced_line(lines_));
  lines_ = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
}

void PartFile::append(const std::string& line) {
  ++lines_;
  for (std::string_view left = line; !left.empty();) {
    const auto written = ::write(journal_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(tr_later("write"), journal_path_);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::size_t PartFile::source(const std::string& url, const std::string& validator) {
  for (std::size_t i = 0; i < note_.sources.size(); ++i)
    if (note_.sources[i].url == url && note_.sources[i].validator == validator) return i;
  note_.sources.push_back({url, validator});
  append(source_line(note_.sources.back()));
  return note_.sources.size() - 1;
}

void PartFile::write(std::uint64_t offset, std::string_view bytes) {
  write_all(fd_.get(), bytes, offset, path_);
}

void PartFile::record(std::size_t source, Range range) {
  if (range.size() == 0) return;
  note_.sources[source].have.add(range);
  append(range_line(source, range));
}

void PartFile::drop(std::size_t source) {
  note_.sources[source].have = {};
  append(drop_line(source));
}

void PartFile::sync_sometimes() {
  if (!fd_ || !journal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (syncing_.valid()) {
    if (syncing_.wait_for(0s) != std::future_status::ready) return;
    synced_ = now;
    if (syncing_.get() == 0) append(synced_line(lines_syncing_));
    return;
  }
  if (now - synced_ < sync_every) return;
  lines_syncing_ = lines_;
  syncing_ = std::async(std::launch::async, [fd = fd_.get()] { return ::fdatasync(fd); });
}

void PartFile::finish() {
  if (syncing_.valid()) syncing_.wait();
  const auto total = note_.total ? note_.total : note_.have().front();
  if (::ftruncate(fd_.get(), static_cast<off_t>(total)) != 0) fail(tr_later("write"), path_);
  if (::fchmod(fd_.get(), 0644) != 0) fail(tr_later("set the mode of"), path_);
  if (::fsync(fd_.get()) != 0) fail(tr_later("sync"), path_);
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(tr_later("create"), target_);
  ::unlink(journal_path_.c_str());
  sync_path(target_.parent_path().empty() ? fs::path(".") : target_.parent_path());
}

}  // namespace cudapin
