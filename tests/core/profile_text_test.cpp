// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile_text.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

const std::string text = R"(name: lab
summary: 'a "quoted" one: yes'
reason: |
  two lines\
  of reasons
generations: [ampere, ada]
snapshot: 2020-10-12
packages: {cuda: 11.1.0-2, gcc10: "1:10.2.0-3", nccl: 2.7.*, driver-thing: ">=455.23 <460"}
files:
  - {file: cuda-11.1.0-2-x86_64.pkg.tar.zst, depends: [gcc-libs, "opencl-nvidia>=450"], provides: [cuda-toolkit]}
  - {file: "gcc10-1:10.2.0-3-x86_64.pkg.tar.zst", depends: [], as: dependency, only_if_installed: true}
pin_if_installed: [gcc10-fortran]
requires: {driver: ">=450.80.02"}
environment: {CUDA_HOME: /opt/cuda}
tune: {persistence: true, power_limit: 250}
unverified: ["yes", "the rest: all of it"]
)";

}  // namespace

TEST_CASE("profile text: a profile is read back as it was") {
  const auto profile = parse_profile(text, "lab.yaml");
  const auto again = parse_profile(profile_text(profile), "again.yaml");
  CHECK(differences(profile, again).empty());
  CHECK(again.summary == profile.summary);
  CHECK(again.reason == profile.reason);
  CHECK(again.unverified == profile.unverified);
  CHECK(again.packages[0].depends == profile.packages[0].depends);
  CHECK(again.packages[0].provides == profile.packages[0].provides);
  CHECK(again.packages[1].reason == Reason::dependency);
  CHECK(again.packages[1].only_if_installed);
  CHECK(profile_text(again) == profile_text(profile));
}

TEST_CASE("profile text: differences name packages first and a new file only for the same version") {
  const auto profile = parse_profile(text, "lab.yaml");
  auto other = profile;
  other.snapshot = "2021-01-01";
  other.packages[0].file = "cuda-11.1.0-2-x86_64.pkg.tar.xz";
  other.open[0].range = *VersionRange::parse("2.8.*");
  other.packages.pop_back();
  const std::vector<Difference> wanted{
      {"nccl", "2.7.*", "2.8.*", true},
      {"gcc10", "1:10.2.0-3", "", true},
      {"file of cuda", "cuda-11.1.0-2-x86_64.pkg.tar.zst", "cuda-11.1.0-2-x86_64.pkg.tar.xz", false},
      {"snapshot", "2020-10-12", "2021-01-01", false}};
  CHECK(differences(profile, other) == wanted);
  CHECK(differences(profile, profile).empty());
}

TEST_CASE("profile text: against a machine only what it lacks counts") {
  auto profile = parse_profile(text, "lab.yaml");
  profile.open.pop_back();
  const std::vector<Difference> wanted{{"cuda", "13.1.1-1", "11.1.0-2"}, {"nccl", "", "2.7.*"}};
  using Installed = std::map<std::string, std::string>;
  CHECK(differences(Installed{{"cuda", "13.1.1-1"}}, profile) == wanted);
  CHECK(differences(Installed{{"cuda", "11.1.0-2"}, {"nccl", "2.7.8-3"}}, profile).empty());
}

}  // namespace cudapin
