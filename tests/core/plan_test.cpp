// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan.hpp"

#include "core/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

ProfilePackage wanted(const char* name, const char* version, std::vector<std::string> depends = {}) {
  ProfilePackage package{.name = name,
                         .version = *Version::parse(version),
                         .file = std::string(name) + "-" + version + "-x86_64.pkg.tar.zst"};
  for (const auto& text : depends) package.depends.push_back(parse_dependency(text));
  return package;
}

Package installed(const char* name, const char* version, std::vector<std::string> depends = {}) {
  Package package{.name = name, .version = version};
  for (const auto& text : depends) package.depends.push_back(parse_dependency(text));
  return package;
}

Profile ampere() {
  Profile profile{.name = "ampere-11.1", .generations = {"ampere"}};
  profile.packages = {wanted("cuda", "11.1.0-2", {"gcc-libs", "gcc", "opencl-nvidia"}),
                      wanted("cudnn", "8.0.4.30-1", {"cuda>=11"}), wanted("gcc10-libs", "1:10.2.0-3")};
  profile.packages[2].reason = Reason::dependency;
  profile.pin_if_installed = {"cuda-tools", "absent"};
  return profile;
}

std::vector<Package> rolling() {
  return {installed("cuda", "13.1.1-1"),
          installed("cudnn", "9.18.1.3-1", {"cuda"}),
          installed("gcc", "15.2.1-1"),
          installed("gcc-libs", "15.2.1-1"),
          installed("opencl-nvidia", "590.48.01-1"),
          installed("cuda-tools", "12.8.0-1", {"cuda"})};
}

}  // namespace

TEST_CASE("plan: versions decide between install and upgrade and downgrade and keep") {
  auto machine = rolling();
  machine[0].reason = Reason::dependency;
  machine[1].version = "8.0.4.30-1";
  const auto plan = make_plan(ampere(), machine);
  REQUIRE(plan.actions.size() == 3);
  CHECK(plan.actions[0].kind == ActionKind::downgrade);
  CHECK(plan.actions[0].from == "13.1.1-1");
  CHECK(plan.actions[0].reason == Reason::dependency);
  CHECK(plan.actions[1].kind == ActionKind::keep);
  CHECK(plan.actions[2].kind == ActionKind::install);
  CHECK(plan.actions[2].reason == Reason::dependency);
  CHECK(plan.pins == std::vector<std::string>{"cuda", "cuda-tools", "cudnn", "gcc10-libs"});
  CHECK(plan.changes_packages());
}

TEST_CASE("plan: a dependency that nothing provides is named with who needs it") {
  auto machine = rolling();
  std::erase_if(machine, [](const Package& package) { return package.name == "opencl-nvidia"; });
  CHECK(dependency_problems(ampere(), machine) ==
        std::vector<std::string>{"cuda 11.1.0-2 needs 'opencl-nvidia', which no installed package and none "
                                 "of the profile provides"});
  CHECK_THROWS_AS(make_plan(ampere(), machine), Error);
}

TEST_CASE("plan: installed packages that would lose a dependency are all named") {
  auto machine = rolling();
  machine.push_back(installed("python-pytorch-cuda", "2.10.0-1", {"cuda>=13", "cudnn>=9"}));
  machine.push_back(installed("already-broken", "1-1", {"nothing-has-this"}));
  const auto problems = dependency_problems(ampere(), machine);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].find("python-pytorch-cuda 2.10.0-1 needs 'cuda>=13'") != std::string::npos);
  CHECK(problems[1].find("cudnn 9.18.1.3-1") != std::string::npos);
}

TEST_CASE("plan: conflicts count in both directions") {
  auto machine = rolling();
  machine.push_back(installed("cuda-rival", "1-1"));
  auto profile = ampere();
  profile.packages[0].conflicts = {parse_dependency("cuda-rival")};
  CHECK(dependency_problems(profile, machine).size() == 1);
  machine.push_back(installed("old-world", "1-1"));
  machine.back().conflicts = {parse_dependency("cuda<12")};
  CHECK(dependency_problems(profile, machine).size() == 2);
}

namespace {

std::vector<Dependency> parsed(std::vector<std::string> texts) {
  std::vector<Dependency> all;
  for (const auto& text : texts) all.push_back(parse_dependency(text));
  return all;
}

Profile pascal() {
  Profile profile{.name = "pascal-580", .generations = {"pascal"}};
  profile.packages = {wanted("nvidia-dkms", "580.119.02-1", {"nvidia-utils=580.119.02"}),
                      wanted("nvidia-utils", "580.119.02-1"), wanted("lib32-nvidia-utils", "580.119.02-1")};
  profile.packages[0].provides = parsed({"NVIDIA-MODULE", "nvidia"});
  profile.packages[0].conflicts = parsed({"NVIDIA-MODULE", "nvidia"});
  profile.packages[2].only_if_installed = true;
  profile.pin_if_installed = {"nvidia-open"};
  return profile;
}

Package open_module() {
  auto module = installed("nvidia-open", "590.48.01-3", {"nvidia-utils=590.48.01"});
  module.provides = parsed({"NVIDIA-MODULE"});
  module.conflicts = parsed({"NVIDIA-MODULE"});
  return module;
}

}  // namespace

TEST_CASE("plan: one of the family leaves for the profile's") {
  const std::vector<Package> machine{installed("nvidia-utils", "590.48.01-1"), open_module()};
  const auto plan = make_plan(pascal(), machine);
  REQUIRE(plan.actions.size() == 3);
  CHECK(plan.actions[0].kind == ActionKind::install);
  CHECK(plan.actions[1].kind == ActionKind::downgrade);
  CHECK(plan.actions[2] == Action{.kind = ActionKind::remove,
                                  .name = "nvidia-open",
                                  .from = "590.48.01-3",
                                  .to = "",
                                  .file = "",
                                  .source = "",
                                  .reason = Reason::explicitly});
  CHECK(plan.removals() == std::vector<std::string>{"nvidia-open"});
  CHECK(needs_file(plan.actions[0]));
  CHECK(!needs_file(plan.actions[2]));
  CHECK(plan.pins == std::vector<std::string>{"nvidia-dkms", "nvidia-utils"});
}

TEST_CASE("plan: what needs the one that leaves is named") {
  std::vector<Package> machine{installed("nvidia-utils", "590.48.01-1"), open_module(),
                               installed("bbswitch-open", "1-1", {"nvidia-open"})};
  const auto problems = dependency_problems(pascal(), machine);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("bbswitch-open 1-1 needs 'nvidia-open'") != std::string::npos);
}

TEST_CASE("plan: a conflict outside the family stays one") {
  std::vector<Package> machine{installed("nvidia-utils", "590.48.01-1"), installed("other-module", "1-1")};
  machine[1].provides = parsed({"NVIDIA-MODULE"});
  CHECK(
      dependency_problems(pascal(), machine) ==
      std::vector<std::string>{"nvidia-dkms 580.119.02-1 and other-module 1-1 cannot be installed together"});
}

TEST_CASE("plan: a split-off part leaves for the toolkit that replaces it") {
  Profile profile{.name = "blackwell", .generations = {"blackwell"}};
  profile.packages = {wanted("cuda", "13.1.1-1", {"gcc"})};
  profile.packages[0].replaces = parsed({"cuda-tools", "htop"});
  auto machine = rolling();
  machine.push_back(installed("htop", "3-1"));
  machine.erase(machine.begin() + 1);
  CHECK(make_plan(profile, machine).removals() == std::vector<std::string>{"cuda-tools"});
}

TEST_CASE("plan: packages for machines that have them move with the rest there") {
  const std::vector<Package> machine{installed("nvidia-utils", "590.48.01-1"),
                                     installed("lib32-nvidia-utils", "590.48.01-1", {"nvidia-utils"})};
  const auto plan = make_plan(pascal(), machine);
  REQUIRE(plan.actions.size() == 3);
  CHECK(plan.actions[2].kind == ActionKind::downgrade);
  CHECK(plan.pins == std::vector<std::string>{"lib32-nvidia-utils", "nvidia-dkms", "nvidia-utils"});
}

TEST_CASE("plan: missing packages are told with the command that brings them") {
  auto profile = pascal();
  profile.packages[0].depends = parsed({"dkms", "pahole", "nvidia-utils=580.119.02"});
  try {
    make_plan(profile, std::vector<Package>{});
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.hint == "pacman -S --needed --asdeps dkms pahole");
  }
}

TEST_CASE("plan: a range is no version to install") {
  auto profile = ampere();
  profile.open = {{"nccl", *VersionRange::parse("2.7.*"), "p.yaml:7:3"}};
  CHECK_THROWS_WITH_AS(make_plan(profile, rolling()),
                       "p.yaml:7:3: 'nccl' needs an exact version in place of '2.7.*', and its file", Error);
}

}  // namespace cudapin
