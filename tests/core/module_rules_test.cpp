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

std::string problems(const Set& before, const Set& after, const std::string& moved = "nvidia-utils") {
  Profile profile{.name = "lab"};
  profile.packages.push_back({.name = moved, .version = *Version::parse("580-1")});
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

TEST_CASE("module rules: a profile without a driver and a kernel that never had one are left alone") {
  const Set now{{"linux", "6.18-1"}, {"nvidia", "590-1"}};
  CHECK(problems(now, {{"linux", "6.18-1"}, {"nvidia", "580-1"}}, "cuda").empty());
  CHECK(problems({{"linux", "6.18-1"}}, {{"linux", "6.18-1"}, {"nvidia-utils", "580-1"}}).empty());
}

TEST_CASE("module rules: Manjaro's kernels carry their number") {
  const Set now{{"linux612", "6.12.1-1"}, {"linux612-nvidia", "590-1"}, {"nvidia-utils", "590-1"}};
  CHECK(has(problems(now, {{"linux612", "6.12.1-1"}, {"nvidia-utils", "580-1"}}),
            "linux612 would have no driver"));
  CHECK(problems(now, now).empty());
}

}  // namespace cudapin
