// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reply.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("reply: what a server's answer means for the one who asked") {
  using enum Meaning;
  const Question fresh{};
  const Question known{.total = 100, .validator = "\"a\""};
  const Question part{40, true, 100, "\"a\""};
  const Question first_part{0, true, 0, ""};
  struct Case {
    Question question;
    Reply reply;
    Meaning meaning;
  };
  const Case cases[] = {
      {fresh, {200, {}, 100, "\"a\""}, content},
      {fresh, {200, {}, 0, ""}, content},
      {known, {200, {}, 100, "\"a\""}, content},
      {known, {200, {}, 100, ""}, content},
      {known, {200, {}, 101, "\"a\""}, other_file},
      {known, {200, {}, 100, "\"b\""}, other_file},
      {fresh, {200, {}, 100, "", true}, web_page},
      {part, {200, {}, 100, "", true}, web_page},
      {part, {206, ContentRange{40, 99, 100}, 60, "\"a\""}, content},
      {part,
       {206, ContentRange{40, 79, 100}, 40, ""},
       content},  // less than asked for is still the right part
      {part, {206, ContentRange{40, 99, 100}, 0, "\"a\""}, content},
      {part, {206, ContentRange{41, 99, 100}, 59, "\"a\""}, wrong_range},
      {part, {206, ContentRange{0, 99, 100}, 100, "\"a\""}, wrong_range},
      {part, {206, ContentRange{40, 99, 100}, 61, "\"a\""}, wrong_range},
      {part, {206, ContentRange{40, 100, 100}, 61, "\"a\""}, wrong_range},
      {part, {206, ContentRange{99, 40, 100}, 0, "\"a\""}, wrong_range},
      {part, {206, {}, 60, "\"a\""}, wrong_range},
      {part, {206, ContentRange{40, 89, 90}, 50, "\"a\""}, other_file},
      {part, {206, ContentRange{40, 99, 100}, 60, "\"b\""}, other_file},
      {part, {200, {}, 100, "\"a\""}, whole},
      {part, {200, {}, 100, "\"b\""}, other_file},
      {part, {200, {}, 90, "\"a\""}, other_file},
      {first_part, {206, ContentRange{0, 9, 100}, 10, ""}, content},
      {fresh, {206, ContentRange{0, 99, 100}, 100, ""}, wrong_range},  // nobody asked for a part
      {fresh, {404}, not_found},
      {part, {410}, not_found},
      {part, {416}, no_such_range},
      {fresh, {429}, busy},
      {part, {503}, busy},
      {fresh, {500}, failing},
      {fresh, {408}, failing},
      {fresh, {502}, failing},
      {fresh, {504}, failing},
      {fresh, {403}, refused},
      {fresh, {401}, refused},
      {fresh, {501}, refused},
      {fresh, {204}, refused},
  };
  int number = 0;
  for (const auto& [question, reply, meaning] : cases) {
    CAPTURE(number++);
    CHECK(meaning_of(question, reply) == meaning);
  }
}

}  // namespace cudapin
