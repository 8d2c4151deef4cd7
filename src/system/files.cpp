// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/files.hpp"

#include "core/error.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const char* act, const fs::path& path) {
  const int reason = errno;
  throw Error(tr("cannot {} '{}': {}", tr_text(act), path.string(), std::strerror(reason)),
              file_hint(reason, path));
}

/// The path, or the nearest folder above it that is there.
fs::path existing(fs::path path) {
  std::error_code missing;
  while (!fs::exists(path, missing) && path.has_relative_path()) path = path.parent_path();
  return path;
}

void write_to(int fd, std::string_view text, const fs::path& path) {
  if (!write_all(fd, text)) fail(tr_later("write"), path);
}

void copy_attributes(int from, int to) {
  std::array<char, 4096> names{};
  const auto length = ::flistxattr(from, names.data(), names.size());
  for (ssize_t at = 0; at < length; at += static_cast<ssize_t>(std::strlen(&names[at])) + 1) {
    std::array<char, 65536> value{};
    const auto size = ::fgetxattr(from, &names[at], value.data(), value.size());
    if (size >= 0) (void)::fsetxattr(to, &names[at], value.data(), static_cast<std::size_t>(size), 0);
  }
}

/// A new file beside the target that disappears unless it is renamed. Always of the same name: what a killed
/// process leaves is in nobody's way and gone the next time.
struct Beside {
  explicit Beside(const fs::path& target) : path(target.string() + std::string(unfinished_ending)) {
    ::unlink(path.c_str());
    fd = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) fail(tr_later("write beside"), target);
  }
  ~Beside() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  std::string path;
  Fd fd;
};

void take_over_metadata(const fs::path& target, int fd, mode_t mode) {
  const Fd old(::open(target.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (old && ::fstat(old.get(), &info) == 0) {
    mode = info.st_mode & 07777;
    if (::fchown(fd, info.st_uid, info.st_gid) != 0 && errno != EPERM)
      fail(tr_later("keep the owner of"), target);
    copy_attributes(old.get(), fd);
  }
  if (::fchmod(fd, mode) != 0) fail(tr_later("set the mode of"), target);
}

}  // namespace

std::string file_hint(int reason, const fs::path& path) {
  const auto place = existing(path).string();
  if (reason == ENOSPC || reason == EDQUOT) return fmt::format("df -h '{}'", place);
  if (reason == EROFS) return fmt::format("findmnt -T '{}'", place);
  return fmt::format("ls -ld '{}'", place);
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

int Fd::release() { return std::exchange(fd_, -1); }

Fd open_file(const fs::path& path, int flags, mode_t mode) {
  Fd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!fd) fail(tr_later("open"), path);
  return fd;
}

std::string read_file(const fs::path& path, std::size_t limit) {
  const auto fd = open_file(path, O_RDONLY);
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const auto got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(tr_later("read"), path);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > limit) throw Error(tr("cannot read '{}': larger than {} bytes", path.string(), limit));
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_file_if_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? read_file(path) : std::string{};
}

void replace_file(const fs::path& path, std::string_view text, mode_t mode) {
  std::error_code missing;
  const auto real = fs::canonical(path, missing);
  const auto target = missing ? path : real;
  Beside beside(target);
  take_over_metadata(target, beside.fd.get(), mode);
  write_to(beside.fd.get(), text, target);
  if (::fsync(beside.fd.get()) != 0) fail(tr_later("sync"), target);
  if (::rename(beside.path.c_str(), target.c_str()) != 0) fail(tr_later("replace"), target);
  beside.path.clear();
  sync_path(target.parent_path().empty() ? fs::path(".") : target.parent_path());
}

void remove_unfinished(const fs::path& folder) {
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().string().ends_with(unfinished_ending)) fs::remove(entry.path(), missing);
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(tr("cannot create '{}': {}", folder.string(), error.message()),
                file_hint(error.value(), folder));
}

void sync_path(const fs::path& path) {
  const auto fd = open_file(path, O_RDONLY);
  if (::fsync(fd.get()) != 0 && errno != EINVAL) fail(tr_later("sync"), path);
}

void sync_file_system(const fs::path& path) {
  const auto fd = open_file(path, O_RDONLY);
  if (::syncfs(fd.get()) != 0) fail(tr_later("sync the file system of"), path);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

void Sha256::add(std::string_view data) { EVP_DigestUpdate(context_.get(), data.data(), data.size()); }

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + length, ""));
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto inside = path.lexically_normal().lexically_relative(folder.lexically_normal());
  return !inside.empty() && *inside.begin() != "..";
}

std::string sha256_file(const fs::path& path) {
  const auto fd = open_file(path, O_RDONLY);
  Sha256 sum;
  std::array<char, 1 << 17> buffer;
  for (;;) {
    const auto got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(tr_later("read"), path);
    if (got == 0) return sum.finish();
    sum.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

std::string sha256_text(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.finish();
}

}  // namespace cudapin
