// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/satisfiers.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("satisfiers: they answer as a look at every package does") {
  std::vector<Package> packages;
  for (int i = 0; i < 60; ++i) {
    Package package{.name = "p" + std::to_string(i % 20), .version = std::to_string(i) + "-1"};
    package.provides = {parse_dependency("virtual=" + std::to_string(i % 7)),
                        parse_dependency("p" + std::to_string(i % 3))};
    packages.push_back(package);
  }
  const Satisfiers satisfiers(packages);
  for (const auto* text : {"p0", "p1>=25", "p19<40", "p7=27-1", "virtual", "virtual=3", "virtual>5",
                           "virtual>=7", "p2>100", "none", ""})
    CHECK(satisfiers.find(parse_dependency(text)) == find_satisfier(packages, parse_dependency(text)));
  CHECK(Satisfiers(std::span<const Package>{}).find(parse_dependency("p0")) == nullptr);
}

}  // namespace cudapin
