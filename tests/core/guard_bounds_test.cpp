// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_bounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

std::string last(const char* card, const char* family) {
  const std::vector gpus{gpu_by_word(card)};
  const auto limits = bounds_of(gpus).limits;
  const auto found =
      std::find_if(limits.begin(), limits.end(), [&](const Bound& limit) { return limit.family == family; });
  return found == limits.end() ? "" : found->last;
}

}  // namespace

TEST_CASE("guard bounds: what no longer serves a card of each generation") {
  CHECK(last("GTX 1080 Ti", "driver") == "580");
  CHECK(last("GTX 1080 Ti", "toolkit") == "12.9");
  CHECK(last("GTX 1080 Ti", "cudnn") == "9.10.2.21");
  CHECK(last("7.0", "toolkit") == "12.9");
  CHECK(last("7.0", "driver") == "580");
  CHECK(last("3.5", "driver") == "470");
  CHECK(last("3.5", "toolkit") == "11.8");
  for (const auto* card : {"7.5", "RTX 3090", "9.0"})
    for (const auto* family : {"driver", "toolkit", "cudnn"}) CHECK_MESSAGE(last(card, family).empty(), card);
}

TEST_CASE("guard bounds: an unknown card has none and every card counts") {
  const std::vector<Gpu> gpus{gpu_by_pci_id("10de:ffff"), gpu_by_word("GTX 1080 Ti"),
                              gpu_by_word("RTX 3090")};
  const auto bounds = bounds_of(gpus);
  CHECK(bounds.cards.size() == 3);
  CHECK(bounds.limits.size() == 3);
}

}  // namespace cudapin
