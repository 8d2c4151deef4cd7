// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config.hpp"

#include "core/error.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("config: an empty file is the default") {
  for (const auto* text : {"", "# nothing set\n", "{}\n"})
    CHECK(parse_config(text, "f").archives == std::vector<std::string>{"https://archive.archlinux.org"});
}

TEST_CASE("config: archives are URLs or folders in their order") {
  const auto config =
      parse_config("archives:\n  - /srv/mirror\n  - http://lab:8080/a\n  - file:///mnt/archive\n", "f");
  CHECK(config.archives ==
        std::vector<std::string>{"/srv/mirror", "http://lab:8080/a", "file:///mnt/archive"});
}

TEST_CASE("config: the number of connections is from one to sixteen") {
  CHECK(parse_config("", "f").parallel == 4);
  CHECK(parse_config("parallel: 16\n", "f").parallel == 16);
  for (const auto* wrong : {"0", "17", "-1", "many", "4.5"})
    CHECK_THROWS(parse_config(std::string("parallel: ") + wrong + "\n", "f"));
}

TEST_CASE("config: every problem is told with its place") {
  const auto* const text =
      "archive: x\n"
      "archives:\n"
      "  - ftp://mirror\n"
      "  - relative/folder\n"
      "  - [https://x]\n"
      "  - https://\n";
  try {
    parse_config(text, "c.yaml");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "c.yaml:1:1: unknown key 'archive', did you mean 'archives'?\n"
          "c.yaml:3:5: 'ftp://mirror' is no archive: give an https, http or file URL or an absolute path\n"
          "c.yaml:4:5: 'relative/folder' is no archive: give an https, http or file URL or an absolute path\n"
          "c.yaml:5:5: an entry of 'archives' must be text\n"
          "c.yaml:6:5: 'https://' is no archive: give an https, http or file URL or an absolute path");
  }
  CHECK_THROWS_WITH_AS(parse_config("archives: []", "f"),
                       "f:1:11: 'archives' is empty: name at least one, or leave the key out", Error);
  CHECK_THROWS_WITH_AS(parse_config("- a", "f"), "f:1:1: the configuration must be a mapping (key: value)",
                       Error);
}

}  // namespace cudapin
