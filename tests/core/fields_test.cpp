// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fields.hpp"

#include <doctest/doctest.h>

#include <array>

namespace cudapin::yaml {

namespace {

std::string told(const Problems& problems) {
  try {
    problems.throw_if_any("");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("fields: values come in the order of the file") {
  std::string order;
  Problems problems("f");
  const std::array fields{Field{"a", true, [&](const Node& node) { order += "a" + node.scalar; }},
                          Field{"b", true, [&](const Node& node) { order += "b" + node.scalar; }},
                          Field{"c", false, [&](const Node&) { order += "c"; }}};
  read_mapping(parse("b: 1\na: 2\n", "f"), "it", fields, problems);
  CHECK(order == "b1a2");
  CHECK(problems.empty());
}

TEST_CASE("fields: text is trimmed and may have paragraphs but a line may not") {
  const auto root = parse("a: >\n  one\n  two\n\n  three\nb: '  x '\nc: \"\\e\"\nd: '  '\ne: [1]\n", "f");
  Problems problems("f");
  CHECK(read_text(*root.find("a"), "'a'", problems) == "one two\nthree");
  CHECK(read_line(*root.find("b"), "'b'", problems) == "x");
  CHECK(problems.empty());
  CHECK(read_line(*root.find("a"), "'a'", problems).empty());
  CHECK(read_text(*root.find("c"), "'c'", problems).empty());
  CHECK(read_text(*root.find("d"), "'d'", problems).empty());
  CHECK(read_text(*root.find("e"), "'e'", problems).empty());
  CHECK(told(problems) ==
        "f:1:4: 'a' must be one line\nf:7:4: 'c' has control characters\nf:8:4: 'd' must be text\n"
        "f:9:4: 'e' must be text");
}

TEST_CASE("fields: words that are none are left out") {
  const auto root = parse("[a, [b], {c: d}, ~, 11.10]", "f");
  Problems problems("f");
  const auto words = read_words(root, "'x'", problems);
  REQUIRE(words.size() == 2);
  CHECK(words[1]->scalar == "11.10");
  CHECK(told(problems) ==
        "f:1:5: an entry of 'x' must be text\nf:1:10: an entry of 'x' must be text\n"
        "f:1:18: an entry of 'x' must be text");
}

}  // namespace cudapin::yaml
