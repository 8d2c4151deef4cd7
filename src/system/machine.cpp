// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/machine.hpp"

#include "core/text.hpp"
#include "core/version.hpp"
#include "system/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t text_limit = 128u << 10;

/// A handle on `path` below `root` that opens nothing yet. Absolute links and `..` stay below root, where the
/// kernel knows how.
Fd locate(const fs::path& root, const std::string& path) {
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return Fd();
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const auto below = ::syscall(SYS_openat2, top.get(), path.c_str(), &how, sizeof how);
  if (below < 0 && (errno == ENOSYS || errno == EPERM))
    return Fd(::openat(top.get(), path.c_str(), O_PATH | O_CLOEXEC));
  return Fd(static_cast<int>(below));
}

bool is_kind(const Fd& fd, mode_t kind) {
  struct stat info {};
  return fd && ::fstat(fd.get(), &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

std::string reopened(const Fd& fd) { return fmt::format("/proc/self/fd/{}", fd.get()); }

/// The beginning of a regular file below root, or empty; never waits at a pipe or wakes a device.
std::string read_start(const fs::path& root, const std::string& path) {
  const auto handle = locate(root, path);
  if (!is_kind(handle, S_IFREG)) return {};
  const Fd file(::open(reopened(handle).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text(text_limit, '\0');
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

/// The names in a folder below root, sorted; none when it cannot be listed.
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

/// Two or more numbers with dots between, and no longer than a version is.
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

/// The highest X.Y of the names `stem`X.Y; sonames with a single number do not count.
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

std::string first_filled(std::initializer_list<std::string> values) {
  for (const auto& value : values)
    if (!value.empty()) return value;
  return {};
}

/// The number that `#define name` gives, or -1.
int defined_number(std::string_view header, std::string_view name) {
  const auto key = fmt::format("#define {} ", name);
  const auto at = header.find(key);
  if (at == header.npos) return -1;
  const auto value = trim(header.substr(at + key.size(), 32));
  int number = -1;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

bool is_display(std::string_view device_class) {
  return device_class.starts_with("0x0300") || device_class.starts_with("0x0302") ||
         device_class.starts_with("0x0380");
}

bool is_passed_through(const Host& host, const std::string& address) {
  std::error_code ignored;
  return fs::read_symlink(host.sys / "bus/pci/devices" / address / "driver", ignored).filename() ==
         "vfio-pci";
}

std::vector<Gpu> installed_gpus(const Host& host) {
  std::vector<Gpu> gpus;
  for (const auto& address : names_in(host.sys, "bus/pci/devices")) {
    const auto attribute = [&](const char* name) {
      return std::string(first_line(read_start(host.sys, "bus/pci/devices/" + address + "/" + name)));
    };
    if (attribute("vendor") != "0x10de" || !is_display(attribute("class"))) continue;
    if (is_passed_through(host, address)) continue;
    auto gpu = gpu_by_pci_id(printable(attribute("device").substr(0, 16)));
    gpu.address = printable(address);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::string loaded_driver(const Host& host) {
  return first_filled({first_version(first_line(read_start(host.proc, "driver/nvidia/version"))),
                       first_version(first_line(read_start(host.sys, "module/nvidia/version")))});
}

std::string running_kernel(const Host& host) {
  const auto release = std::string(first_line(read_start(host.proc, "sys/kernel/osrelease")));
  if (!release.empty()) return printable(release.substr(0, 64));
  const auto words = split(first_line(read_start(host.proc, "version")), " ");
  return words.size() > 2 && words[1] == "version" ? printable(words[2].substr(0, 64)) : std::string{};
}

/// version.json names the release as "11.6.2"; some older ones have a date there, and nvcc's build beside it.
std::string version_of_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  for (const auto* part : {"cuda", "cuda_nvcc"}) {
    const auto found = json.find(part);
    if (found == json.end() || !found->is_object() || !found->contains("version")) continue;
    const auto& value = (*found)["version"];
    if (!value.is_string()) continue;
    const auto version = value.get<std::string>();
    if (is_dotted_version(version) && version.size() - version.rfind('.') < 6) return version;
  }
  return {};
}

std::string version_of_header(const std::string& header) {
  const int number = defined_number(header, "CUDART_VERSION");  // 11010 is 11.1
  return number < 1000 ? std::string{} : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string installed_nvcc(const Host& host) {
  return first_filled({version_of_json(read_start(host.root, "opt/cuda/version.json")),
                       first_version(first_line(read_start(host.root, "opt/cuda/version.txt"))),
                       version_of_header(read_start(host.root, "opt/cuda/include/cuda_runtime_api.h"))});
}

std::string cudnn_of_header(const std::string& header) {
  const int major = defined_number(header, "CUDNN_MAJOR");
  const int minor = defined_number(header, "CUDNN_MINOR");
  const int patch = defined_number(header, "CUDNN_PATCHLEVEL");
  return major < 0 || minor < 0 || patch < 0 ? std::string{} : fmt::format("{}.{}.{}", major, minor, patch);
}

std::string cudnn_header(const Host& host) {
  for (const auto* folder : {"usr/include/", "opt/cuda/include/"})
    for (const auto* name : {"cudnn_version.h", "cudnn.h"}) {
      auto version = cudnn_of_header(read_start(host.root, std::string(folder) + name));
      if (!version.empty()) return version;
    }
  return {};
}

}  // namespace

Machine inspect_machine(const Host& host) {
  const auto libraries = names_in(host.root, "usr/lib");
  auto toolkit_libraries = names_in(host.root, "opt/cuda/lib64");
  if (toolkit_libraries.empty()) toolkit_libraries = names_in(host.root, "opt/cuda/targets/x86_64-linux/lib");
  Machine machine;
  machine.gpus = installed_gpus(host);
  machine.driver_loaded = loaded_driver(host);
  machine.driver_on_disk =
      first_filled({highest_suffix(libraries, "libnvidia-ml.so."), highest_suffix(libraries, "libcuda.so.")});
  machine.nvcc = installed_nvcc(host);
  machine.libcudart = highest_suffix(toolkit_libraries, "libcudart.so.");
  machine.cudnn = first_filled({highest_suffix(libraries, "libcudnn.so."),
                                highest_suffix(toolkit_libraries, "libcudnn.so."), cudnn_header(host)});
  machine.kernel = running_kernel(host);
  return machine;
}

}  // namespace cudapin
