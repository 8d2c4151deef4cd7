// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/version_range.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

struct Question {
  const char* range;
  const char* version;
  bool holds;
};
const Question questions[] = {
    {"8.0.*", "8.0.4.30-1", true},
    {"8.0.*", "8.0-1", true},
    {"8.0.*", "8.01.4-1", false},
    {"8.0.*", "8.10.4-1", false},
    {"11.1.*", "11.10.0-1", false},
    {"11.1.0-*", "11.1.0-2", true},
    {"11.1.0-*", "11.1.0.1-2", false},
    {"10.2.*", "1:10.2.0-3", true},
    {"1:10.2.*", "1:10.2.0-3", true},
    {"2:10.2.*", "1:10.2.0-3", false},
    {"1:10.2.*", "10.2.0-3", false},
    {">=455.23 <460", "455.23.04-1", true},
    {">=455.23 <460", "455.23-1", true},
    {">=455.23 <460", "455.22-9", false},
    {">=455.23 <460", "460-1", false},
    {">11.1 <=11.8.0-1", "11.8.0-1", true},
    {">11.1 <=11.8.0-1", "11.8.0-2", false},
    {">11.1", "11.10-1", true},
    {">=1:1", "11.1-1", false},
    {"=11.8.0", "11.8.0-7", true},
};

}  // namespace

TEST_CASE("version_range: which versions it holds") {
  for (const auto& question : questions) {
    CAPTURE(question.range);
    CAPTURE(question.version);
    const auto range = VersionRange::parse(question.range);
    REQUIRE(range);
    CHECK(range->text() == question.range);
    CHECK(range->holds(*Version::parse(question.version)) == question.holds);
  }
}

TEST_CASE("version_range: what is none is told why") {
  for (const auto* text : {"*", "8.*.4", "8.0*", "*.8", ".*", "8.0-1-*", ">=8.*", "8.0.**"}) {
    CAPTURE(text);
    CHECK(range_problem(text).find("is no wildcard") != std::string::npos);
  }
  for (const auto* text :
       {">=", "455 >=", ">=455,<460", ">= 455", "=>455", "==455", "cuda>=11", "8.0|9.0", ""}) {
    CAPTURE(text);
    CHECK(range_problem(text).find("is no range") != std::string::npos);
  }
  for (const auto* text : {">=460 <455", ">460 <=460", "<460 >=460", "=460 =461", ">=2 <=1:1 >3 <3"}) {
    CAPTURE(text);
    CHECK(range_problem(text) == std::string("no version can meet '") + text + "'");
    CHECK(!VersionRange::parse(text));
  }
  CHECK(range_problem(">=460 <=460").empty());
}

TEST_CASE("version_range: the versions that it names") {
  CHECK(versions_in(">=455.23 <460") == std::vector<std::string>{"455.23", "460"});
  CHECK(versions_in("8.0.*") == std::vector<std::string>{"8.0"});
  CHECK(versions_in("11.1.0-*") == std::vector<std::string>{"11.1.0"});
  CHECK(versions_in("11.1.0-2") == std::vector<std::string>{"11.1.0-2"});
}

}  // namespace cudapin
