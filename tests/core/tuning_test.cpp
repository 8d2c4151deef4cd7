// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tuning.hpp"

#include "core/error.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

CardSettings card(bool persistence, unsigned watts) {
  return {.uuid = "GPU-1",
          .name = "RTX 3090",
          .persistence = persistence,
          .power_limit = watts * 1000,
          .least_power = 100'000,
          .greatest_power = 366'000};
}

}  // namespace

TEST_CASE("tuning: only what differs is changed") {
  const std::vector cards{card(false, 350)};
  CHECK(changes_for({.persistence = true, .power_limit = 250}, cards) ==
        std::vector<CardChange>{{"GPU-1", "RTX 3090", true, 250'000u}});
  CHECK(changes_for({.persistence = true, .power_limit = 350}, cards) ==
        std::vector<CardChange>{{"GPU-1", "RTX 3090", true, {}}});
  CHECK(changes_for({.persistence = false, .power_limit = 350}, cards).empty());
  CHECK(changes_for({}, cards).empty());
}

TEST_CASE("tuning: a limit that a card does not take is an error with its bounds and never set") {
  const std::vector cards{card(true, 350)};
  for (const unsigned watts : {99u, 367u}) {
    const auto findings = judge_tuning({.persistence = {}, .power_limit = watts}, cards);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::error);
    CHECK(findings[0].evidence == "the driver reports 100 to 366 W");
    CHECK(changes_for({.persistence = {}, .power_limit = watts}, cards).empty());
  }
  CHECK(judge_tuning({.persistence = {}, .power_limit = 366}, cards)[0].severity == Severity::note);
}

TEST_CASE("tuning: a card without the setting is told and left alone") {
  const std::vector<CardSettings> cards{{.uuid = "GPU-1",
                                         .name = "GTX 1060",
                                         .persistence = {},
                                         .power_limit = {},
                                         .least_power = {},
                                         .greatest_power = {}}};
  const auto findings = judge_tuning({.persistence = true, .power_limit = 100}, cards);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::note);
  CHECK(changes_for({.persistence = true, .power_limit = 100}, cards).empty());
}

TEST_CASE("tuning: the way back leads to what each card had and passes over cards that are gone") {
  auto other = card(true, 200);
  other.uuid = "GPU-2";
  CHECK(changes_back(std::vector{card(false, 350), other}, std::vector{card(true, 250)}) ==
        std::vector<CardChange>{{"GPU-1", "RTX 3090", false, 350'000u}});
  CHECK(changes_back(std::vector{card(true, 250)}, std::vector{card(true, 250)}).empty());
}

TEST_CASE("tuning: a record comes back as it was written and a damaged one is told") {
  auto former = card(false, 350);
  former.least_power = former.greatest_power = {};
  const TuningRecord record{"lab", {.persistence = {}, .power_limit = 250}, {former}};
  CHECK(parse_tuning(to_json(record), "f") == record);
  CHECK_THROWS_AS(parse_tuning("{", "f"), Error);
  CHECK_THROWS_AS(parse_tuning("{\"schema\": 2}", "f"), Error);
}

}  // namespace cudapin
