// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pins.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

const std::vector<std::string> some{"cuda", "cuda-tools", "cudnn"};
const std::vector<std::string> others{"gcc10", "nvidia-utils"};

const std::string block =
    "# cudapin: begin (written by 'cudapin use', removed by 'cudapin release')\n"
    "IgnorePkg = cuda cuda-tools cudnn\n"
    "# cudapin: end\n";

/// Pins, pins again, pins others, releases: the text must come back byte for byte.
void check_round_trip(const std::string& text) {
  CAPTURE(text);
  const auto pinned = with_pins(text, some);
  CHECK(pins_in(pinned) == some);
  CHECK(with_pins(pinned, some) == pinned);
  const auto changed = with_pins(pinned, others);
  CHECK(pins_in(changed) == others);
  CHECK(without_pins(changed) == text);
  CHECK(with_pins(pinned, {}) == text);
  CHECK(without_pins(text) == text);
}

}  // namespace

TEST_CASE("pins: foreign names and lines in the block move below it") {
  const auto pinned = with_pins("[options]\r\nColor\r\n", some);
  auto merged = pinned;
  merged.insert(merged.find("cudnn") + 5, " mine");
  merged.insert(merged.find("# cudapin: end"), "ILoveCandy\r\n#IgnorePkg   =\r\n");
  const auto kept = with_foreign_kept(merged, some);
  CHECK(pins_in(kept) == some);
  CHECK(without_pins(kept) == "[options]\r\nIgnorePkg = mine\r\nILoveCandy\r\nColor\r\n");
  CHECK(with_foreign_kept(pinned, some) == pinned);
  CHECK(with_foreign_kept("[options]\n", some) == "[options]\n");
}

TEST_CASE("pins: the repair of what is right changes nothing and that of a lost block is a new one") {
  const std::string text = "[options]\nIgnorePkg = mine\n[core]\n";
  const auto pinned = with_pins(text, some);
  CHECK(repaired_pins(pinned, some, {}) == pinned);
  CHECK(pin_problems(pinned, some, {}).empty());
  CHECK(repaired_pins(text, some, {}) == pinned);
  CHECK(repaired_pins(pinned, {}, {}, some) == text);
  CHECK(pin_problems(text, some, {}).size() == 1);
}

TEST_CASE("pins: two blocks become one") {
  const auto twice = "[options]\n" + block + block + "Color\n";
  CHECK(pin_problems(twice, some, {}).size() >= 1);
  CHECK(repaired_pins(twice, some, {}) == "[options]\n" + block + "Color\n");
}

TEST_CASE("pins: the block follows the first options header") {
  CHECK(with_pins("# top\n[options]\nColor\n[core]\nServer = x\n[options]\nCheckSpace\n", some) ==
        "# top\n[options]\n" + block + "Color\n[core]\nServer = x\n[options]\nCheckSpace\n");
  CHECK(with_pins("#[options]\n [options]\t\n", some) == "#[options]\n [options]\t\n" + block);
}

TEST_CASE("pins: names are sorted and written once") {
  const std::vector<std::string> shuffled{"cudnn", "cuda", "cuda-tools", "cuda"};
  CHECK(with_pins("[options]\n", shuffled) == "[options]\n" + block);
}

TEST_CASE("pins: what was there comes back byte for byte") {
  for (const auto* text : {
           "[options]\n",
           "[options]",
           "\n\n[options]",
           "# no line end\r\n[options]",
           "[options]\r",
           "\n[options]\r",
           "x = y\r\n[options]\r",
           "[options]\r\nIgnorePkg = linux\r\n\r\n[core]\r\nServer = x",
           "[options]\nIgnorePkg = linux # why\n\n\n",
           "\t[options]\n\tIgnorePkg\t=\tcuda\tcudnn\n\t[core]\n\tServer\t=\tx",
           "[options]\n[options]\n[options]",
           "[core]\nServer = x\n[options]\nColor\n[extra]\nIgnorePkg = cuda\n",
           "[options]\r\nColor\nCheckSpace\r\n",
           "# \xe4\xbd\xa0\xe5\xa5\xbd\n[options]\n# \xff\xfe\n",
           "# cudapin: beginners, read this\n# cudapin: ending\n[options]\n",
       })
    check_round_trip(text);
}

TEST_CASE("pins: line ends are those of the header") {
  const auto pinned = with_pins("# mixed\n[options]\r\nColor\n", some);
  CHECK(pinned ==
        "# mixed\n[options]\r\n# cudapin: begin (written by 'cudapin use', removed by 'cudapin release')\r\n"
        "IgnorePkg = cuda cuda-tools cudnn\r\n# cudapin: end\r\nColor\n");
  CHECK(with_pins("# dos\r\n[options]", {{"cuda"}}).ends_with("cuda\r\n# cudapin: end"));
}

TEST_CASE("pins: long lists are spread over lines that pacman reads whole") {
  std::vector<std::string> many;
  for (int i = 0; i < 700; ++i) many.push_back("texlive-lang-group-" + std::to_string(1000 + i));
  const auto pinned = with_pins("[options]\r\n", many);
  CHECK(pins_in(pinned) == many);
  for (const auto& line : split(pinned, "\n")) CHECK(line.size() < 3600);
  check_round_trip(pinned.substr(0, 11));
}

TEST_CASE("pins: a block stands where it was put unless pacman would not read it there") {
  const std::string elsewhere = "[options]\nColor\n" + block + "CheckSpace\n[core]\nServer = x\n";
  CHECK(with_pins(elsewhere, {{"gcc10"}}).starts_with("[options]\nColor\n# cudapin: begin"));
  const std::string lost = "[options]\nColor\n[core]\nServer = x\n" + block;
  CHECK(with_pins(lost, some) == "[options]\n" + block + "Color\n[core]\nServer = x\n");
}

TEST_CASE("pins: edited lines between the markers are replaced") {
  const std::string edited =
      "[options]\n# cudapin: begin by hand\n#IgnorePkg   =\nIgnorePkg = cuda\tx foo\n\nnonsense\n"
      "# cudapin: end\nColor\n";
  CHECK(pins_in(edited) == std::vector<std::string>{"cuda\tx", "foo"});
  CHECK(with_pins(edited, some) == "[options]\n" + block + "Color\n");
  CHECK(without_pins(edited) == "[options]\nColor\n");
}

TEST_CASE("pins: a damaged block is refused with a hint") {
  const std::string begin = "# cudapin: begin (x)\n";
  const std::string end = "# cudapin: end\n";
  for (const auto& text : {
           "[options]\n" + begin + "IgnorePkg = cuda\n",
           "[options]\nIgnorePkg = cuda\n" + end,
           "[options]\n" + begin + begin + end,
           "[options]\n" + end + begin,
           "[options]\n" + block + block,
           "[options]\n" + begin + "IgnorePkg = cuda\n[core]\nServer = x\n" + end,
       }) {
    CAPTURE(text);
    for (const auto& act : {+[](const std::string& t) { (void)with_pins(t, some); },
                            +[](const std::string& t) { (void)without_pins(t); },
                            +[](const std::string& t) { (void)pins_in(t); }}) {
      try {
        act(text);
        FAIL("accepted");
      } catch (const Error& error) {
        CHECK(std::string(error.what()).starts_with("the block of pins in pacman.conf is damaged: line "));
        CHECK(!error.hint.empty());
      }
    }
  }
}

TEST_CASE("pins: a file without an options header is refused") {
  for (const auto* text : {"", "Include = /x\n", "[core]\n", "#[options]\n", "[ options ]\n",
                           "[options] # x\n", "\xef\xbb\xbf[options]\n", "[Options]\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)with_pins(text, some), Error);
    CHECK(without_pins(text) == text);
  }
}

TEST_CASE("pins: only package names are written") {
  for (const auto* name : {"", "cuda cudnn", "cuda\n[core]", "#", "-x", "cuda*"})
    CHECK_THROWS_AS((void)with_pins("[options]\n", std::vector<std::string>{name}), Error);
}

}  // namespace cudapin
