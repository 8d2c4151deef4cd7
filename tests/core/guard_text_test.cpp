// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_text.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("guard text: pins are read as they were written") {
  const PinState pins{"ampere-11.1", {{"cuda", "11.1.0-2"}, {"cudnn", "8.0.5.39-1"}}};
  CHECK(pin_state_text(pins) == "# cudapin pins 1\n# profile ampere-11.1\ncuda 11.1.0-2\ncudnn 8.0.5.39-1\n");
  CHECK(parse_pin_state(pin_state_text(pins)) == pins);
  const PinState nameless{"", {{"gcc10", "1:10.2.0-3"}}};
  CHECK(parse_pin_state(pin_state_text(nameless)) == nameless);
  CHECK(parse_pin_state("# cudapin pins 1\n") == PinState{});
}

TEST_CASE("guard text: garbled pins are nothing") {
  for (const auto* text :
       {"", "cuda 11.1.0-2\n", "# cudapin pins 2\ncuda 11.1.0-2\n", "# cudapin pins 1\ncuda\n",
        "# cudapin pins 1\ncuda 11.1.0-2 x\n", "# cudapin pins 1\ncuda 1-1\ncuda 2-1\n",
        "# cudapin pins 1\ncu\x01"
        "da 11.1.0-2\n",
        "\x7f"
        "ELF\x02\x01"})
    CHECK_MESSAGE(!parse_pin_state(text), text);
}

TEST_CASE("guard text: bounds are read as they were written") {
  const Bounds bounds{
      {"10de:1c03"},
      {{"driver", "580", "580.178.04", "GeForce GTX 1060 6GB"}, {"cudnn", "9.10.2.21", "9.10.2.21", "x"}},
      {"nvidia-dkms-tkg"}};
  CHECK(parse_bounds(bounds_text(bounds)) == bounds);
  CHECK(parse_bounds(bounds_text({})) == Bounds{});
  for (const auto* text : {"", "# cudapin bounds 1\n   \n", "# cudapin bounds 1\nlast driver x y z\n",
                           "# cudapin bounds 1\nlast kernel 5 5 card\n", "# cudapin bounds 1\nnonsense\n",
                           "# cudapin bounds 1\ndriver-package a b\n"})
    CHECK_MESSAGE(!parse_bounds(text), text);
}

TEST_CASE("guard text: freezes and allowances are read as they were written") {
  const std::vector<Freeze> freezes{{1700000000, "bob", {}, "paper deadline"},
                                    {5, "root", {"cuda", "gcc10"}, "x"}};
  CHECK(parse_freezes(freezes_text(freezes)) == freezes);
  const std::vector<Allowance> allowances{{true, 7, "root", {}}, {false, 8, "al", {"cuda", "cudnn"}}};
  CHECK(parse_allowances(allowances_text(allowances)) == allowances);
  CHECK(parse_freezes(freezes_text(std::vector<Freeze>{{1, "a b", {}, "line\nline"}}))->at(0) ==
        Freeze{1, "a_b", {}, "line?line"});
  for (const auto* text : {"", "# cudapin freezes 1\n1 bob *\n", "# cudapin freezes 1\nx bob * why\n",
                           "# cudapin freezes 1\n1 bob a/b why\n"})
    CHECK_MESSAGE(!parse_freezes(text), text);
  for (const auto* text :
       {"", "# cudapin allowances 1\nonce 1 bob\n", "# cudapin allowances 1\nalways 1 bob *\n",
        "# cudapin allowances 1\nonce 1 bob ,\n"})
    CHECK_MESSAGE(!parse_allowances(text), text);
}

TEST_CASE("guard text: a policy line that makes no sense is told and the others count") {
  std::vector<std::string> problems;
  const auto policy = parse_policy(
      "# a comment\non-error = block\r\n\nstrict=yes\nignore-processes = /usr/bin/tritonserver  vllm*\n"
      "ignore-processes = x\nstrict = perhaps\nnonsense\nunknown = 1\n",
      problems);
  CHECK(policy == GuardPolicy{true, true, {"/usr/bin/tritonserver", "vllm*", "x"}});
  CHECK(problems == std::vector<std::string>{"strict = perhaps", "nonsense", "unknown = 1"});
  problems.clear();
  CHECK(parse_policy("", problems) == GuardPolicy{});
  CHECK(problems.empty());
}

TEST_CASE("guard text: durations") {
  CHECK(parse_duration("10m") == 600);
  CHECK(parse_duration("2h") == 7200);
  CHECK(parse_duration("1d12h") == 129600);
  CHECK(parse_duration("1w") == 604800);
  for (const auto* text : {"", "3", "m", "0m", "-1d", "1x", "1d ", "400d", "99999999999999999999d"})
    CHECK_MESSAGE(!parse_duration(text), text);
}

}  // namespace cudapin
