// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/part_file.hpp"

#include "core/error.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const char* act, const fs::path& path) {
  const int reason = errno;
  throw Error(tr("cannot {} '{}': {}", tr_text(act), path.string(), std::strerror(reason)),
              file_hint(reason, path));
}

struct Note {
  std::uint64_t total = 0;
  std::string validator;
  bool usable = false;
};

/// "LENGTH VALIDATOR\n"
Note read_note(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return {};
  const auto text = read_file(path, 4096);
  Note note;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), note.total);
  const auto at = static_cast<std::size_t>(end - text.data());
  if (failure != std::errc{} || at >= text.size() || text[at] != ' ' || text.back() != '\n') return Note{};
  note.validator = text.substr(at + 1, text.size() - at - 2);
  note.usable = note.total > 0 || !note.validator.empty();
  return note;
}

}  // namespace

PartFile::PartFile(fs::path target)
    : target_(std::move(target)), path_(target_.string() + ".part"), note_(path_.string() + ".meta") {
  fd_ = open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0 || !S_ISREG(info.st_mode)) fail(tr_later("use"), path_);
  const auto note = read_note(note_);
  total_ = note.total;
  validator_ = note.validator;
  truncate(note.usable ? static_cast<std::uint64_t>(info.st_size) : 0);
}

PartFile::~PartFile() {
  if (size_ > 0) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
  fs::remove(note_, ignored);
}

void PartFile::truncate(std::uint64_t size) {
  if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) fail(tr_later("write"), path_);
  if (::lseek(fd_.get(), static_cast<off_t>(size), SEEK_SET) < 0) fail(tr_later("write"), path_);
  size_ = size;
}

std::uint64_t PartFile::prepare_resume() {
  if (total_ > 0 && size_ >= total_) truncate(total_ - 1);
  return size_;
}

void PartFile::restart(std::uint64_t total, std::string_view validator) {
  truncate(0);
  total_ = total;
  validator_ = validator;
  replace_file(note_, fmt::format("{} {}\n", total_, validator_));
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(tr_later("write"), path_);
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartFile::finish() {
  if (::fchmod(fd_.get(), 0644) != 0) fail(tr_later("set the mode of"), path_);
  if (::fsync(fd_.get()) != 0) fail(tr_later("sync"), path_);
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(tr_later("create"), target_);
  std::error_code ignored;
  fs::remove(note_, ignored);
  sync_path(target_.parent_path().empty() ? fs::path(".") : target_.parent_path());
}

}  // namespace cudapin
