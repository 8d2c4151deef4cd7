// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

const PinState pinned{"ampere-11.1", {{"cuda", "11.1.0-2"}, {"cudnn", "8.0.5.39-1"}}};

Verdict judge_target(const std::string& name, Operation operation) {
  return judge({{{"linux", Operation::upgrade}, {name, operation}}, pinned, false});
}

bool tells(const Verdict& verdict, const std::string& line) {
  return std::find(verdict.lines.begin(), verdict.lines.end(), line) != verdict.lines.end();
}

}  // namespace

TEST_CASE("guard: every operation on a pinned package is blocked") {
  for (const auto operation :
       {Operation::install, Operation::upgrade, Operation::remove, Operation::change}) {
    const auto verdict = judge_target("cuda", operation);
    CHECK(verdict.blocks);
    CHECK(tells(verdict, "  " + std::string(operation_word(operation)) +
                             ": cuda 11.1.0-2 is pinned by profile ampere-11.1"));
    CHECK(tells(verdict, "to change it: cudapin use PROFILE, or cudapin release"));
    CHECK(tells(verdict, "to upgrade everything else: pacman -Syu") == (operation != Operation::remove));
    CHECK(tells(verdict, "to remove it: cudapin release, then pacman -R cuda") ==
          (operation == Operation::remove));
  }
}

TEST_CASE("guard: what is not pinned passes without a word") {
  for (const auto* name : {"cud", "cuda-tools", "CUDA", "", "cuda\x1b[2J", "cuda "})
    CHECK(judge_target(name, Operation::upgrade).lines.empty());
  CHECK(!judge({{}, pinned, false}).blocks);
  CHECK(!judge({{{"cuda", Operation::remove}}, {}, false}).blocks);
}

TEST_CASE("guard: its own transaction may move pins") {
  const std::vector<GuardTarget> targets{{"cuda", Operation::upgrade}};
  CHECK(judge({targets, pinned, false}).blocks);
  CHECK(!judge({targets, pinned, true}).blocks);
}

TEST_CASE("guard: the message stays within 20 lines and is safe to print") {
  GuardInput input;
  input.pins.profile = "evil\x1b[31m";
  for (int i = 0; i < 300; ++i) {
    const auto name = "package" + std::to_string(i);
    input.pins.versions[name] = "1-\x07" + std::to_string(i);
    input.targets.push_back({name, i % 2 ? Operation::remove : Operation::upgrade});
  }
  const auto verdict = judge(input);
  CHECK(verdict.blocks);
  CHECK(verdict.lines.size() <= 20);
  CHECK(tells(verdict, "  and 289 more"));
  for (const auto& line : verdict.lines)
    CHECK(std::none_of(line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }));
}

TEST_CASE("guard: its file of pins is read as it was written") {
  CHECK(pin_state_text(pinned) ==
        "# cudapin pins 1\n# profile ampere-11.1\ncuda 11.1.0-2\ncudnn 8.0.5.39-1\n");
  CHECK(parse_pin_state(pin_state_text(pinned)) == pinned);
  const PinState nameless{"", {{"gcc10", "1:10.2.0-3"}}};
  CHECK(parse_pin_state(pin_state_text(nameless)) == nameless);
  CHECK(parse_pin_state("# cudapin pins 1\n") == PinState{});
}

TEST_CASE("guard: a garbled file of pins is nothing") {
  for (const auto* text : {"", "cuda 11.1.0-2\n", "# cudapin pins 2\ncuda 11.1.0-2\n",
                           "# cudapin pins 1\ncuda\n", "# cudapin pins 1\ncuda 11.1.0-2 x\n",
                           "# cudapin pins 1\ncu\x01"
                           "da 11.1.0-2\n",
                           "\x7f"
                           "ELF\x02\x01"})
    CHECK_MESSAGE(!parse_pin_state(text), text);
}

}  // namespace cudapin
