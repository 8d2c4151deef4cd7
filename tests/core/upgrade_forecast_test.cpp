// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/upgrade_forecast.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

Package made(const std::string& name, const std::string& version,
             const std::vector<std::string>& depends = {}, const std::vector<std::string>& provides = {}) {
  Package package{.name = name, .version = version, .arch = "x86_64"};
  for (const auto& text : depends) package.depends.push_back(parse_dependency(text));
  for (const auto& text : provides) package.provides.push_back(parse_dependency(text));
  return package;
}

std::vector<std::string> forecast(const std::vector<Package>& after, const std::vector<std::string>& pins,
                                  const std::vector<Package>& repository,
                                  const std::vector<std::string>& ignored = {}) {
  std::vector<RepositoryPackage> packages;
  for (const auto& package : repository)
    packages.push_back(
        {.package = package, .file = package.name + "-" + package.version + "-x86_64.pkg.tar.zst"});
  std::vector<std::string> lines;
  for (const auto& finding :
       forecast_upgrade(after, pins, ignored, *RepositoryIndex::parse(index_text(packages))))
    lines.push_back(finding.what);
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("upgrade forecast: what the pins hold back is named with both versions") {
  CHECK(forecast({made("cuda", "11.1.0-2"), made("zlib", "1.2-1")}, {"cuda"},
                 {made("cuda", "13.1-1"), made("zlib", "1.3-1")}) ==
        Lines{"the pins hold back: cuda 11.1.0-2 (there is 13.1-1)"});
  CHECK(forecast({made("cuda", "11.1.0-2")}, {"cuda"}, {made("cuda", "11.1.0-2")}).empty());
  CHECK(forecast({made("cuda", "11.1.0-2")}, {}, {made("cuda", "13.1-1")}).empty());
}

TEST_CASE("upgrade forecast: C047: a new version that wants another version of a pin is where pacman stops") {
  const auto torch = made("python-pytorch-cuda", "2.9-1", {"cuda"});
  const auto next = made("python-pytorch-cuda", "2.10-1", {"cuda>=13.1"});
  CHECK(forecast({made("cuda", "11.1.0-2"), torch}, {"cuda"}, {next}) ==
        Lines{"'pacman -Syu' will stop: python-pytorch-cuda 2.10-1 needs 'cuda>=13.1', and cuda is pinned at "
              "11.1.0-2"});
  CHECK(forecast({made("cuda", "13.1-1"), torch}, {"cuda"}, {next}).empty());
}

TEST_CASE("upgrade forecast: a soname that a pinned package provides in another version counts too") {
  const auto blender = made("blender", "5.0-1", {"libcudart.so=12-64"});
  CHECK(
      forecast({made("cuda", "12.9-1", {}, {"libcudart.so=12-64"}), blender}, {"cuda"},
               {made("blender", "5.1-1", {"libcudart.so=13-64"})}) ==
      Lines{
          "'pacman -Syu' will stop: blender 5.1-1 needs 'libcudart.so=13-64', and cuda is pinned at 12.9-1"});
}

TEST_CASE("upgrade forecast: a partner that leaves a pinned package behind is told") {
  const auto lines =
      forecast({made("opencl-nvidia", "580-1", {"nvidia-utils=580"}), made("nvidia-utils", "580-1")},
               {"opencl-nvidia"},
               {made("opencl-nvidia", "590-1", {"nvidia-utils=590"}), made("nvidia-utils", "590-1")});
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] ==
        "'pacman -Syu' will stop: the pinned opencl-nvidia 580-1 needs 'nvidia-utils=580', which the new "
        "nvidia-utils is not");
}

TEST_CASE("upgrade forecast: what a person ignores stays and stops nothing") {
  const auto torch = made("python-pytorch-cuda", "2.9-1", {"cuda"});
  const auto next = made("python-pytorch-cuda", "2.10-1", {"cuda>=13.1"});
  CHECK(forecast({made("cuda", "11.1.0-2"), torch}, {"cuda"}, {next}, {"python-py*"}).empty());
  CHECK(forecast({made("cuda", "11.1.0-2"), torch}, {"cuda"}, {next}, {"python"}).size() == 1);
}

TEST_CASE("upgrade forecast: a new version that a pinned package excludes is where pacman stops") {
  const auto cuda = made("cuda", "12.9-1");
  auto next = made("cuda-tools", "13-1");
  next.conflicts = {parse_dependency("cuda<13")};
  CHECK(forecast({cuda, made("cuda-tools", "12.9-1")}, {"cuda"}, {next}) ==
        Lines{"'pacman -Syu' will stop: cuda-tools 13-1 cannot be installed beside the pinned cuda 12.9-1"});
  auto now = next;
  now.version = "12-1";
  CHECK(forecast({cuda, now}, {"cuda"}, {next}).empty());
  auto pinned = cuda;
  pinned.conflicts = {parse_dependency("cuda-tools>=13")};
  next.conflicts.clear();
  CHECK(forecast({pinned, made("cuda-tools", "12.9-1")}, {"cuda"}, {next}).size() == 1);
}

TEST_CASE("upgrade forecast: what is broken now is not the pins doing") {
  CHECK(forecast({made("cuda", "11.1.0-2", {"gone"}), made("a", "1-1", {"neither"})}, {"cuda"},
                 {made("a", "2-1", {"neither"})})
            .empty());
}

}  // namespace cudapin
