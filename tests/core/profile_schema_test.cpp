// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility.hpp"
#include "core/profile_draft.hpp"
#include "core/profile_words.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <regex>

namespace cudapin {

namespace {

using Json = nlohmann::json;

Json schema() { return Json::parse(std::ifstream(SOURCE_DIR "/profiles/cudapin-profile.schema.json")); }

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  std::ranges::sort(keys);
  return keys;
}

std::vector<std::string> sorted(std::vector<std::string> words) {
  std::ranges::sort(words);
  return words;
}

bool matches(const std::string& text, const Json& pattern) {
  return std::regex_search(text, std::regex(pattern.get<std::string>(), std::regex::ECMAScript));
}

bool is_version(const Json& root, const std::string& text) {
  return std::ranges::any_of(root["$defs"]["version"]["anyOf"],
                             [&](const Json& way) { return matches(text, way["pattern"]); });
}

}  // namespace

TEST_CASE("profile schema: it and the reader know the same keys") {
  const auto root = schema();
  CHECK(keys_of(root["properties"]) == sorted(profile_keys()));
  CHECK(keys_of(root["properties"]["files"]["items"]["properties"]) == sorted(profile_file_keys()));
  CHECK(keys_of(root["properties"]["tune"]["properties"]) == sorted(profile_tune_keys()));
  CHECK(root["additionalProperties"] == false);
  CHECK(root["properties"]["tune"]["additionalProperties"] == false);
  CHECK(root["properties"]["files"]["items"]["additionalProperties"] == false);
}

TEST_CASE("profile schema: it and the tables know the same generations") {
  CHECK(schema()["properties"]["generations"]["items"]["enum"] == Json(generation_names()));
}

TEST_CASE("profile schema: it and the reader take the same versions") {
  const auto root = schema();
  for (const auto* text : {"11.1.0-2", "1:10.2.0-3", "15.2.1+r934+gbcd3e3ff5aa7-1", "6.18.1.arch1-2", "8.0.*",
                           "11.1.0-*", "1:10.2.*", ">=455.23 <460", "<13", "=11.8.0"}) {
    CAPTURE(text);
    CHECK(is_version(root, text));
    CHECK(version_problem("x", text).empty());
  }
  for (const auto* text : {"11.1", "", "8.*.4", "*", ">=", ">= 455", "11.1.0-2 ", "a/b-1", "11.1.0-x"}) {
    CAPTURE(text);
    CHECK(!is_version(root, text));
    CHECK(!version_problem("x", text).empty());
  }
}

TEST_CASE("profile schema: it and the reader refuse the same names") {
  const auto root = schema();
  const auto& package = root["$defs"]["package"];
  for (const auto& name : package["not"]["enum"]) CHECK(is_foundation(name.get<std::string>()));
  const auto& variables = root["properties"]["environment"]["propertyNames"];
  for (const auto* name : {"CUDA_HOME", "_X1", "a", "1A", "A-B"})
    CHECK_MESSAGE(matches(name, variables["pattern"]) == is_variable(name), name);
  for (const auto* name : {"LD_AUDIT", "PATH", "ENV", "CUDA_PATH", "MY_LD_X"})
    CHECK_MESSAGE(matches(name, variables["not"]["pattern"]) == is_loading_variable(name), name);
  for (const auto* name : {"ampere-11.1", "11.8+lab", "A", "-a", "a/b"})
    CHECK_MESSAGE(matches(name, root["$defs"]["profile"]["pattern"]) == is_profile_name(name), name);
}

}  // namespace cudapin
