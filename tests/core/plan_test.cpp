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
  machine.push_back(installed("cuda-sdk", "1-1"));
  auto profile = ampere();
  profile.packages[0].conflicts = {parse_dependency("cuda-sdk")};
  CHECK(dependency_problems(profile, machine).size() == 1);
  machine.push_back(installed("old-world", "1-1"));
  machine.back().conflicts = {parse_dependency("cuda<12")};
  CHECK(dependency_problems(profile, machine).size() == 2);
}

}  // namespace cudapin
