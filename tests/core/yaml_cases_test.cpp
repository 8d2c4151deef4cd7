// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/version.hpp"
#include "core/yaml.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string refusal(const std::string& text) {
  try {
    yaml::parse(text, "p");
  } catch (const yaml::InvalidFile& error) {
    return error.what();
  }
  return {};
}

std::string scalar(const std::string& text, const char* key) {
  const auto root = yaml::parse(text, "p");
  const auto* found = root.find(key);
  return found ? found->scalar : "absent";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string profile_with(const std::string& cuda, const std::string& more = {}) {
  return "name: test\nsummary: s\nreason: r\ngenerations: [ampere]\npackages: {cuda: " + cuda +
         "}\nfiles: [{file: cuda-" + cuda + "-x86_64.pkg.tar.zst, depends: []}]\n" + more;
}

}  // namespace

TEST_CASE("C091: versions are text as written") {
  for (const auto* version : {"11.10", "11.0", "455.50", "8.10", "10.20", "1.20", "1e3", "0x10", "010"})
    CHECK_MESSAGE(scalar(std::string("cuda: ") + version, "cuda") == version, version);
  const auto profile = parse_profile(profile_with("11.10-1"), "p");
  CHECK(profile.find("cuda")->version.text() == "11.10-1");
  CHECK(profile.find("cuda")->version > *Version::parse("11.9-1"));
  CHECK(profile.find("cuda")->version != *Version::parse("11.1-1"));
}

TEST_CASE("C092: quotes change nothing and no pkgrel is a number") {
  CHECK(scalar("pkgrel: \"01\"", "pkgrel") == "01");
  CHECK(scalar("name: \"true\"", "name") == "true");
  CHECK(scalar("cuda: '11.10'", "cuda") == "11.10");
  CHECK(scalar("n: 0123", "n") == scalar("n: \"0123\"", "n"));
  CHECK(parse_profile(profile_with("11.1-010"), "p").find("cuda")->version.text() == "11.1-010");
}

TEST_CASE("C094: words that look like truth are words") {
  const std::string text = "host: no\npin: on\nyes: NO\ny: off\n";
  CHECK(scalar(text, "host") == "no");
  CHECK(scalar(text, "pin") == "on");
  CHECK(scalar(text, "yes") == "NO");
  CHECK(scalar(text, "y") == "off");
  CHECK(yaml::parse("names: [NO, SE]", "p").find("names")->items[0].scalar == "NO");
  auto truth = profile_with("11.1-1");
  truth.insert(truth.find("depends"), "only_if_installed: yes, ");
  CHECK_THROWS_WITH_AS(parse_profile(truth, "p"), "p:6:73: 'only_if_installed' must be true or false", Error);
}

TEST_CASE("C095: an epoch is no base-60 number and a list keeps its entries apart") {
  CHECK(scalar("gcc10: 1:12", "gcc10") == "1:12");
  CHECK(scalar("p: 22:22", "p") == "22:22");
  const auto root = yaml::parse("cuda: [11.1, 11.10, 1.9, 1.10]", "p");
  const auto& items = root.find("cuda")->items;
  REQUIRE(items.size() == 4);
  CHECK(items[0].scalar == "11.1");
  CHECK(items[1].scalar == "11.10");
  CHECK(items[3].scalar == "1.10");
  const auto profile = parse_profile(
      "name: t\nsummary: s\nreason: r\ngenerations: [ampere]\npackages: {gcc10: 1:12-3}\n"
      "files: [{file: 'gcc10-1:12-3-x86_64.pkg.tar.zst', depends: []}]\n",
      "p");
  CHECK(profile.find("gcc10")->version.text() == "1:12-3");
  CHECK(profile.find("gcc10")->version.upstream() == "12");
}

TEST_CASE("C097: a key given twice is told with both lines and merge keys are refused") {
  std::string text = "packages:\n  cuda: \"11.1\"\n" + repeated("# a line\n", 40) + "  cuda: \"12.4\"\n";
  CHECK(refusal(text) == "p:43:3: duplicate key 'cuda', first given at line 2");
  CHECK(contains(refusal("a: {<<: {x: 1}, x: 2}"), "merge keys (<<) are not allowed"));
}

TEST_CASE("C098: an alias as a key is refused with its line") {
  const auto spaced = refusal("&a cuda: \"11.1\"\n*a : \"12.0\"\n");
  CHECK(contains(spaced, "p:1:1: anchors (&a) are not allowed"));
  CHECK(contains(spaced, "p:2:1: "));
  const auto tight = refusal("&a cuda: \"11.1\"\n*a: \"12.0\"\n");
  CHECK(contains(tight, "p:1:1: anchors (&a) are not allowed"));
  CHECK(contains(tight, "p:2:1: "));
}

TEST_CASE("C100: nesting ends in an error long before the stack does") {
  for (const auto* open : {"[", "{a: ", "- ", "? ", "[{a: "}) {
    CAPTURE(std::string(open));
    const auto message = refusal(repeated(open, 20'000));
    CHECK(message.starts_with("p:1:"));
    CHECK(message.size() < 20'000);
  }
  CHECK(contains(refusal(repeated("[", 20'000)), "nested deeper than 64 levels"));
}

TEST_CASE("C101: byte-order marks and tabs and other encodings are told in words") {
  CHECK(scalar("\xEF\xBB\xBFname: x", "name") == "x");
  CHECK(refusal("packages:\n\tcuda: 11.1\n") == "p:2:1: tab used for indentation at line 2, use spaces");
  CHECK(refusal("# caf\xE9\nname: x\n") == "p:1:6: not UTF-8 at byte offset 5 (0xe9)");
  CHECK(refusal(std::string("\xFF\xFEn\0a\0", 6)) == "p:1:1: UTF-16 text: save the file as UTF-8");
  CHECK(scalar("# café\nname: café", "name") == "café");
}

}  // namespace cudapin
