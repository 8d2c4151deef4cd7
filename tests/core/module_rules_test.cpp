// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module_rules.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

using Set = std::vector<std::pair<std::string, std::string>>;

std::vector<Package> packages(const Set& set) {
  std::vector<Package> all;
  for (const auto& [name, version] : set) all.push_back({.name = name, .version = version});
  return all;
}

std::string problems(const Set& before, const Set& after, const std::vector<std::string>& named = {}) {
  Profile profile{.name = "lab"};
  for (const auto& name : named)
    profile.packages.push_back({.name = name, .version = *Version::parse("580-1")});
  std::string text;
  for (const auto& line : module_problems(profile, packages(before), packages(after))) text += line + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("module rules: a ready-made module moves with its kernel or not at all") {
  const Set now{{"linux", "6.18.2-1"}, {"nvidia-open", "590-3"}, {"nvidia-utils", "590-1"}};
  const auto alone =
      problems(now, {{"linux", "6.18.2-1"}, {"nvidia-open", "580-5"}, {"nvidia-utils", "580-1"}});
  CHECK(has(alone, "nvidia-open 580-5 was not built for linux 6.18.2-1"));
  CHECK(has(alone, "nvidia-dkms with linux-headers"));
  CHECK(has(problems(now, {{"linux", "6.17.1-1"}, {"nvidia-open", "590-3"}, {"nvidia-utils", "590-1"}}),
            "was not built for"));
  CHECK(problems(now, {{"linux", "6.17.1-1"}, {"nvidia-open", "580-5"}, {"nvidia-utils", "580-1"}}).empty());
  CHECK(problems(now, now).empty());
}

TEST_CASE("module rules: each kernel needs its own") {
  const Set now{{"linux", "6.18-1"},
                {"linux-lts", "6.12-1"},
                {"nvidia", "590-1"},
                {"nvidia-lts", "590-1"},
                {"nvidia-utils", "590-1"}};
  const auto lost = problems(
      now, {{"linux", "6.18-1"}, {"linux-lts", "6.12-1"}, {"nvidia", "590-1"}, {"nvidia-utils", "590-1"}});
  CHECK(has(lost, "linux-lts would have no driver"));
  CHECK(!has(lost, "linux would"));
}

TEST_CASE("module rules: DKMS needs headers of the kernel's own version") {
  const Set now{{"linux", "6.18-1"}, {"nvidia", "590-1"}, {"nvidia-utils", "590-1"}};
  CHECK(has(problems(now, {{"linux", "6.18-1"}, {"nvidia-dkms", "580-1"}, {"nvidia-utils", "580-1"}}),
            "'pacman -S linux-headers' brings it"));
  CHECK(has(problems(now, {{"linux", "6.18-1"},
                           {"linux-headers", "6.19-1"},
                           {"nvidia-dkms", "580-1"},
                           {"nvidia-utils", "580-1"}}),
            "linux-headers is 6.19-1"));
  CHECK(problems(now, {{"linux", "6.18-1"},
                       {"linux-headers", "6.18-1"},
                       {"nvidia-dkms", "580-1"},
                       {"nvidia-utils", "580-1"}})
            .empty());
}

TEST_CASE("module rules: a kernel and a module that the profile names together are a pair") {
  const Set now{{"linux", "6.17.1-1"}, {"nvidia-open", "590-3"}, {"nvidia-utils", "590-1"}};
  const Set then{{"linux", "6.17.1-1"}, {"nvidia", "580-5"}, {"nvidia-utils", "580-1"}};
  CHECK(problems(now, then, {"linux", "nvidia", "nvidia-utils"}).empty());
  CHECK(
      has(problems(now, then, {"nvidia", "nvidia-utils"}), "nvidia 580-5 was not built for linux 6.17.1-1"));
}

TEST_CASE("module rules: a kernel that moves alone and a module that goes alone are refused too") {
  const Set now{{"linux", "6.18-1"}, {"nvidia-open", "590-3"}, {"nvidia-utils", "590-1"}, {"cuda", "13-1"}};
  const Set older{{"linux", "6.17-1"}, {"nvidia-open", "590-3"}, {"nvidia-utils", "590-1"}, {"cuda", "11-1"}};
  CHECK(has(problems(now, older, {"linux", "cuda"}), "nvidia-open 590-3 was not built for linux 6.17-1"));
  CHECK(has(problems(now, {{"linux", "6.18-1"}, {"nvidia-utils", "590-1"}, {"cuda", "11-1"}}, {"cuda"}),
            "linux would have no driver"));
  const Set dkms{
      {"linux", "6.18-1"}, {"linux-headers", "6.18-1"}, {"nvidia-dkms", "580-1"}, {"nvidia-utils", "580-1"}};
  CHECK(has(problems(dkms,
                     {{"linux", "6.17-1"},
                      {"linux-headers", "6.18-1"},
                      {"nvidia-dkms", "580-1"},
                      {"nvidia-utils", "580-1"}},
                     {"linux"}),
            "linux-headers is 6.18-1"));
}

TEST_CASE("module rules: a kernel without a driver is not the plans doing") {
  CHECK(problems({{"linux", "6.18-1"}}, {{"linux", "6.18-1"}, {"nvidia-utils", "580-1"}}).empty());
  const Set now{{"linux", "6.18-1"},
                {"linux-headers", "6.18-1"},
                {"linux-lts", "6.12-1"},
                {"nvidia-dkms", "580-1"},
                {"nvidia-utils", "580-1"}};
  CHECK(problems(now, now, {"cuda"}).empty());
  CHECK(problems({{"linux", "6.18-1"}, {"nvidia", "590-1"}, {"nvidia-utils", "590-1"}}, {{"linux", "6.18-1"}})
            .empty());
}

TEST_CASE(
    "module rules: the first DKMS driver needs headers for one kernel and a new kernel needs a driver") {
  CHECK(has(problems({{"linux", "6.18-1"}},
                     {{"linux", "6.18-1"}, {"nvidia-dkms", "580-1"}, {"nvidia-utils", "580-1"}}),
            "'pacman -S linux-headers' brings it"));
  CHECK(problems({{"linux", "6.18-1"}, {"linux-lts", "6.12-1"}}, {{"linux", "6.18-1"},
                                                                  {"linux-headers", "6.18-1"},
                                                                  {"linux-lts", "6.12-1"},
                                                                  {"nvidia-dkms", "580-1"},
                                                                  {"nvidia-utils", "580-1"}})
            .empty());
  const Set now{{"linux", "6.18-1"}, {"nvidia", "590-1"}, {"nvidia-utils", "590-1"}};
  CHECK(
      has(problems(
              now,
              {{"linux", "6.18-1"}, {"linux-lts", "6.12-1"}, {"nvidia", "590-1"}, {"nvidia-utils", "590-1"}}),
          "linux-lts would have no driver"));
}

TEST_CASE("module rules: all parts of a driver are of one version whatever their pkgrel") {
  const auto now = packages({{"nvidia-utils", "590.48.01-1"}, {"opencl-nvidia", "590.48.01-1"}});
  const auto split = driver_problems(now, packages({{"nvidia-utils", "580.119.02-1"},
                                                    {"opencl-nvidia", "590.48.01-1"},
                                                    {"lib32-nvidia-utils", "580.119.02-3"}}));
  REQUIRE(split.size() == 1);
  CHECK(has(split[0], "opencl-nvidia 590.48.01-1 would not work with nvidia-utils 580.119.02-1"));
  CHECK(has(split[0], "--remove opencl-nvidia"));
  CHECK(driver_problems(now, now).empty());
  CHECK(driver_problems(now, packages({{"nvidia-utils", "580.119.02-1"}})).empty());
  const auto broken = packages({{"nvidia-utils", "590.48.01-1"}, {"opencl-nvidia", "580.119.02-1"}});
  CHECK(driver_problems(broken, broken).empty());
}

TEST_CASE("module rules: releases are the folders below usr lib modules") {
  const std::vector<std::string> paths{"usr/lib/modules/",
                                       "usr/lib/modules/6.18.2-arch2-1/",
                                       "usr/lib/modules/6.18.2-arch2-1/extramodules/nvidia.ko.zst",
                                       "usr/lib/modules/6.12.1-1-lts",
                                       "usr/lib/modules/extramodules-ARCH/nvidia.ko.xz",
                                       "usr/share/x"};
  CHECK(kernel_releases(paths) == std::set<std::string>{"6.18.2-arch2-1", "6.12.1-1-lts"});
}

TEST_CASE("module rules: Manjaro's kernels carry their number") {
  const Set now{{"linux612", "6.12.1-1"}, {"linux612-nvidia", "590-1"}, {"nvidia-utils", "590-1"}};
  CHECK(has(problems(now, {{"linux612", "6.12.1-1"}, {"nvidia-utils", "580-1"}}),
            "linux612 would have no driver"));
  CHECK(problems(now, now).empty());
}

}  // namespace cudapin
