// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/peek.hpp"

#include "core/text.hpp"
#include "core/version.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A handle on `path` below `root` that opens nothing yet. Absolute links and `..` stay below root, where the
/// kernel knows how.
Fd locate(const fs::path& root, const std::string& path) {
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return Fd();
  const auto inside = path.substr(std::min(path.find_first_not_of('/'), path.size()));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const auto below =
      ::syscall(SYS_openat2, top.get(), inside.empty() ? "." : inside.c_str(), &how, sizeof how);
  if (below < 0 && (errno == ENOSYS || errno == EPERM))
    return Fd(::openat(top.get(), inside.empty() ? "." : inside.c_str(), O_PATH | O_CLOEXEC));
  return Fd(static_cast<int>(below));
}

bool is_kind(const Fd& fd, mode_t kind) {
  struct stat info {};
  return fd && ::fstat(fd.get(), &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

std::string reopened(const Fd& fd) { return fmt::format("/proc/self/fd/{}", fd.get()); }

}  // namespace

std::string read_start(const fs::path& root, const std::string& path, std::size_t limit) {
  const auto handle = locate(root, path);
  if (!is_kind(handle, S_IFREG)) return {};
  const Fd file(::open(reopened(handle).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text(limit, '\0');
  std::size_t length = 0;
  while (file && length < text.size()) {
    const auto got = ::read(file.get(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

std::vector<std::string> names_in(const fs::path& root, const std::string& path) {
  std::vector<std::string> names;
  const auto handle = locate(root, path);
  if (!is_kind(handle, S_IFDIR)) return names;
  std::error_code error;
  for (fs::directory_iterator at(reopened(handle), error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  return names;
}

bool is_dotted_version(std::string_view text) {
  if (text.size() > 32 || text.find('.') == text.npos) return false;
  bool digit = false;
  for (const char c : text) {
    if (c == '.' && !digit) return false;
    digit = c != '.';
    if (digit && (c < '0' || c > '9')) return false;
  }
  return digit;
}

std::string first_version(std::string_view line) {
  for (const auto& word : split(line, " \t\r"))
    if (is_dotted_version(word)) return word;
  return {};
}

std::string_view first_line(std::string_view text) { return trim(text.substr(0, text.find('\n'))); }

std::string highest_suffix(const std::vector<std::string>& names, std::string_view stem) {
  std::string highest;
  for (const auto& name : names) {
    if (!name.starts_with(stem)) continue;
    const auto suffix = name.substr(stem.size());
    if (is_dotted_version(suffix) && (highest.empty() || compare_versions(highest, suffix) < 0))
      highest = suffix;
  }
  return highest;
}

int defined_number(std::string_view header, std::string_view name) {
  constexpr std::string_view directive = "#define";
  for (auto at = header.find(directive); at != header.npos; at = header.find(directive, at + 1)) {
    const auto line = trim(header.substr(at + directive.size(), 100));
    const auto rest = line.substr(std::min(name.size(), line.size()));
    if (!line.starts_with(name) || rest.empty() || (rest[0] != ' ' && rest[0] != '\t')) continue;
    const auto value = trim(rest);
    int number = -1;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
  }
  return -1;
}

std::string read_end(const fs::path& file, std::size_t limit) {
  const Fd log(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!log || ::fstat(log.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::string text(std::min<std::size_t>(limit, static_cast<std::size_t>(info.st_size)), '\0');
  const auto got =
      ::pread(log.get(), text.data(), text.size(), info.st_size - static_cast<off_t>(text.size()));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  if (static_cast<std::size_t>(info.st_size) > text.size()) text.erase(0, text.find('\n') + 1);
  return text;
}

bool exists_below(const fs::path& root, const std::string& path) {
  return static_cast<bool>(locate(root, path));
}

std::string resolved(const fs::path& root, const std::string& path) {
  const auto handle = locate(root, path);
  if (!handle) return {};
  std::error_code error;
  const auto real = fs::read_symlink(reopened(handle), error);
  const auto top = fs::canonical(root, error);
  const auto inside = real.lexically_relative(top);
  return error || inside.empty() || inside.native().starts_with("..") ? std::string{} : "/" + inside.string();
}

}  // namespace cudapin
