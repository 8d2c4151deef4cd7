// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/facts.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "support/rolling_world.hpp"
#include "support/test_folder.hpp"
#include "system/archive.hpp"
#include "system/files.hpp"
#include "system/package_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// What the archive has, told independently of the profiles: name, version and dependencies of packages that
/// Arch shipped.
struct Row {
  const char* name;
  const char* version;
  const char* depends;
  const char* provides = "";
  const char* conflicts = "";
};
const Row archive_rows[] = {
    {"cuda", "10.2.89-5", "gcc8-libs gcc8 opencl-nvidia nvidia-utils", "cuda-toolkit cuda-sdk"},
    {"cuda", "11.1.0-2", "gcc-libs gcc opencl-nvidia nvidia-utils", "cuda-toolkit cuda-sdk"},
    {"cuda", "11.8.0-1", "gcc11 opencl-nvidia nvidia-utils python", "cuda-toolkit cuda-sdk"},
    {"cuda", "12.3.2-1", "opencl-nvidia nvidia-utils python gcc12", "cuda-toolkit cuda-sdk"},
    {"cuda", "12.5.1-1", "opencl-nvidia python gcc13", "cuda-toolkit cuda-sdk"},
    {"cuda", "12.9.1-2", "opencl-nvidia python gcc14", "cuda-toolkit cuda-sdk"},
    {"cuda", "13.1.1-1", "gcc opencl-nvidia python", "cuda-toolkit cuda-sdk"},
    {"cudnn", "7.6.5.32-4", "cuda"},
    {"cudnn", "8.0.4.30-1", "cuda>=11"},
    {"cudnn", "8.6.0.163-1", "cuda>=11.8"},
    {"cudnn", "9.2.1.18-1", "cuda>=12"},
    {"cudnn", "9.10.2.21-1", "cuda>=12"},
    {"cudnn", "9.18.1.3-1", "cuda>=13"},
    {"nccl", "2.7.8-3", "glibc gcc-libs"},
    {"nccl", "2.15.5-1", "glibc gcc-libs"},
    {"nccl", "2.21.5-1", "glibc gcc-libs"},
    {"gcc8", "8.4.0-1", "gcc8-libs=8.4.0-1 binutils>=2.28 libmpc"},
    {"gcc8-libs", "8.4.0-1", "glibc>=2.27"},
    {"gcc10", "1:10.2.0-3", "gcc10-libs binutils libmpc"},
    {"gcc10-libs", "1:10.2.0-3", "glibc"},
    {"gcc11", "11.3.0-5", "gcc11-libs binutils libmpc"},
    {"gcc11-libs", "11.3.0-5", "glibc"},
    {"gcc12", "12.3.0-6", "gcc12-libs binutils>=2.28 libmpc zstd libisl.so"},
    {"gcc12-libs", "12.3.0-6", "glibc>=2.27"},
    {"gcc13", "13.3.0-1", "gcc13-libs binutils>=2.28 libmpc zstd libisl.so"},
    {"gcc13-libs", "13.3.0-1", "glibc>=2.27"},
    {"gcc14", "14.3.1+r416+g44d5743651c4-2", "gcc14-libs binutils>=2.28 libmpc zstd libisl.so"},
    {"gcc14-libs", "14.3.1+r416+g44d5743651c4-2", "glibc>=2.27"},
    {"linux", "6.18.1.arch1-2", "coreutils kmod initramfs"},
    {"linux-headers", "6.18.1.arch1-2", "pahole"},
    {"nvidia-dkms", "580.119.02-1", "dkms nvidia-utils=580.119.02 libglvnd", "NVIDIA-MODULE nvidia",
     "NVIDIA-MODULE nvidia"},
    {"nvidia-utils", "580.119.02-1", "libglvnd egl-wayland egl-gbm egl-x11",
     "vulkan-driver opengl-driver nvidia-libgl", "nvidia-libgl"},
    {"nvidia-utils", "590.48.01-1", "libglvnd egl-wayland egl-wayland2 egl-gbm egl-x11",
     "vulkan-driver opengl-driver nvidia-libgl", "nvidia-libgl"},
    {"opencl-nvidia", "580.119.02-1", "zlib", "opencl-driver"},
    {"lib32-nvidia-utils", "580.119.02-1", "lib32-zlib lib32-gcc-libs lib32-libglvnd nvidia-utils",
     "lib32-vulkan-driver lib32-opengl-driver lib32-nvidia-libgl", "lib32-nvidia-libgl"},
    {"lib32-opencl-nvidia", "580.119.02-1", "lib32-zlib lib32-gcc-libs", "lib32-opencl-driver"},
};

StandIn stand_in(const Row& row) {
  return {.name = row.name,
          .version = row.version,
          .depends = split(row.depends, " "),
          .provides = split(row.provides, " "),
          .conflicts = split(row.conflicts, " ")};
}

/// A folder laid out like the archive with every row in it, built once.
const fs::path& archive() {
  static const TestFolder folder;
  static const bool is_built = [] {
    for (const auto& row : archive_rows) {
      const auto shelf = folder.path() / "packages" / std::string(1, row.name[0]) / row.name;
      fs::create_directories(shelf);
      build_package(stand_in(row), shelf);
    }
    return true;
  }();
  REQUIRE(is_built);
  return folder.path();
}

std::vector<Dependency> parsed(const std::vector<std::string>& texts) {
  std::vector<Dependency> all;
  for (const auto& text : texts) all.push_back(parse_dependency(text));
  return all;
}

Package installed(const StandIn& one) {
  return {.name = one.name,
          .version = one.version,
          .depends = parsed(one.depends),
          .provides = parsed(one.provides),
          .conflicts = parsed(one.conflicts)};
}

/// The rolling world with what else a machine has, multilib and DKMS among it.
std::vector<Package> machine() {
  std::vector<Package> all;
  for (const auto place : {Place::core, Place::extra})
    for (const auto& package : world_packages(place)) all.push_back(installed(package));
  for (const auto* name : {"zstd", "pahole", "dkms", "lib32-zlib", "lib32-gcc-libs", "lib32-libglvnd"})
    all.push_back({.name = name, .version = "1-1"});
  all.push_back({.name = "libisl", .version = "0.27-1", .provides = parsed({"libisl.so=23-64"})});
  all.push_back(
      {.name = "lib32-nvidia-utils", .version = "590.48.01-1", .depends = parsed({"nvidia-utils"})});
  return all;
}

struct Setting {
  std::vector<std::string> cards;
  std::string driver;
};
/// Cards that people have of each generation, and a late driver that drives them.
const std::map<std::string, Setting> settings{
    {"maxwell", {{"GTX 970", "5.2"}, "580.119.02"}}, {"pascal", {{"GTX 1060", "6.0", "6.1"}, "580.119.02"}},
    {"volta", {{"V100", "7.0"}, "580.119.02"}},      {"turing", {{"TITAN RTX", "7.5"}, "590.48.01"}},
    {"ampere", {{"RTX 3090", "A100"}, "590.48.01"}}, {"ada", {{"RTX 4090", "8.9"}, "590.48.01"}},
    {"hopper", {{"H100 PCIe", "9.0"}, "590.48.01"}}, {"blackwell", {{"RTX 5090", "B200"}, "590.48.01"}},
};

void add_missing_files(const Profile& profile, std::vector<std::string>& faults) {
  for (const auto& package : profile.packages) {
    const auto path = locate({archive(), {}, {}, true}, *parse_file_name(package.file));
    if (path.empty()) {
      faults.push_back("not in the archive: " + package.file);
      continue;
    }
    const auto found = verify_package_archive(path);
    if (found.depends != package.depends || found.provides != package.provides ||
        found.conflicts != package.conflicts)
      faults.push_back("other dependencies than its package: " + package.file);
  }
}

void add_findings(const Profile& profile, std::vector<std::string>& faults) {
  for (const auto& generation : profile.generations) {
    const auto& setting = settings.at(generation);
    for (const auto& card : setting.cards) {
      Facts facts;
      facts.machine.gpus = {gpu_by_word(card)};
      facts.machine.driver_loaded = setting.driver;
      const auto* brought = profile.find("nvidia-utils");
      if (brought) facts.machine.driver_loaded = brought->version.upstream();
      for (const auto& finding : judge_profile(profile, facts))
        if (finding.severity != Severity::note) faults.push_back(card + ": " + finding.what);
    }
  }
}

/// The least driver that the profile asks for is one that its toolkit runs with.
void add_floor(const Profile& profile, std::vector<std::string>& faults) {
  for (const auto& wanted : profile.requirements)
    if (wanted.name == "driver")
      for (const auto& finding :
           judge({.driver = wanted.version, .toolkit = profile.find("cuda")->version.upstream()}))
        if (finding.severity == Severity::error) faults.push_back(finding.what);
}

std::vector<std::string> faults_of(const std::string& text) {
  std::vector<std::string> faults;
  try {
    const auto profile = parse_profile(text, "p");
    make_plan(profile, machine());
    add_missing_files(profile, faults);
    add_findings(profile, faults);
    add_floor(profile, faults);
    const bool brings_compiler = std::ranges::any_of(profile.packages, [](const auto& package) {
      return package.name.starts_with("gcc") && package.name.ends_with("-libs");
    });
    if (!brings_compiler) faults.emplace_back("no host compiler of its own");
  } catch (const Error& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

std::string builtin(const std::string& name) {
  return read_file(fs::path(SOURCE_DIR) / "profiles" / (name + ".yaml"));
}

std::string with(std::string text, std::initializer_list<std::pair<const char*, const char*>> changes) {
  for (const auto& [from, to] : changes) {
    REQUIRE_MESSAGE(text.find(from) != text.npos, from);
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + std::string_view(to).size()))
      text.replace(at, std::string_view(from).size(), to);
  }
  return text;
}

bool any_has(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.find(part) != line.npos; });
}

}  // namespace

TEST_CASE("built-in profiles: each resolves against the archive and fits cards of its generations") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(SOURCE_DIR) / "profiles")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    CHECK(join(faults_of(read_file(entry.path())), "\n") == "");
    ++count;
  }
  CHECK(count == 10);
}

TEST_CASE("built-in profiles: a wrong pkgrel is not in the archive") {
  for (const auto* name : {"ampere-11.1", "turing-10.2", "pascal-580"}) {
    const auto text = with(builtin(name), {{"gcc", "gcc"}});
    CHECK(faults_of(text).empty());
  }
  CHECK(any_has(faults_of(with(builtin("ampere-11.1"), {{"11.1.0-2", "11.1.0-1"}})),
                "not in the archive: cuda-11.1.0-1"));
  CHECK(any_has(faults_of(with(builtin("turing-10.2"), {{"7.6.5.32-4", "7.6.5.32-5"}})),
                "not in the archive: cudnn-7.6.5.32-5"));
}

TEST_CASE("built-in profiles: a host compiler that nvcc does not take is a fault") {
  const auto text =
      with(builtin("volta-10.2"), {{"8.4.0-1", "1:10.2.0-3"},
                                   {"  gcc8", "  gcc10"},
                                   {"file: gcc8", "file: gcc10"},
                                   {"gcc8-libs=1:10.2.0-3, binutils>=2.28", "gcc10-libs, binutils"},
                                   {"glibc>=2.27", "glibc"},
                                   {"[gcc8-libs, gcc8, ", "["}});
  const auto faults = faults_of(text);
  CAPTURE(join(faults, "\n"));
  CHECK(any_has(faults, "7.0"));
  CHECK(any_has(faults, "there is only gcc 10"));
}

TEST_CASE("built-in profiles: a driver that drops the card is a fault") {
  const auto text =
      with(builtin("pascal-580"), {{"nvidia-utils-580.119.02", "nvidia-utils-590.48.01"},
                                   {"nvidia-utils: 580.119.02", "nvidia-utils: 590.48.01"},
                                   {"nvidia-utils=580.119.02", "nvidia-utils=590.48.01"},
                                   {"egl-wayland, egl-gbm", "egl-wayland, egl-wayland2, egl-gbm"}});
  CHECK(any_has(faults_of(text), "no longer drives"));
}

TEST_CASE("built-in profiles: a toolkit without code for the card and a cuDNN for another CUDA are faults") {
  CHECK(any_has(faults_of(with(builtin("pascal-10.2"), {{"10.2.89-5", "13.1.1-1"}})), "sm_6"));
  CHECK(any_has(faults_of(with(builtin("turing-10.2"), {{"7.6.5.32-4", "8.6.0.163-1"}})), "cuDNN 8.6.0.163"));
}

TEST_CASE("built-in profiles: a floor below what the toolkit runs with is a fault") {
  CHECK(any_has(faults_of(with(builtin("blackwell-13"), {{">=580.65.06", ">=570.26"}})), "570.26"));
}

TEST_CASE("built-in profiles: dependencies that are not the package's are a fault") {
  CHECK(any_has(faults_of(with(builtin("ada-12"), {{"[cuda>=12]", "[cuda]"}})), "other dependencies"));
}

TEST_CASE("built-in profiles: pascal-580 takes the driver's whole family along") {
  const auto plan = make_plan(parse_profile(builtin("pascal-580"), "p"), machine());
  CHECK(plan.removals() == std::vector<std::string>{"nvidia-open"});
  for (const auto* name :
       {"nvidia-dkms", "nvidia-utils", "opencl-nvidia", "lib32-nvidia-utils", "linux", "linux-headers"})
    CHECK_MESSAGE(std::ranges::count(plan.pins, name) == 1, name);
  auto without_multilib = machine();
  std::erase_if(without_multilib, [](const Package& package) { return package.name.starts_with("lib32"); });
  const auto smaller = make_plan(parse_profile(builtin("pascal-580"), "p"), without_multilib);
  CHECK(std::ranges::count(smaller.pins, "lib32-nvidia-utils") == 0);
  CHECK(smaller.actions.size() == plan.actions.size() - 1);
}

}  // namespace cudapin
