// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/yaml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace {

/// What parsing `text` as "f" is refused with, or empty.
std::string refusal(const std::string& text) {
  try {
    yaml::parse(text, "f");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string scalar(const std::string& text) { return yaml::parse("key: " + text, "f").find("key")->scalar; }

}  // namespace

TEST_CASE("yaml: plain scalars keep their text") {
  for (const auto* text : {"11.10", "11.0", "1:12", "1:10.2.0-3", "no", "on", "yes", "0123", "0x10", "1e3",
                           "2020-10-12", "true", ">=450.80.02", "cuda-11.1.0-2-x86_64.pkg.tar.zst"}) {
    if (text[0] != '>') CHECK(scalar(text) == text);
    CHECK(scalar(fmt::format("\"{}\"", text)) == text);
  }
  const auto list = yaml::parse("[11.1, 11.10, NO]", "f");
  REQUIRE(list.items.size() == 3);
  CHECK(list.items[1].scalar == "11.10");
  CHECK(list.items[2].scalar == "NO");
  CHECK(yaml::parse("on: 1", "f").find("on"));
}

TEST_CASE("yaml: nodes know where they stand") {
  const auto root = yaml::parse("# comment\nname: x\npackages:\n  cuda: 11.1.0-2\n", "f");
  const auto* packages = root.find("packages");
  REQUIRE(packages);
  const auto& [key, value] = packages->entries.at(0);
  CHECK(key.line == 4);
  CHECK(key.column == 3);
  CHECK(value.line == 4);
  CHECK(value.column == 9);
  CHECK(!root.find("cuda"));
}

TEST_CASE("yaml: an empty document is nothing") {
  for (const auto* text : {"", "\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF", "~", "null"}) {
    CAPTURE(text);
    CHECK(yaml::parse(text, "f").kind == yaml::Node::Kind::null);
    CHECK(yaml::parse(text, "f").line >= 1);
  }
}

TEST_CASE("yaml: a byte-order mark and CRLF lines are accepted") {
  const auto root = yaml::parse("\xEF\xBB\xBFname: x\r\nsummary: 显卡\r\n", "f");
  CHECK(root.find("name")->scalar == "x");
  CHECK(root.find("summary")->scalar == "显卡");
  CHECK(root.entries[0].key.column == 1);
}

TEST_CASE("yaml: what is no plain data is refused where it stands") {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases{
      {"a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key 'a', first given at line 1"},
      {"a: 1\nb:\n  <<: {c: 1}\n", "f:3:3: merge keys (<<) are not allowed"},
      {"a: &x 1\n", "f:1:4: anchors (&x) are not allowed"},
      {"a: !!int 1\n", "f:1:4: tags (tag:yaml.org,2002:int) are not allowed"},
      {"a: !<tag:x> [1]\n", "f:1:4: tags (tag:x) are not allowed"},
      {"[a]: 1\n", "f:1:1: a key must be a word, not a list, a mapping or nothing"},
      {"? {a: 1}\n: 1\n", "f:1:3: a key must be a word, not a list, a mapping or nothing"},
      {"~: 1\n", "f:1:1: a key must be a word, not a list, a mapping or nothing"},
      {"a: 1\n---\nb: 1\n", "f:2:1: text after the end of the document: one file is one document"},
      {"a:\n\tb: 1\n", "f:2:1: tab used for indentation at line 2, use spaces"},
      {"a:\n  \tb: 1\n", "f:2:3: tab used for indentation at line 2, use spaces"},
      {std::string("a: 1\0b", 6), "f:1:5: control character at byte offset 4 (0x00)"},
      {"a: 1\n\x04"
       "b: 2\n",
       "f:2:1: control character at byte offset 5 (0x04)"},
      {"a: 1 # caf\xE9\n", "f:1:11: not UTF-8 at byte offset 10 (0xe9)"},
      {"\xEF\xBB\xBF# \xE9\n", "f:1:3: not UTF-8 at byte offset 5 (0xe9)"},
      {"a: x\u202Ey\n", "f:1:5: control character at byte offset 4 (0xe2)"},
      {"a: 1\rb: 2\r", "f:1:5: control character at byte offset 4 (0x0d)"},
      {std::string("\xFF\xFE"
                   "a\0:\0",
                   6),
       "f:1:1: UTF-16 text: save the file as UTF-8"},
      {std::string("a\0:\0", 4), "f:1:1: UTF-16 text: save the file as UTF-8"},
      {"a: [1, 2\n", "f:1:4: its ] is missing"},
      {"a: {b: 1\n", "f:1:4: its } is missing"},
      {"a: b: c\n", "f:1:5: a mapping cannot start here: quote text that contains ': '"},
      {"a: \"x\n\n", "f:1:6: the text ends before its closing quote"},
      {"a: @x\n", "f:1:4: this character cannot start a value: quote the text"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.text);
    CHECK(refusal(each.text) == each.message);
  }
}

TEST_CASE("yaml: all problems of a file are told at once in its order") {
  CHECK(refusal("a: 1\na: 2\nb: &x 1\n") ==
        "f:2:1: duplicate key 'a', first given at line 1\nf:3:4: anchors (&x) are not allowed");
  CHECK(refusal("&a cuda: 11.1\n*a: 12.0\n").starts_with("f:1:1: anchors (&a) are not allowed\nf:2:1: "));
}

TEST_CASE("yaml: nesting is limited before the stack is") {
  struct Case {
    std::string opening;
    std::string closing;
  };
  const std::vector<Case> cases{{"[", "]"}, {"{a: ", "}"}, {"{a: [", "]}"}, {"{? ", "}"},
                                {"- ", ""}, {"? ", ""},    {"[\n", "]\n"}};
  for (const auto& each : cases) {
    CAPTURE(each.opening);
    for (const int times : {65, 20000}) {
      const auto open = repeated(each.opening, times);
      CHECK(refusal(open + "x" + repeated(each.closing, times)).ends_with(": nested deeper than 64 levels"));
      CHECK(!refusal(open).empty());
    }
  }
  CHECK(refusal(repeated("[", 64) + repeated("]", 64)).empty());
  CHECK(refusal(repeated("[", 65) + repeated("]", 65)) == "f:1:65: nested deeper than 64 levels");
}

TEST_CASE("yaml: size is limited") {
  const std::string line(1 << 20, '#');
  CHECK(refusal(line).empty());
  CHECK(refusal(line + "#") == "f:1:1: larger than 1 MiB");
}

TEST_CASE("yaml: a flood of problems is cut") {
  const auto message = refusal(repeated("a: 1\n", 1000));
  CHECK(std::ranges::count(message, '\n') == 100);
  CHECK(message.ends_with("f: and 899 more problems"));
}

}  // namespace cudapin
