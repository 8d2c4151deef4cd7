// SPDX-License-Identifier: GPL-3.0-or-later
// Every built-in profile on a machine of the day nearest to its own whose real repositories are at hand, held
// against sets written by hand and against what the real pacman would take.
#include "commands/run.hpp"
#include "core/profile.hpp"
#include "core/text.hpp"
#include "support/lab.hpp"
#include "system/child.hpp"
#include "system/snapshot.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

/// Real core, extra and multilib of one day, and a machine that has `base` as it was then.
struct Era {
  std::string folder;
  std::string extension;
  Names base;
};

const Era era_2019{
    "2019-06-11_alpm.rs", ".db", {"filesystem", "gcc-libs",  "glibc",      "bash",
                                  "coreutils",  "findutils", "gawk",       "grep",
                                  "gzip",       "tar",       "sed",        "pacman",
                                  "procps-ng",  "psmisc",    "shadow",     "systemd-sysvcompat",
                                  "util-linux", "linux",     "mkinitcpio", "xorg-server"}};
const Era era_2022{"2022-09-10_malr", ".db.tar.gz", {"base", "linux", "mkinitcpio", "xorg-server"}};

struct Case {
  std::string profile;
  const Era& era;
  std::string gpu;
  /// The driver that the machine got by other means, newer than the repositories at hand; empty: theirs.
  std::string driver;
  /// What the plan has to bring beside the packages that the profile names, by hand from the dependencies.
  Names closure;
};

std::string lines_of(const std::set<std::string>& names) {
  return join(Names(names.begin(), names.end()), "\n");
}

StandIn stand_in_of(const Package& package) {
  StandIn stand_in{.name = package.name, .version = package.version};
  for (const auto& one : package.depends) stand_in.depends.push_back(one.text());
  for (const auto& one : package.provides) stand_in.provides.push_back(one.text());
  for (const auto& one : package.conflicts) stand_in.conflicts.push_back(one.text());
  return stand_in;
}

StandIn stand_in_of(const ProfilePackage& package) {
  auto stand_in = stand_in_of(as_package(package));
  for (const auto& one : package.replaces) stand_in.replaces.push_back(one.text());
  return stand_in;
}

/// `names` and all that they need, from the repositories, as pacman would have put them there.
std::vector<StandIn> machine_of(const RepositoryIndex& index, const Names& names) {
  std::map<std::string, Package> found;
  std::vector<Dependency> wanted;
  for (const auto& name : names) wanted.push_back({.name = name, .op = "", .version = ""});
  while (!wanted.empty()) {
    const auto one = wanted.back();
    wanted.pop_back();
    if (std::ranges::any_of(found, [&](const auto& entry) { return satisfies(entry.second, one); })) continue;
    const auto there = index.satisfiers(one);
    REQUIRE_MESSAGE(!there.empty(), one.text());
    const auto& package = there.front().package;
    found[package.name] = package;
    wanted.insert(wanted.end(), package.depends.begin(), package.depends.end());
  }
  std::vector<StandIn> machine;
  for (const auto& [name, package] : found) machine.push_back(stand_in_of(package));
  return machine;
}

Profile builtin(const std::string& name) {
  const auto file = fs::path(SOURCE_DIR) / "profiles" / (name + ".yaml");
  return parse_profile(read_text(file), file.string());
}

/// The machine of an era with its real core, extra and multilib, and a community that is GENERATED from the
/// profile's own packages (and two libraries that its driver needs and that are younger than the databases at
/// hand).
struct EraLab {
  EraLab(const Case& wanted, TestRoot& its_root) : profile(builtin(wanted.profile)), root(its_root) {
    const auto sync = root.at("/var/lib/pacman/sync");
    std::string repositories;
    for (const auto* name : {"core", "extra", "multilib"}) {
      fs::copy_file(fs::path(REAL_INPUTS) / "sync-db" / wanted.era.folder / (name + wanted.era.extension),
                    sync / (std::string(name) + ".db"));
      repositories += std::string("[") + name + "]\nServer = file:///nowhere\n";
    }
    std::vector<SyncEntry> community;
    for (const auto* name : {"egl-gbm", "egl-x11"})
      community.push_back({{.name = name, .description = "generated"}, {}});
    write_sync_database(sync / "community.db", community);
    write_text(root.pacman_conf(), "[options]\nArchitecture = x86_64\nSigLevel = Never\n" + repositories +
                                       "[community]\nServer = file:///nowhere\n");
    const TestHost test(root);
    auto conf = root.conf();
    conf.repositories = {"core", "extra", "multilib", "community"};
    auto index = repositories_of(test.host, conf);
    REQUIRE(index);
    auto base = wanted.era.base;
    if (wanted.driver.empty()) base.insert(base.end(), {"nvidia-utils"});
    auto machine = machine_of(*index, base);
    if (!wanted.driver.empty() && wanted.driver != "none")
      for (const auto* name : {"nvidia-utils", "opencl-nvidia"})
        machine.push_back({.name = name, .version = wanted.driver});
    root.install(machine);
  }

  /// "name version" of every package that `use` would bring.
  std::string planned(const std::string& gpu) const {
    TestHost test(root);
    fs::create_directories(root.proc() / "driver/nvidia");
    write_text(root.proc() / "driver/nvidia/version",
               "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.119.02  Release Build\n");
    const std::vector<std::string> args{"use", profile.name, "--dry-run", "--json",    "--gpu",
                                        gpu,   "--root",     root.path(), "--archive", "http://127.0.0.1:9"};
    const auto status = run(args, test.host);
    CAPTURE(test.err.str());
    REQUIRE(status == ExitStatus::done);
    std::set<std::string> targets;
    const auto plan = nlohmann::json::parse(test.out.str());
    for (const auto& action : plan.at("packages"))
      targets.insert(action.at("name").get<std::string>() + " " + action.at("to").get<std::string>());
    return lines_of(targets);
  }

  /// The same from pacman, which is given the profile's own package files alone.
  std::string printed() const {
    std::vector<std::string> argv{"pacman",     "-U",
                                  "--print",    "--print-format",
                                  "%n %v",      "--noconfirm",
                                  "--root",     root.path(),
                                  "--dbpath",   root.at("/var/lib/pacman"),
                                  "--config",   root.pacman_conf(),
                                  "--cachedir", root.at("/var/cache/pacman/pkg"),
                                  "--logfile",  root.at("/var/log/pacman.log")};
    for (const auto& package : profile.packages)
      if (!package.only_if_installed) argv.push_back(build_package(stand_in_of(package), root.packages()));
    const auto said = run_child(argv);
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    std::set<std::string> targets;
    for (const auto& line : split(said.out, "\n"))
      if (line != "loading packages...") targets.insert(line);
    return lines_of(targets);
  }

  Profile profile;
  TestRoot& root;
};

const std::vector<Case> cases{
    {"pascal-10.2", era_2019, "GTX 1060", "440.82-1", {"binutils 2.32-1", "libmpc 1.1.0-1"}},
    {"turing-10.2", era_2019, "RTX 2080", "440.82-1", {"binutils 2.32-1", "libmpc 1.1.0-1"}},
    {"volta-10.2", era_2019, "V100", "440.82-1", {"binutils 2.32-1", "libmpc 1.1.0-1"}},
    {"ampere-11.1", era_2019, "RTX 3090", "455.28-1", {"binutils 2.32-1", "libmpc 1.1.0-1", "gcc 8.3.0-1"}},
    {"ampere-11.8",
     era_2022,
     "RTX 3090",
     "",
     {"libmpc 1.2.1-2", "python 3.10.7-1", "libnsl 2.0.0-2", "opencl-nvidia 515.65.01-2"}},
    {"turing-11.8",
     era_2022,
     "RTX 2080",
     "",
     {"libmpc 1.2.1-2", "python 3.10.7-1", "libnsl 2.0.0-2", "opencl-nvidia 515.65.01-2"}},
    {"ada-12",
     era_2022,
     "RTX 4090",
     "555.58.02-1",
     {"libmpc 1.2.1-2", "libisl 0.25-1", "python 3.10.7-1", "libnsl 2.0.0-2"}},
    {"hopper-12",
     era_2022,
     "H100",
     "555.58.02-1",
     {"libmpc 1.2.1-2", "libisl 0.25-1", "python 3.10.7-1", "libnsl 2.0.0-2"}},
    {"blackwell-13",
     era_2022,
     "RTX 5090",
     "590.48.01-1",
     {"libmpc 1.2.1-2", "libisl 0.25-1", "python 3.10.7-1", "libnsl 2.0.0-2", "gcc 12.2.0-1"}},
    {"pascal-580",
     era_2022,
     "GTX 1060",
     "none",
     // dkms: gcc, make (guile: gc, libtool for libltdl, texinfo: perl: db), patch; headers: pahole; driver:
     // egl-*.
     {"dkms 3.0.6-1", "gcc 12.2.0-1", "libmpc 1.2.1-2", "libisl 0.25-1", "make 4.3-3", "guile 2.2.7-2",
      "gc 8.2.2-1", "libtool 2.4.7-5", "texinfo 6.8-2", "perl 5.36.0-1", "db 5.3.28-5", "patch 2.7.6-8",
      "pahole 1:1.23-1", "python 3.10.7-1", "libnsl 2.0.0-2", "egl-wayland 2:1.1.11-2",
      "eglexternalplatform 1.1-2", "egl-gbm 1-1", "egl-x11 1-1"}},
};

}  // namespace

TEST_CASE("closure: every built-in profile brings exactly what the machine lacks, as pacman itself would") {
  if (!fs::exists(fs::path(REAL_INPUTS) / "sync-db")) {
    MESSAGE("no real repositories here");
    return;
  }
  for (const auto& wanted : cases) {
    CAPTURE(wanted.profile);
    TestRoot root;
    const EraLab lab(wanted, root);
    std::set<std::string> expected(wanted.closure.begin(), wanted.closure.end());
    for (const auto& package : lab.profile.packages)
      if (!package.only_if_installed) expected.insert(package.name + " " + package.version.text());
    CHECK(lab.planned(wanted.gpu) == lines_of(expected));
    CHECK(lab.printed() == lines_of(expected));
  }
}

TEST_CASE("closure: ranges over twelve packages of three hundred versions cost one request each") {
  Lab lab;
  std::string packages;
  std::set<std::string> expected;
  const Names names{"cuda",  "cuda-tools", "cudnn", "nccl",       "gcc8",  "gcc8-libs",
                    "gcc10", "gcc10-libs", "gcc11", "gcc11-libs", "gcc12", "gcc12-libs"};
  for (const auto& name : names) {
    const auto shelf = lab.archive_folder / "a/packages" / name.substr(0, 1) / name;
    fs::remove_all(shelf);
    fs::create_directories(shelf);
    for (int major = 1; major <= 10; ++major)
      for (int minor = 0; minor < 30; ++minor) {
        const StandIn one{.name = name,
                          .version = std::to_string(major) + "." + std::to_string(minor) + "-1"};
        write_text(shelf / one.file_name(), "");
      }
    packages += name + ": " + (name == "cuda" ? "8.*" : "\">=7 <8.10\"") + "\n  ";
    expected.insert(name + (name == "cuda" ? " 8.29-1" : " 8.9-1"));
  }
  write_text(
      lab.root.at("/etc/cudapin/profiles/wide.yaml"),
      "name: wide\nsummary: of our lab\nreason: it fits\ngenerations: [ampere]\npackages:\n  " + packages);
  const auto shown = lab.use("wide", {"--dry-run", "--json"});
  CAPTURE(shown.err);
  REQUIRE(shown.status == ExitStatus::done);
  std::set<std::string> targets;
  const auto plan = nlohmann::json::parse(shown.out);
  for (const auto& action : plan.at("packages"))
    targets.insert(action.at("name").get<std::string>() + " " + action.at("to").get<std::string>());
  CHECK(lines_of(targets) == lines_of(expected));
  std::map<std::string, int> asked;
  for (const auto& request : lab.server.requests()) ++asked[request.path];
  for (const auto& name : names) CHECK(asked["/packages/" + name.substr(0, 1) + "/" + name + "/"] == 1);
  for (const auto& [path, times] : asked) CHECK_MESSAGE(times == 1, path);
}

}  // namespace cudapin
