// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"

#include "core/text.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace cudapin {

namespace {

std::vector<std::string> lines_of(const std::string& text) { return split(text, "\n"); }

Plan sample() {
  Plan plan{.profile = "ampere-11.1"};
  plan.actions = {
      {.kind = ActionKind::downgrade,
       .name = "cuda",
       .from = "13.1.1-1",
       .to = "11.1.0-2",
       .file = "cuda-11.1.0-2-x86_64.pkg.tar.zst",
       .source = "https://archive.archlinux.org/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.zst"},
      {.kind = ActionKind::keep, .name = "cudnn", .from = "8.0.4.30-1", .to = "8.0.4.30-1"},
      {.kind = ActionKind::install,
       .name = "gcc10",
       .to = "1:10.2.0-3",
       .source = "/srv/store/gcc10.pkg.tar.zst"}};
  plan.pins = {"cuda", "cudnn", "gcc10"};
  plan.findings = {{Severity::warning, "CUDA 11.1 runs but does not build with glibc 2.42", "glibc 2.42-1",
                    "build in a container"}};
  return plan;
}

}  // namespace

TEST_CASE("report: columns are aligned by width, wide characters count two") {
  CHECK(display_width("cuda") == 4);
  CHECK(display_width("显卡 ok") == 7);
  const std::vector<Row> rows{{"显卡", "a", "x"}, {"GPU", "b", "y"}};
  const auto lines = lines_of(table(rows, {}));
  REQUIRE(lines.size() == 2);
  CHECK(display_width(lines[0]) == display_width(lines[1]));
}

TEST_CASE("report: no line of a table passes the columns and notes wrap under themselves") {
  const std::vector<Row> rows{
      {"driver on disk", "590.48.01",
       "the libraries that new processes load, and a long word more of it, until it has to wrap"}};
  const auto lines = lines_of(table(rows, {.columns = 60}));
  REQUIRE(lines.size() > 1);
  for (const auto& line : lines) CHECK(display_width(line) <= 60);
  CHECK(lines[1].find_first_not_of(' ') == lines[0].find("the libraries"));
}

TEST_CASE("report: a note whose value is too wide begins under the other notes") {
  const std::vector<Row> rows{{"a", "short", "note"}, {"b", std::string(50, 'x'), "its note"}};
  const auto lines = lines_of(table(rows, {.columns = 60}));
  REQUIRE(lines.size() == 3);
  CHECK(lines[2] == std::string(lines[0].find("note"), ' ') + "its note");
}

TEST_CASE("report: only lines of prose that are too long are broken") {
  CHECK(fitted("short\n  table  row\n", 20) == "short\n  table  row\n");
  CHECK(fitted("one two three four five\nsix", 12) == "one two\n  three four\n  five\nsix");
  CHECK(fitted("  one two three four", 12) == "  one two\n    three\n    four");
  CHECK(fitted("", 12).empty());
  CHECK(fitted("\n\n", 12) == "\n\n");
}

TEST_CASE("report: what comes from outside cannot steer the terminal") {
  const std::vector<Row> rows{{"a\x1b[2J", "b\r", "c\x07"}};
  const auto text = table(rows, {});
  CHECK(std::ranges::none_of(text, [](char c) { return (c > 0 && c < ' ' && c != '\n') || c == 0x7F; }));
}

TEST_CASE("report: a plan names every package and source once and every pin and finding") {
  const auto text = plan_text(sample(), {});
  for (const auto* part : {"13.1.1-1 -> 11.1.0-2", "downgrade", "already there", "install",
                           "From: https://archive.archlinux.org\n", "From: /srv/store\n",
                           "Pins: cuda cudnn gcc10", "warning: CUDA 11.1 runs", "hint: build in a container"})
    CHECK_MESSAGE(text.find(part) != text.npos, part);
  auto of_the_lab = sample();
  for (auto& action : of_the_lab.actions)
    if (!action.source.empty()) action.source = "http://lab.example/cudapin/packages/c/cuda/" + action.name;
  CHECK(plan_text(of_the_lab, {}).find("From: http://lab.example/cudapin\nPins") != text.npos);
  CHECK(text.find('\x1b') == text.npos);
  CHECK(plan_text(sample(), {.color = true}).find("\x1b[") != text.npos);
  CHECK(plan_text(sample(), {.verbose = true}).find("packages/c/cuda/cuda-11.1.0-2") != text.npos);
}

TEST_CASE("report: the plan as JSON says the same with a schema") {
  const auto json = nlohmann::json::parse(plan_json(sample()));
  CHECK(json.at("schema") == 1);
  CHECK(json.at("profile") == "ampere-11.1");
  CHECK(json.at("changes") == true);
  CHECK(json.at("packages").size() == 3);
  CHECK(json.at("packages")[0].at("action") == "downgrade");
  CHECK(json.at("packages")[2].at("from") == "");
  CHECK(json.at("findings")[0].at("severity") == "warning");
}

TEST_CASE("report: confirm takes yes and an empty line and nothing else") {
  const auto answer = [](const std::string& typed) {
    std::istringstream in(typed);
    std::ostringstream out;
    return confirm(in, out, "Go on?");
  };
  CHECK(answer("\n"));
  CHECK(answer("y\n"));
  CHECK(answer(" Y \n"));
  CHECK(!answer("n\n"));
  CHECK(!answer("what\n"));
  CHECK(!answer(""));
}

}  // namespace cudapin
