// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "support/rolling_world.hpp"
#include "system/files.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// The rolling world as Manjaro has it: a kernel of a series with its own module, the driver, a meta.
struct ManjaroLab : Lab {
  ManjaroLab() {
    write_text(root.at("/etc/os-release"), "NAME=\"Manjaro Linux\"\nID=manjaro\nID_LIKE=arch\n");
    const StandIn kernel{.name = "linux618", .version = "6.18.2-1"};
    const StandIn module{.name = "linux618-nvidia",
                         .version = "590.48.01-4",
                         .depends = {"linux618", "nvidia-utils=590.48.01"}};
    const StandIn meta{.name = "linux-meta", .version = "6.18-1"};
    for (const auto& package : {kernel, module, meta}) root.install(package);
  }
  /// A profile of this site with these packages, all of one version, and partners.
  void write_profile(const std::vector<std::string>& packages, const std::string& version,
                     const std::string& partners) {
    std::string pins;
    std::string files;
    for (const auto& package : packages) {
      pins += "  " + package + ": " + version + "\n";
      files += "  - file: " + package + "-" + version + "-x86_64.pkg.tar.zst\n    depends: []\n";
    }
    write_text(
        root.at("/etc/cudapin/profiles/lab.yaml"),
        "name: lab\nsummary: a profile of this site\nreason: test\ngenerations: [ampere]\npackages:\n" +
            pins + "files:\n" + files + "pin_if_installed: [" + partners + "]\n");
  }
  std::string in_store(const std::string& letter, const std::string& name) const {
    const auto shelf = root.at("/var/lib/cudapin/store/packages") / letter / name;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(shelf, missing))
      if (parse_file_name(entry.path().filename().string())) return entry.path().filename();
    return {};
  }
};

}  // namespace

TEST_CASE("manjaro: CUDA and its compiler come from Arch's archive and no kernel is pinned for them") {
  ManjaroLab lab;
  const auto run = lab.use("ampere-11.1");
  CHECK_MESSAGE(run.status == ExitStatus::done, run.err);
  CHECK(lab.version("cuda") == "11.1.0-2");
  CHECK(!contains(lab.pacman_conf(), "linux618"));
}

TEST_CASE("manjaro: the archive's kernels and drivers are refused all at once before anything is fetched") {
  ManjaroLab lab;
  lab.write_profile({"lib32-nvidia-utils", "opencl-nvidia"}, "580.119.02-1", "");
  for (const auto* name : {"lib32-nvidia-utils", "opencl-nvidia"})
    lab.add_to_archive({.name = name, .version = "580.119.02-1"});
  const auto before = lab.fingerprint(false);
  const auto run = lab.use("lab");
  CHECK(run.status == ExitStatus::failed);
  for (const auto* name : {"lib32-nvidia-utils", "opencl-nvidia"})
    CHECK_MESSAGE(
        contains(run.err, std::string(name) + " 580.119.02-1 is in no cache, and Arch's build of it"),
        run.err);
  CHECK(lab.fingerprint(false) == before);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("manjaro: a pinned driver takes its set and the metas with it and all is kept in the store") {
  ManjaroLab lab;
  lab.fill_cache();
  lab.write_profile({"nccl"}, "2.28.7-1", "nvidia-utils");
  const auto run = lab.use("lab");
  REQUIRE_MESSAGE(run.status == ExitStatus::done, run.err);
  const auto state = read_state(TestHost(lab.root).host);
  REQUIRE(state);
  for (const auto* name :
       {"nccl", "nvidia-utils", "opencl-nvidia", "linux618", "linux618-nvidia", "linux-meta"})
    CHECK_MESSAGE(state->pins.count(name) == 1, name);
  CHECK(contains(run.out, "linux-meta is pinned too"));
  CHECK(lab.in_store("n", "nvidia-utils") == "nvidia-utils-590.48.01-1-x86_64.pkg.tar.zst");
  CHECK(lab.in_store("l", "linux618-nvidia") == "linux618-nvidia-590.48.01-4-x86_64.pkg.tar.zst");
  CHECK(lab.in_store("l", "linux-meta") == "linux-meta-6.18-1-x86_64.pkg.tar.zst");
  const auto again = lab.use("lab");
  CHECK(contains(again.out, "in force already"));
}

TEST_CASE("manjaro: a pinned build that no cache has is told before") {
  ManjaroLab lab;
  lab.write_profile({"nccl"}, "2.28.7-1", "nvidia-utils");
  const auto run = lab.cudapin({"use", "lab", "--dry-run"});
  REQUIRE_MESSAGE(run.status == ExitStatus::done, run.err);
  std::string flat;
  for (const char c : run.out)
    if ((c != ' ' && c != '\n') || !flat.ends_with(' ')) flat += c == '\n' ? ' ' : c;
  CHECK_MESSAGE(contains(flat, "once removed it could not be had again"), flat);
  CHECK(contains(flat, "linux618-nvidia 590.48.01-4"));
}

TEST_CASE("manjaro: on Arch nothing of it happens") {
  ManjaroLab lab;
  write_text(lab.root.at("/etc/os-release"), "ID=arch\n");
  lab.fill_cache();
  lab.write_profile({"nccl"}, "2.28.7-1", "nvidia-utils");
  REQUIRE(lab.use("lab").status == ExitStatus::done);
  CHECK(!contains(lab.pacman_conf(), "linux618"));
  CHECK(lab.in_store("n", "nvidia-utils").empty());
}

}  // namespace cudapin
