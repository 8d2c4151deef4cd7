// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace cudapin {

TEST_CASE("text: sizes are binary, with one decimal") {
  CHECK(human_size(0) == "0 B");
  CHECK(human_size(1023) == "1023 B");
  CHECK(human_size(1536) == "1.5 KiB");
  CHECK(human_size(3ull << 30) == "3.0 GiB");
}

TEST_CASE("text: what reaches a terminal has no controls, escapes or broken UTF-8") {
  CHECK(printable("a\x1b[31mb\nc\x7f") == "a?[31mb?c?");
  CHECK(printable("显卡 ok") == "显卡 ok");
  CHECK(printable("\xff\xc0\xaf\xed\xa0\x80") == "??????");
  CHECK(printable("\xc2\x9b"
                  "31m") == "?31m");
  CHECK(printable("x\u202Ey") == "x?y");
}

TEST_CASE("text: percent encoding keeps archive names and comes back") {
  CHECK(percent_encode("gcc10-1:10.2.0-3") == "gcc10-1%3A10.2.0-3");
  CHECK(percent_encode("libc++") == "libc%2B%2B");
  CHECK(percent_decode("gcc10-1%3A10.2.0-3%2b") == "gcc10-1:10.2.0-3+");
  CHECK(percent_decode("100%") == "100%");
  CHECK(percent_decode("%4") == "%4");
}

TEST_CASE("text: a moment is told in UTC") {
  CHECK(utc_text(0, "%FT%TZ") == "1970-01-01T00:00:00Z");
  CHECK(utc_text(1606780800, "%Y-%m-%d %H:%M UTC") == "2020-12-01 00:00 UTC");
  CHECK(utc_text(std::numeric_limits<std::int64_t>::max(), "%F") == "");
}

TEST_CASE("text: the closest word is offered only for a slip") {
  const std::vector<std::string> words{"ampere-11.1", "pascal-10.2"};
  CHECK(closest("ampere-11.2", words) == "ampere-11.1");
  CHECK(closest("pascl-10.2", words) == "pascal-10.2");
  CHECK(closest("kubernetes", words) == "");
}

}  // namespace cudapin
