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
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t journal_limit = 16u << 20;
constexpr auto sync_every = 10s;
constexpr std::uint64_t most_unsynced = 32 << 20;  // so that little is left for the end
constexpr int most_tries = 1000;                   // a millisecond each, for a writer that is about to end

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

/// For reading and writing, whether it is there or not, with the mode that a whole file has.
Fd open_regular(const fs::path& path, int flags) {
  Fd fd = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW | flags, 0644);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) fail(tr_later("use"), path);
  if ((info.st_mode & 07777) != 0644 && ::fchmod(fd.get(), 0644) != 0)
    fail(tr_later("set the mode of"), path);
  return fd;
}

/// Whoever can write a file can do so after it was found good; the kernel gives no lease of such a file. Not
/// every file system knows leases.
void require_no_writer(const fs::path& path) {
  const auto file = open_file(path, O_RDONLY | O_NOFOLLOW);
  for (auto tries = 0; ::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0; ++tries) {
    if (errno != EAGAIN) return;
    if (tries == most_tries) throw Error(tr("'{}' is still open for writing", path.string()));
    std::this_thread::sleep_for(1ms);
  }
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
      fd_(open_regular(path_, 0)),
      journal_(open_regular(journal_path_, O_APPEND)),
      note_(parse_part_note(read_file(journal_path_, journal_limit), boot_)) {
  const auto held = note_.have();
  is_begun_ = !held.empty() && held.ranges().back().end <= size_of(fd_.get());
  if (is_begun_)
    start_journal();
  else
    note_ = {};
}

/// The journal says what is there, whichever process has written it.
PartFile::~PartFile() {
  if (!fd_) return;
  try {
    if (!parse_part_note(read_file(journal_path_, journal_limit), boot_).have().empty()) return;
  } catch (const Error&) {
    return;
  }
  ::unlink(path_.c_str());
  ::unlink(journal_path_.c_str());
}

void PartFile::begin(std::uint64_t total) {
  if (note_.have().empty() && ::ftruncate(fd_.get(), 0) != 0) fail(tr_later("write"), path_);
  note_.total = total;
  reserve(fd_.get(), total, path_);
  start_journal();
  is_begun_ = true;
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
  if (::ftruncate(journal_.get(), 0) != 0) fail(tr_later("write"), journal_path_);
  append(text + synced_line(lines_));
  lines_ = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
}

void PartFile::append(const std::string& line) {
  ++lines_;
  if (!write_all(journal_.get(), line)) fail(tr_later("write"), journal_path_);
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
  unsynced_ += bytes.size();
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
  if (!is_begun_) return;
  const auto now = std::chrono::steady_clock::now();
  if (syncing_.valid()) {
    if (syncing_.wait_for(0s) != std::future_status::ready) return;
    synced_ = now;
    if (syncing_.get() == 0) append(synced_line(lines_syncing_));
    return;
  }
  if (now - synced_ < sync_every && unsynced_ < most_unsynced) return;
  unsynced_ = 0;
  lines_syncing_ = lines_;
  syncing_ = std::async(std::launch::async, [fd = fd_.get()] { return ::fdatasync(fd); });
}

void PartFile::settle() {
  if (syncing_.valid()) syncing_.wait();
  const auto total = note_.total ? note_.total : note_.have().front();
  if (::ftruncate(fd_.get(), static_cast<off_t>(total)) != 0) fail(tr_later("write"), path_);
  if (::fsync(fd_.get()) != 0) fail(tr_later("sync"), path_);
  fd_ = Fd();
}

void PartFile::publish() {
  fd_ = Fd();
  require_no_writer(path_);
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(tr_later("create"), target_);
  ::unlink(journal_path_.c_str());
  sync_path(target_.parent_path().empty() ? fs::path(".") : target_.parent_path());
}

}  // namespace cudapin
