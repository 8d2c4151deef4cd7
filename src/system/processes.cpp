// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace cudapin {

namespace {

constexpr std::uint64_t least_address_space = 1ull << 30;
constexpr std::size_t command_limit = 4096;
constexpr std::size_t text_limit = 4u << 20;

struct File {
  explicit File(int number) : fd(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

/// The first `limit` bytes, or nothing when it cannot be read.
std::string read_at(int folder, const char* name, std::size_t limit) {
  const File file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::string text;
  std::array<char, 8192> buffer;
  while (text.size() < limit) {
    const auto got = ::read(file.fd, buffer.data(), std::min(buffer.size(), limit - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// Calls `visit(folder, name)` for each entry; nothing for a folder that cannot be listed.
template <typename Visit>
void visit_entries(int parent, const char* name, Visit visit) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto close = [](DIR* folder) { ::closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> folder(fd < 0 ? nullptr : ::fdopendir(fd), close);
  if (!folder) return;
  while (const auto* entry = ::readdir(folder.get()))
    if (entry->d_name[0] != '.') visit(fd, entry->d_name);
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// The word number `index` of `text`, from 0.
std::string_view word(std::string_view text, std::size_t index) {
  constexpr std::string_view blank = " \t\n";
  for (;; --index) {
    const auto start = std::min(text.find_first_not_of(blank), text.size());
    text.remove_prefix(start);
    const auto end = std::min(text.find_first_of(blank), text.size());
    if (index == 0) return text.substr(0, end);
    text.remove_prefix(end);
  }
}

/// What follows `key` at the start of a line, to the end of that line.
std::string_view line_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (line.starts_with(key)) return line.substr(key.size());
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

/// CUDA reserves address space for every GPU's memory: 12 GiB and more once it is initialised.
bool may_compute(int process) {
  const auto pages = number<std::uint64_t>(word(read_at(process, "statm", 256), 0));
  static const auto page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return pages && *pages >= least_address_space / page_size;
}

struct OpenDevices {
  bool uvm = false;
  std::vector<int> gpus;
};

void add_device(OpenDevices& devices, std::string_view target) {
  constexpr std::string_view deleted = " (deleted)";
  constexpr std::string_view prefix = "/dev/nvidia";
  if (target.ends_with(deleted)) target.remove_suffix(deleted.size());
  if (!target.starts_with(prefix)) return;
  target.remove_prefix(prefix.size());
  if (target == "-uvm") devices.uvm = true;
  const auto minor = number<unsigned>(target);
  if (minor && *minor < 256) devices.gpus.push_back(static_cast<int>(*minor));
}

OpenDevices open_devices(int process) {
  OpenDevices devices;
  visit_entries(process, "fd", [&](int folder, const char* name) {
    std::array<char, 64> target;
    const auto length = ::readlinkat(folder, name, target.data(), target.size());
    if (length > 0) add_device(devices, {target.data(), static_cast<std::size_t>(length)});
  });
  std::sort(devices.gpus.begin(), devices.gpus.end());
  devices.gpus.erase(std::unique(devices.gpus.begin(), devices.gpus.end()), devices.gpus.end());
  return devices;
}

/// argv, or the bracketed name of a process that has none.
std::string command_of(int process, std::string_view stat) {
  auto command = read_at(process, "cmdline", command_limit);
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  if (!command.empty()) return command;
  const auto open = stat.find('(');
  const auto close = stat.rfind(')');
  return open < close && close != stat.npos ? "[" + std::string(stat.substr(open + 1, close - open - 1)) + "]"
                                            : "";
}

/// Field 22 of stat, in seconds since boot. The name before it may hold anything, parentheses too.
std::optional<std::time_t> seconds_after_boot(std::string_view stat) {
  const auto close = stat.rfind(')');
  if (close == stat.npos) return std::nullopt;
  const auto ticks = number<std::uint64_t>(word(stat.substr(close + 1), 19));
  if (!ticks) return std::nullopt;
  return static_cast<std::time_t>(*ticks / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

/// From the text of /etc/passwd: name services could block or lie at the wrong moment.
std::string user_name(std::string_view passwd, uid_t uid) {
  while (!passwd.empty()) {
    const auto line = passwd.substr(0, passwd.find('\n'));
    passwd.remove_prefix(std::min(line.size() + 1, passwd.size()));
    const auto name = line.substr(0, line.find(':'));
    const auto secret = line.find(':', name.size() + 1);
    if (name.empty() || secret == line.npos) continue;
    const auto field = line.substr(secret + 1, line.find(':', secret + 1) - secret - 1);
    if (number<uid_t>(field) == uid) return std::string(name);
  }
  return std::to_string(uid);
}

std::optional<ComputeProcess> inspect(pid_t pid, int process) {
  if (!may_compute(process)) return std::nullopt;
  auto devices = open_devices(process);
  if (!devices.uvm) return std::nullopt;
  const auto stat = read_at(process, "stat", text_limit);
  const auto status = read_at(process, "status", text_limit);
  const auto uid = number<uid_t>(word(line_after(status, "Uid:"), 0));
  const auto started = seconds_after_boot(stat);
  if (!uid || !started) return std::nullopt;
  return ComputeProcess{.pid = pid,
                        .uid = *uid,
                        .user = {},
                        .command = command_of(process, stat),
                        .gpus = std::move(devices.gpus),
                        .started = *started};
}

}  // namespace

std::vector<ComputeProcess> compute_processes(const Host& host) {
  std::vector<ComputeProcess> found;
  visit_entries(AT_FDCWD, host.proc.c_str(), [&](int proc, const char* name) {
    const auto pid = number<pid_t>(name);
    if (!pid) return;
    // Everything is read below this descriptor, so a recycled pid cannot mix two processes.
    const File process(::openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (process.fd < 0) return;
    if (auto computing = inspect(*pid, process.fd)) found.push_back(std::move(*computing));
  });
  if (found.empty()) return found;
  const auto stat = read_at(AT_FDCWD, (host.proc / "stat").c_str(), text_limit);
  const auto boot = number<std::time_t>(word(line_after(stat, "btime"), 0)).value_or(0);
  const auto passwd = read_at(AT_FDCWD, (host.root / "etc/passwd").c_str(), text_limit);
  for (auto& process : found) {
    process.started += boot;
    process.user = user_name(passwd, process.uid);
  }
  std::sort(found.begin(), found.end(), [](auto& left, auto& right) { return left.pid < right.pid; });
  return found;
}

}  // namespace cudapin
