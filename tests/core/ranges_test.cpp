// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranges.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

RangeSet set_of(std::vector<Range> ranges) {
  RangeSet set;
  for (const auto& range : ranges) set.add(range);
  return set;
}

using List = std::vector<Range>;

}  // namespace

TEST_CASE("ranges: what touches becomes one and what is empty is nothing") {
  CHECK(set_of({{0, 5}, {10, 15}, {5, 10}}).ranges() == List{{0, 15}});
  CHECK(set_of({{10, 15}, {0, 5}}).ranges() == List{{0, 5}, {10, 15}});
  CHECK(set_of({{0, 9}, {3, 4}, {8, 12}, {20, 20}, {7, 3}}).ranges() == List{{0, 12}});
  CHECK(set_of({{0, 2}, {4, 6}, {8, 10}, {1, 9}}).ranges() == List{{0, 10}});
}

TEST_CASE("ranges: removing parts a range or takes several") {
  auto set = set_of({{0, 10}, {20, 30}});
  set.remove({4, 6});
  CHECK(set.ranges() == List{{0, 4}, {6, 10}, {20, 30}});
  set.remove({3, 25});
  CHECK(set.ranges() == List{{0, 3}, {25, 30}});
  set.remove({0, 100});
  CHECK(set.empty());
}

TEST_CASE("ranges: gaps and the front and the size are those of the parts") {
  const auto set = set_of({{2, 4}, {6, 8}});
  CHECK(set.size() == 4);
  CHECK(set.front() == 0);
  CHECK(set_of({{0, 3}, {5, 6}}).front() == 3);
  CHECK(set.first_gap(10) == Range{0, 2});
  CHECK(set.first_gap(10, 2) == Range{4, 6});
  CHECK(set.first_gap(10, 5) == Range{5, 6});
  CHECK(set.first_gap(10, 7) == Range{8, 10});
  CHECK(set.first_gap(8, 7) == std::nullopt);
  CHECK(set_of({{0, 10}}).first_gap(10) == std::nullopt);
  CHECK(set.contains({6, 8}));
  CHECK(!set.contains({3, 7}));
  CHECK(set.contains({5, 5}));
}

}  // namespace cudapin
