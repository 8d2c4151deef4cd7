// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile.hpp"
#include "support/lab.hpp"
#include "support/rolling_world.hpp"
#include "system/files.hpp"
#include "system/pacman_conf.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> texts(const std::vector<Dependency>& dependencies) {
  std::vector<std::string> all;
  for (const auto& dependency : dependencies) all.push_back(dependency.text());
  return all;
}

/// A machine whose card only driver 580 drives: every package of pascal-580 is in the archive, what it needs
/// is installed, and the files of what is installed are in the package cache.
struct PascalLab : Lab {
  PascalLab() {
    const auto text = read_file(fs::path(SOURCE_DIR) / "profiles/pascal-580.yaml");
    for (const auto& package : parse_profile(text, "p").packages)
      add_to_archive({.name = package.name,
                      .version = package.version.text(),
                      .depends = texts(package.depends),
                      .provides = texts(package.provides),
                      .conflicts = texts(package.conflicts)});
    for (const auto* name : {"dkms", "pahole", "zstd"}) root.install(StandIn{.name = name});
    root.install(StandIn{.name = "libisl", .provides = {"libisl.so=23-64"}});
    for (const auto* name : {"linux", "nvidia-open", "nvidia-utils", "opencl-nvidia", "cuda", "cudnn"})
      keyring.sign(build_package(rolling_package(name), root.at("/var/cache/pacman/pkg")));
  }

  RunResult run(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--gpu", "GTX 1060"});
    return use("pascal-580", more);
  }
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("use: nvidia-open leaves for nvidia-dkms in one transaction and undo brings it back") {
  PascalLab lab;
  const auto untouched = lab.fingerprint(false);
  const auto shown = lab.run({"--dry-run"});
  CAPTURE(shown.err);
  REQUIRE(shown.status == ExitStatus::done);
  CHECK(contains(shown.out, "remove: another of its family"));
  CHECK(contains(shown.out, "driver 580.119.02 works after a reboot only"));
  CHECK(lab.fingerprint(false) == untouched);
  const auto json = nlohmann::json::parse(lab.run({"--dry-run", "--json"}).out);
  const auto& packages = json.at("packages");
  CHECK(std::ranges::any_of(packages, [](const nlohmann::json& one) {
    return one.at("name") == "nvidia-open" && one.at("action") == "remove" && one.at("to") == "";
  }));
  CHECK(std::ranges::none_of(
      packages, [](const nlohmann::json& one) { return one.at("name") == "lib32-nvidia-utils"; }));

  const auto result = lab.run();
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(lab.version("nvidia-open").empty());
  CHECK(lab.version("nvidia-dkms") == "580.119.02-1");
  CHECK(lab.version("nvidia-utils") == "580.119.02-1");
  CHECK(lab.version("linux") == "6.18.1.arch1-2");
  CHECK(lab.version("lib32-nvidia-utils").empty());
  TestHost test(lab.root);
  const auto ignored = read_pacman_conf(test.host).ignore_pkg;
  for (const auto* name :
       {"linux", "linux-headers", "nvidia-dkms", "nvidia-utils", "opencl-nvidia", "cuda", "gcc14"})
    CHECK_MESSAGE(std::ranges::count(ignored, name) == 1, name);
  CHECK(std::ranges::count(ignored, "nvidia-open") == 0);
  CHECK(std::ranges::count(ignored, "lib32-nvidia-utils") == 0);
  const auto history = read_history(test.host);
  REQUIRE(history.size() == 1);
  CHECK(std::ranges::count(history[0].changes, Change{"nvidia-open", "590.48.01-3", ""}) == 1);

  SUBCASE("again there is nothing to do") { CHECK(contains(lab.run().out, "in force already")); }
  SUBCASE("undo") {
    const auto undone = lab.cudapin({"undo", "--noconfirm", "--offline"});
    CAPTURE(undone.err);
    CHECK(undone.status == ExitStatus::done);
    CHECK(lab.version("nvidia-open") == "590.48.01-3");
    CHECK(lab.version("nvidia-dkms").empty());
    CHECK(lab.version("nvidia-utils") == "590.48.01-1");
    CHECK(lab.version("linux") == "6.18.2.arch2-1");
    CHECK(lab.version("cuda") == "13.1.1-1");
    CHECK(!read_state(test.host));
  }
}

TEST_CASE("use: a 32-bit driver that is installed moves with its family") {
  PascalLab lab;
  for (const auto* name : {"lib32-zlib", "lib32-gcc-libs", "lib32-libglvnd"})
    lab.root.install(StandIn{.name = name});
  lab.root.install(
      StandIn{.name = "lib32-nvidia-utils", .version = "590.48.01-1", .depends = {"nvidia-utils"}});
  const auto result = lab.run();
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(lab.version("lib32-nvidia-utils") == "580.119.02-1");
  TestHost test(lab.root);
  CHECK(std::ranges::count(read_pacman_conf(test.host).ignore_pkg, "lib32-nvidia-utils") == 1);
}

TEST_CASE("use: what DKMS needs is asked for with the command that brings it") {
  PascalLab lab;
  for (const auto* entry : {"dkms-1-1", "pahole-1-1"}) fs::remove_all(lab.root.local_database() / entry);
  const auto untouched = lab.fingerprint();
  const auto result = lab.run();
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "nvidia-dkms 580.119.02-1 needs 'dkms'"));
  CHECK(contains(result.err, "linux-headers 6.18.1.arch1-2 needs 'pahole'"));
  CHECK(contains(result.err, "hint: pacman -S --needed --asdeps dkms pahole\n"));
  CHECK(lab.fingerprint() == untouched);
  for (const auto& request : lab.server.requests()) CHECK(contains(request.path, "/repos/"));
}

}  // namespace cudapin
