// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/examine.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "guard_targets.hpp"
#include "system/child.hpp"
#include "system/files.hpp"
#include "system/journal.hpp"
#include "system/local_database.hpp"
#include "system/machine.hpp"
#include "system/peek.hpp"
#include "system/processes.hpp"
#include "system/state.hpp"
#include "system/toolkits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t log_limit = 256u << 10;
constexpr std::string_view system_hooks = "/usr/share/libalpm/hooks/";

/// Families that move together, what they are built against, and what must not be frozen.
bool concerns_us(std::string_view name) {
  for (const std::string_view part : {"nvidia", "cuda", "cudnn", "nccl", "libxnvctrl", "cupy", "magma"})
    if (name.find(part) != name.npos) return true;
  for (const std::string_view exact : {"glibc", "clang", "gcc", "gcc-libs", "linux", "linux-lts"})
    if (name == exact) return true;
  return name.starts_with("gcc") && name.size() > 3 && name[3] >= '0' && name[3] <= '9';
}

/// NAME of the folder NAME-VERSION-RELEASE.
std::string_view package_name(std::string_view folder) {
  const auto release = folder.rfind('-');
  const auto version = release == 0 || release == folder.npos ? folder.npos : folder.rfind('-', release - 1);
  return version == folder.npos ? std::string_view{} : folder.substr(0, version);
}

void look_at_packages(const PacmanConf& conf, Examination& found) {
  const LocalDatabase database(conf);
  for (const auto& entry : names_in(conf.dbpath, "local")) {
    const std::string name(package_name(entry));
    if (!concerns_us(name)) continue;
    if (auto package = database.find(name))
      found.packages.push_back(std::move(*package));
    else
      found.broken_entries.push_back(entry);
  }
}

std::string upstream_of(const Package* package) {
  const auto version = package ? Version::parse(package->version) : std::nullopt;
  return version ? version->upstream() : std::string{};
}

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The package's, else what g++ links to ("g++-12"), else the newest folder of compiler files.
int default_gcc(const Host& host, const Examination& found) {
  if (const int major = leading_number(upstream_of(found.package("gcc"))); major != 0) return major;
  const auto program = resolved(host.root, "/usr/bin/g++");
  if (const int major = leading_number(program.substr(std::min(program.size(), program.rfind('-') + 1)));
      major != 0)
    return major;
  int newest = 0;
  for (const auto& target : names_in(host.root, "usr/lib/gcc"))
    for (const auto& version : names_in(host.root, "usr/lib/gcc/" + target))
      newest = std::max(newest, leading_number(version));
  return newest;
}

/// The package's, else what the headers say: those count for a build.
std::string glibc_version(const Host& host, const Examination& found) {
  if (auto version = upstream_of(found.package("glibc")); !version.empty()) return version;
  const auto header = read_start(host.root, "usr/include/features.h");
  const int major = defined_number(header, "__GLIBC__");
  const int minor = defined_number(header, "__GLIBC_MINOR__");
  return major < 0 || minor < 0 ? std::string{} : fmt::format("{}.{}", major, minor);
}

void look_at_build_tools(const Host& host, Examination& found) {
  found.default_gcc = default_gcc(host, found);
  found.compilers = compilers_seen(host, found.default_gcc);
  found.glibc = glibc_version(host, found);
  found.clang = upstream_of(found.package("clang"));
  found.toolkits = toolkits_seen(host, found.glibc);
  found.libraries = preferred_libraries(host);
  for (const auto* name : {"CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN", "CUDAHOSTCXX", "LD_LIBRARY_PATH",
                           "CUDAARCHS", "TORCH_CUDA_ARCH_LIST", "CUDA_VISIBLE_DEVICES"})
    if (const auto variable = host.environment.find(name); variable != host.environment.end())
      found.environment.insert(*variable);
  for (const auto& [name, value] : found.environment)
    if (name != "LD_LIBRARY_PATH" && value.starts_with('/') && !exists_below(host.root, value))
      found.missing_files.push_back(value);
}

/// The package that brings the kernel module, if one does.
std::string module_package(const std::vector<Package>& packages) {
  for (const auto& package : packages) {
    const std::string_view name = package.name;
    const bool other = name.starts_with("mhwd-") || name.find("utils") != name.npos ||
                       name.find("settings") != name.npos || name.find("opencl") != name.npos ||
                       name.find("container") != name.npos || name.find("prime") != name.npos ||
                       name.find("libnvidia") != name.npos;
    if (name.find("nvidia") != name.npos && !other) return package.name;
  }
  return {};
}

std::string module_flavour(const Host& host, const std::string& package) {
  const auto version = read_start(host.proc, "driver/nvidia/version");
  if (!version.empty()) return version.find("Open Kernel Module") != version.npos ? "open" : "closed";
  return package.empty() ? "" : package.find("open") != package.npos ? "open" : "closed";
}

void look_at_driver(const Host& host, Machine machine, Examination& found) {
  found.gpus = std::move(machine.gpus);
  found.passed_through = std::move(machine.passed_through);
  found.other_gpus = std::move(machine.other_gpus);
  found.driver_loaded = std::move(machine.driver_loaded);
  found.driver_on_disk = std::move(machine.driver_on_disk);
  found.cudnn = std::move(machine.cudnn);
  found.kernel = std::move(machine.kernel);
  found.module_package = module_package(found.packages);
  found.module_flavour = module_flavour(host, found.module_package);
  for (const auto& release : names_in(host.root, "usr/lib/modules"))
    if (!release.starts_with("extramodules")) found.kernels.push_back(release);
  found.kernel_has_headers = exists_below(host.root, fmt::format("usr/lib/modules/{}/build", found.kernel));
  for (const auto& process : compute_processes(host))
    found.work.push_back(tr("process {} of {}{} ({})", process.pid, printable(process.user),
                            process.place.empty() ? "" : " in " + printable(process.place),
                            printable(process.command).substr(0, 60)));
}

/// The configuration and the files that it includes by their full names.
void look_at_configuration(const Host& host, const PacmanConf& conf, Examination& found) {
  found.ignored = conf.ignore_pkg;
  found.pacman_conf.push_back({"/etc/pacman.conf", read_file_if_exists(conf.file)});
  for (const auto& line : split(found.pacman_conf[0].text, "\n")) {
    const auto equals = line.find('=');
    if (equals == line.npos || trim(std::string_view(line).substr(0, equals)) != "Include") continue;
    const std::string path(trim(std::string_view(line).substr(equals + 1)));
    found.pacman_conf.push_back({path, read_start(host.root, path)});
  }
  found.pacman_log = read_end(conf.log_file, log_limit);
}

HookSeen look_at_hook(const Host& host, const PacmanConf& conf, const std::string& name) {
  HookSeen hook{.name = name, .installed = exists_below(host.root, std::string(system_hooks) + name)};
  for (const auto& folder : conf.hook_dirs) {
    std::error_code error;
    const auto file = folder / name;
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    hook.hidden_by = "/" + file.lexically_relative(host.root).string();
    const bool null =
        fs::is_symlink(fs::symlink_status(file, error)) && fs::read_symlink(file, error) == "/dev/null";
    hook.masked = null || (fs::is_regular_file(file, error) && fs::file_size(file, error) == 0);
  }
  return hook;
}

/// The guard decides about nothing at all, dry: what keeps it from that keeps it from guarding. Only the
/// system's own is run, none out of a folder that happens to be looked at.
std::string trouble_of_guard(const Host& host) {
  if (host.root != "/") return {};
  try {
    const auto result = run_child({std::string(guard_program), "check"}, 5);
    if (result.status == 0 || result.status == 3) return {};
    const auto said = split(result.err, "\n");
    return said.empty() ? tr("exit status {}", result.status) : said.front();
  } catch (const Error& error) {
    return error.what();
  }
}

void look_at_ourselves(const Host& host, const PacmanConf& conf, Examination& found) {
  try {
    if (const auto state = read_state(host)) {
      found.profile = state->profile;
      const LocalDatabase database(conf);
      for (const auto& [name, version] : state->pins) {
        const auto now = database.find(name);
        found.pins.push_back({name, version, now ? now->version : "",
                              std::ranges::find(conf.ignore_pkg, name) != conf.ignore_pkg.end()});
      }
    }
  } catch (const Error&) {
    found.profile.clear();
  }
  for (const auto* name :
       {"00-cudapin-1-record-install.hook", "00-cudapin-2-record-upgrade.hook",
        "00-cudapin-3-record-remove.hook", "00-cudapin-4-decide.hook", "zz-cudapin-after.hook"})
    found.hooks.push_back(look_at_hook(host, conf, name));
  found.has_guard = exists_below(host.root, std::string(guard_program));
  if (found.has_guard && !found.profile.empty()) found.guard_trouble = trouble_of_guard(host);
  found.change_unfinished = journal_is_open(host);
}

/// "GRID V100D-8Q": a model that ends in a size and a letter is a slice of a card.
std::string slice_name(const Host& host) {
  for (const auto& address : names_in(host.proc, "driver/nvidia/gpus"))
    for (const auto& line :
         split(read_start(host.proc, "driver/nvidia/gpus/" + address + "/information"), "\n")) {
      if (!line.starts_with("Model:")) continue;
      const std::string model(trim(std::string_view(line).substr(6)));
      const auto dash = model.rfind('-');
      const auto size = dash == model.npos ? std::string{} : model.substr(dash + 1);
      const bool slice = size.size() >= 2 &&
                         std::string_view("QCAB").find(size.back()) != std::string_view::npos &&
                         size.find_first_not_of("0123456789") == size.size() - 1;
      if (slice) return printable(model);
    }
  return {};
}

/// "0000:01:00.0 OFF": a card that bbswitch took the power from. Nothing may touch it.
void look_at_power(const Host& host, Examination& found) {
  for (const auto& line : split(read_start(host.proc, "acpi/bbswitch", 4096), "\n"))
    if (const auto words = split(line, " "); words.size() == 2 && words[1] == "OFF")
      found.powered_off.push_back(printable(words[0]));
}

void look_around(const Host& host, Examination& found) {
  const auto version = read_start(host.proc, "version", 4096);
  found.in_wsl =
      version.find("icrosoft") != version.npos || exists_below(host.root, "usr/lib/wsl/lib/libcuda.so.1");
  found.container = container_of(host);
  found.has_device = exists_below(host.root, "dev/nvidiactl");
  found.virtual_gpu = slice_name(host);
  look_at_power(host, found);
}

}  // namespace

std::string container_of(const Host& host) {
  if (exists_below(host.root, ".dockerenv")) return "docker";
  if (exists_below(host.root, "run/.containerenv")) return "podman";
  if (const auto named = host.variable("container"); !named.empty()) return printable(named);
  const auto groups = read_start(host.proc, "1/cgroup", 4096);
  for (const std::string name : {"docker", "kubepods", "lxc"})
    if (groups.find("/" + name) != groups.npos) return name;
  return {};
}

Examination examine(const Host& host, const PacmanConf& conf) {
  Examination found;
  try {
    look_at_packages(conf, found);
  } catch (const Error& error) {
    found.unreadable.emplace_back(error.what());
  }
  look_at_driver(host, inspect_machine(host), found);
  look_at_build_tools(host, found);
  look_at_configuration(host, conf, found);
  look_at_ourselves(host, conf, found);
  look_around(host, found);
  return found;
}

}  // namespace cudapin
