// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;

namespace cudapin {

/// A file descriptor that closes itself.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

/// What to do about the system's refusal `reason` (an errno) at `path`, as a command.
std::string file_hint(int reason, const std::filesystem::path& path);

/// Opens with O_CLOEXEC; throws Error "cannot open 'PATH': reason".
Fd open_file(const std::filesystem::path& path, int flags, mode_t mode = 0644);

/// The whole file; throws Error with the path and the system's reason, or when it is larger than `limit`
/// bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = 64u << 20);

/// The whole file, or nothing at all when it does not exist.
std::string read_file_if_exists(const std::filesystem::path& path);

/// Writes them one after another where the file is at; false, with errno, when it does not take them all.
bool write_all(int fd, std::string_view bytes);

/// Replaces `path` by `text`: written beside it, synced, renamed, folder synced. The mode, owner and extended
/// attributes of an existing file are kept and a symlink is followed; a new file gets `mode`. On failure the
/// old file stands.
void replace_file(const std::filesystem::path& path, std::string_view text, mode_t mode = 0644);

/// What the name of a file that replace_file has not finished ends with.
inline constexpr std::string_view unfinished_ending = ".cudapin-new";

/// Removes such files from a folder.
void remove_unfinished(const std::filesystem::path& folder);

/// Creates the folder and its missing parents, mode 0755.
void make_folders(const std::filesystem::path& folder);

/// Syncs a file or folder to its disk.
void sync_path(const std::filesystem::path& path);

/// Syncs the whole file system that holds `path`.
void sync_file_system(const std::filesystem::path& path);

/// SHA-256 of data that comes in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view data);
  /// Lower-case hexadecimal; ends the sum.
  std::string finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// Whether `path` is `folder` or lies in it, by their names.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Lower-case hexadecimal SHA-256 of a file's content or of text.
std::string sha256_file(const std::filesystem::path& path);
std::string sha256_text(std::string_view text);

}  // namespace cudapin
