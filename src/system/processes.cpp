// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/processes.hpp"

#include "system/process_text.hpp"
#include "system/raw_files.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace cudapin {

using namespace process_text;

namespace {

/// CUDA reserves address space for every GPU's memory: 12 GiB and more once it is initialised on an H200.
/// Looked for in turns, down to every process, until as many hold the device as the kernel says.
constexpr std::array<std::uint64_t, 3> address_spaces{8ull << 30, 1ull << 30, 0};
constexpr std::size_t command_limit = 4096;
constexpr std::size_t text_limit = 4u << 20;
constexpr std::size_t maps_limit = 16u << 20;
constexpr std::string_view run_socket = " @cudapin-run-";
constexpr std::string_view deleted = " (deleted)";

/// Programs that open the compute device without training anybody: the servers that share or wake a GPU, and
/// what decodes video. A client of the MPS server opens the device itself.
constexpr std::array not_training{
    "/usr/bin/nvidia-cuda-mps-*",
    "/usr/bin/nvidia-persistenced",
    "/usr/lib/firefox*/firefox*",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome*/chrome",
    "/opt/brave*/brave",
    "/opt/vivaldi*/vivaldi*",
    "/opt/microsoft/msedge/msedge",
    "/usr/bin/mpv",
    "/usr/bin/vlc",
    "/usr/bin/ffplay",
    "/usr/bin/totem",
};

struct Devices {
  std::size_t uvm = 0;  ///< descriptors of the compute device
  std::vector<int> gpus;
};

void add_device(Devices& devices, std::string_view target) {
  constexpr std::string_view prefix = "/dev/nvidia";
  if (target.ends_with(deleted)) target.remove_suffix(deleted.size());
  if (!target.starts_with(prefix)) return;
  target.remove_prefix(prefix.size());
  if (target == "-uvm") ++devices.uvm;
  const auto minor = number<unsigned>(target);
  if (minor && *minor < 256) devices.gpus.push_back(static_cast<int>(*minor));
}

bool add_open_devices(int folder, const char* name, Devices& devices) {
  return raw::visit_entries(folder, name, [&](int descriptors, const char* descriptor) {
    std::array<char, 64> target;
    const auto length = ::readlinkat(descriptors, descriptor, target.data(), target.size());
    if (length > 0) add_device(devices, {target.data(), static_cast<std::size_t>(length)});
  });
}

/// A thread group leader that has ended leaves its descriptors with its other threads.
void add_devices_of_threads(int process, Devices& devices) {
  raw::visit_entries(process, "task", [&](int tasks, const char* thread) {
    if (devices.uvm == 0) add_open_devices(tasks, (std::string(thread) + "/fd").c_str(), devices);
  });
}

std::string link_at(int folder, const char* name) {
  std::array<char, 4096> target;
  const auto length = ::readlinkat(folder, name, target.data(), target.size());
  return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length)) : std::string();
}

/// argv, or the bracketed name of a process that has none.
std::string command_of(int process, std::string_view stat) {
  auto command = raw::read_at(process, "cmdline", command_limit);
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  const auto name = name_in(stat);
  return command.empty() && !name.empty() ? "[" + std::string(name) + "]" : command;
}

/// Field 22 of stat, in seconds since boot.
std::optional<std::time_t> seconds_after_boot(std::string_view stat) {
  const auto ticks = number<std::uint64_t>(word(after_name(stat), 19));
  if (!ticks) return std::nullopt;
  return static_cast<std::time_t>(*ticks / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

/// Directory services know users that /etc/passwd does not, but asking them could block; the process itself
/// can only claim a name, so its uid is shown too.
std::string user_of(int process, const std::string& passwd, uid_t uid) {
  if (const auto name = user_name(passwd, uid)) return *name;
  const auto environ = raw::read_at(process, "environ", 1u << 20);
  for (const auto* key : {"USER", "LOGNAME"})
    if (const auto claimed = variable(environ, key); !claimed.empty())
      return std::string(claimed.substr(0, 64)) + " (uid " + std::to_string(uid) + ")";
  return std::to_string(uid);
}

bool matches(const char* pattern, const std::string& executable) {
  const auto name = executable.substr(executable.rfind('/') + 1);
  const bool is_path = std::string_view(pattern).find('/') != std::string_view::npos;
  return ::fnmatch(pattern, is_path ? executable.c_str() : name.c_str(), 0) == 0;
}

/// Whether it only asks the management library, which opens the compute device too (seen with driver 580.159
/// on an H200: nvmlInit opens it twice). What computes maps a device from cuInit on; what cannot be read
/// computes.
bool only_watches(int process) {
  const auto maps = raw::read_at(process, "maps", maps_limit);
  return maps.size() < maps_limit && maps.find("/libnvidia-ml.so") != maps.npos &&
         maps.find(" /dev/nvidia") == maps.npos;
}

/// One look through /proc. Everything of a process is read below its own descriptor, so a recycled pid cannot
/// mix two processes.
class Walk {
 public:
  Walk(const Host& host, std::span<const std::string> ignored) : host_(host), ignored_(ignored) {}

  /// Adds who has the compute device open, of the processes with at least that much address space; returns
  /// how many descriptors of it were seen.
  std::size_t add_holders(std::uint64_t least_address_space) {
    const bool everywhere = least_address_space == 0;
    std::size_t seen = 0;
    scan = {};
    scan.is_readable = raw::visit_entries(AT_FDCWD, host_.proc.c_str(), [&](int proc, const char* name) {
      const auto pid = number<pid_t>(name);
      if (!pid || (!everywhere && address_space(proc, name) < least_address_space)) return;
      const raw::File process(::openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (process.fd < 0) return;
      const auto devices = devices_of(process.fd, everywhere);
      seen += devices.uvm;
      if (devices.uvm > 0) add(*pid, process.fd, devices.gpus);
    });
    return seen;
  }

  /// `cudapin run` has a socket by a name with its pid, so one file leads to it without a look at every
  /// process.
  /// (/proc/locks would too, but costs a grace period of the kernel, 10 ms.) Anybody can take such a name;
  /// what counts is the process.
  void add_watched_runs() {
    const auto sockets = raw::read_at(AT_FDCWD, (host_.proc / "net/unix").c_str(), text_limit);
    std::vector<pid_t> seen;
    for (auto at = sockets.find(run_socket); at != sockets.npos; at = sockets.find(run_socket, at + 1)) {
      const auto digits = std::string_view(sockets).substr(at + run_socket.size());
      const auto pid = number<pid_t>(digits.substr(0, digits.find_first_of("-\n")));
      if (!pid || *pid <= 0 || std::find(seen.begin(), seen.end(), *pid) != seen.end()) continue;
      seen.push_back(*pid);
      add_if_run(*pid);
    }
  }

  WorkScan finish() {
    std::sort(scan.processes.begin(), scan.processes.end(),
              [](auto& left, auto& right) { return left.pid < right.pid; });
    return std::move(scan);
  }

  WorkScan scan;

 private:
  /// In bytes; 0 for a process that is gone. By three system calls: this is done to every process.
  static std::uint64_t address_space(int proc, const char* name) {
    static const auto page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::array<char, 280> path;
    std::snprintf(path.data(), path.size(), "%s/statm", name);
    const raw::File file(::openat(proc, path.data(), O_RDONLY | O_CLOEXEC));
    std::array<char, 128> text;
    const auto length = file.fd < 0 ? -1 : ::read(file.fd, text.data(), text.size());
    if (length <= 0) return 0;
    const auto pages = number<std::uint64_t>(word({text.data(), static_cast<std::size_t>(length)}, 0));
    return pages.value_or(0) * page_size;
  }

  Devices devices_of(int process, bool everywhere) {
    Devices devices;
    if (!add_open_devices(process, "fd", devices) && (errno == EACCES || errno == EPERM))
      scan.is_complete = false;
    if (everywhere && devices.uvm == 0) add_devices_of_threads(process, devices);
    std::sort(devices.gpus.begin(), devices.gpus.end());
    devices.gpus.erase(std::unique(devices.gpus.begin(), devices.gpus.end()), devices.gpus.end());
    return devices;
  }

  void add(pid_t pid, int process, const std::vector<int>& gpus) {
    auto executable = link_at(process, "exe");
    if (executable.ends_with(deleted)) executable.resize(executable.size() - deleted.size());
    if (std::any_of(not_training.begin(), not_training.end(),
                    [&](const char* pattern) { return matches(pattern, executable); }) ||
        only_watches(process))
      return;
    const auto stat = raw::read_at(process, "stat", text_limit);
    const auto status = raw::read_at(process, "status", text_limit);
    const auto uid = number<uid_t>(word(line_after(status, "Uid:"), 0));
    const auto started = seconds_after_boot(stat);
    if (!uid || !started) return;
    read_machine();
    const bool is_ignored = std::any_of(ignored_.begin(), ignored_.end(), [&](const std::string& pattern) {
      return matches(pattern.c_str(), executable) ||
             ::fnmatch(pattern.c_str(), std::string(name_in(stat)).c_str(), 0) == 0;
    });
    scan.processes.push_back({.pid = pid,
                              .uid = *uid,
                              .user = user_of(process, passwd_, *uid),
                              .command = command_of(process, stat),
                              .gpus = gpus,
                              .started = boot_ + *started,
                              .executable = std::move(executable),
                              .place = place(raw::read_at(process, "cgroup", text_limit)),
                              .is_ignored = is_ignored});
  }

  /// A root-owned program called cudapin whose verb is `run`: what an ordinary user cannot make up.
  void add_if_run(pid_t pid) {
    const raw::File process(
        ::open((host_.proc / std::to_string(pid)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat info {};
    if (process.fd < 0 || ::fstatat(process.fd, "exe", &info, 0) != 0 || info.st_uid != 0) return;
    auto executable = link_at(process.fd, "exe");
    if (executable.ends_with(deleted)) executable.resize(executable.size() - deleted.size());
    const auto arguments = raw::read_at(process.fd, "cmdline", command_limit);
    const auto verb =
        std::string_view(arguments).substr(std::min(arguments.find('\0') + 1, arguments.size()));
    if (executable.ends_with("/bin/cudapin") && verb.starts_with(std::string_view("run\0", 4)))
      add(pid, process.fd, {});
  }

  /// What names and dates processes; read once somebody needs it.
  void read_machine() {
    if (has_read_machine_) return;
    has_read_machine_ = true;
    const auto stat = raw::read_at(AT_FDCWD, (host_.proc / "stat").c_str(), text_limit);
    boot_ = number<std::time_t>(word(line_after(stat, "btime"), 0)).value_or(0);
    passwd_ = raw::read_at(AT_FDCWD, (host_.root / "etc/passwd").c_str(), text_limit);
  }

  const Host& host_;
  std::span<const std::string> ignored_;
  bool has_read_machine_ = false;
  std::time_t boot_ = 0;
  std::string passwd_;
};

/// How many hold the module: once for each open of the device. Nothing where the kernel does not say.
std::optional<std::size_t> uvm_holders(const Host& host) {
  return number<std::size_t>(
      word(raw::read_at(AT_FDCWD, (host.sys / "module/nvidia_uvm/refcnt").c_str(), 64), 0));
}

std::string devices_of(const Host& host) {
  return raw::read_at(AT_FDCWD, (host.proc / "devices").c_str(), text_limit);
}

/// Whether /proc/devices can be read and has no compute device.
bool has_no_uvm(const Host& host) {
  const auto devices = devices_of(host);
  return !devices.empty() && devices.find(" nvidia-uvm\n") == devices.npos;
}

}  // namespace

bool uvm_is_loaded(const Host& host) {
  struct stat info {};  // /proc/devices takes five times as long
  if (::stat((host.sys / "module").c_str(), &info) == 0)
    return ::stat((host.sys / "module/nvidia_uvm").c_str(), &info) == 0;
  return devices_of(host).find(" nvidia-uvm\n") != std::string::npos;
}

WorkScan find_work(const Host& host, std::span<const std::string> ignored) {
  Walk walk(host, ignored);
  const auto holders = uvm_holders(host);
  const bool is_idle = holders == 0u || has_no_uvm(host);
  if (!is_idle) {
    for (const auto least : address_spaces)
      if ((holders || least == 0) && walk.add_holders(least) >= holders.value_or(0)) break;
  }
  walk.add_watched_runs();
  return walk.finish();
}

WorkScan find_work_everywhere(const Host& host, std::span<const std::string> ignored) {
  Walk walk(host, ignored);
  walk.add_holders(0);
  walk.add_watched_runs();
  return walk.finish();
}

std::vector<ComputeProcess> compute_processes(const Host& host) {
  auto found = find_work(host).processes;
  std::erase_if(found, [](const ComputeProcess& process) { return process.is_ignored; });
  return found;
}

}  // namespace cudapin
