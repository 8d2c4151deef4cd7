// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index_file.hpp"

#include "core/moment.hpp"
#include "core/yaml.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

const std::string hash(64, 'a');

Index sample() {
  return {.serial = 7,
          .made = "2026-12-01T08:00:00Z",
          .expires = "2026-12-31T08:00:00Z",
          .files = {{"lab.yaml", 12, hash}, {"lab.yaml.sig", 119, hash}}};
}

std::string with(const std::string& from, const std::string& to) {
  auto text = index_text(sample());
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("index file: what is written is read back") {
  const auto index = parse_index(index_text(sample()), "index.yaml");
  CHECK(index.serial == 7);
  CHECK(index.made == sample().made);
  CHECK(index.expires == sample().expires);
  CHECK(index.files == sample().files);
  CHECK(index.find("lab.yaml.sig")->size == 119);
  CHECK(index.find("other.yaml") == nullptr);
}

TEST_CASE("index file: what is no index is refused") {
  for (const auto& text :
       {with("schema: 1", "schema: 2"), with("serial: 7", "serial: 0"), with("serial: 7", "serial: -1"),
        with("serial: 7", "serial: 99999999999999999999"), with("2026-12-31", "2026-02-31"),
        with("08:00:00Z", "08:00:00"), with("size: 12", "size: 1048577"), with(hash, hash.substr(1)),
        with("lab.yaml.sig", "lab.yaml"), with("files:", "more: 1\nfiles:")})
    CHECK_THROWS_AS(parse_index(text, "index.yaml"), yaml::InvalidFile);
}

TEST_CASE("index file: a name is a profile or a lock or the signature of one") {
  for (const auto* name : {"lab.yaml", "lab.lock.yaml", "lab.yaml.sig", "lab.lock.yaml.sig", "a-1.2+b.yaml"})
    CHECK(is_shared_name(name));
  for (const auto* name :
       {"", ".yaml", "..yaml", "../lab.yaml", "a/b.yaml", "Lab.yaml", "lab.yml", "lab", "index.yaml",
        "index.yaml.sig", "lab.yaml.sig.sig", "lab.yaml/", "lab .yaml", "-a.yaml"})
    CHECK_MESSAGE(!is_shared_name(name), name);
}

TEST_CASE("moment: only a moment of the calendar in one form is one") {
  CHECK(utc_seconds("1970-01-01T00:00:00Z") == 0);
  CHECK(utc_seconds("2024-01-02T03:04:05Z") == 1704164645);
  for (const auto* text : {"", "2024-01-02", "2024-02-30T00:00:00Z", "2024-1-2T3:4:5Z", "2024-01-02T03:04:05",
                           "2024-01-02T03:04:05Z ", "2024-01-02T24:00:00Z", " 2024-01-02T03:04:05Z"})
    CHECK_MESSAGE(!utc_seconds(text), text);
}

}  // namespace cudapin
