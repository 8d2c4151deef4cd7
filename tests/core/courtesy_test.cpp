// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/courtesy.hpp"

#include <doctest/doctest.h>

namespace cudapin {

using namespace std::chrono_literals;

namespace {

constexpr Courtesy::Moment start{1h};

unsigned ask_all(Courtesy& server, Courtesy::Moment now) {
  unsigned asked = 0;
  for (; server.may_ask(now); ++asked) server.asked(now);
  return asked;
}

void answer(Courtesy& server, unsigned requests) {
  for (unsigned i = 0; i < requests; ++i) server.answered(1ms);
}

void refuse(Courtesy& server, unsigned served_before) {
  server.busy(start, 0ms, served_before);
  server.ended(false, 0, 0ms);
}

}  // namespace

TEST_CASE("courtesy: four at once and beyond them two that are untried") {
  Courtesy four(4);
  CHECK(ask_all(four, start) == 4);
  Courtesy many(16);
  CHECK(ask_all(many, start) == 4);
  answer(many, 4);
  CHECK(ask_all(many, start) == 2);
  many.answered(1ms);
  CHECK(ask_all(many, start) == 1);
}

TEST_CASE("courtesy: the more a server bears the more are untried at a time") {
  Courtesy server(100);
  answer(server, ask_all(server, start));
  for (const unsigned more : {2u, 3u, 4u, 6u, 9u}) {
    CHECK(ask_all(server, start) == more);
    answer(server, more);
  }
}

TEST_CASE("courtesy: a refusal tells how many a server bears and is kept for a minute") {
  Courtesy server(8);
  ask_all(server, start);
  answer(server, 4);
  CHECK(ask_all(server, start) == 2);
  refuse(server, 4);
  refuse(server, 4);
  CHECK(server.limit() == 4);
  CHECK(!server.may_ask(start));
  server.ended(true, 1 << 20, 100ms);
  CHECK(ask_all(server, start) == 1);  // in the place of one that it has served
  server.ended(true, 1 << 20, 100ms);
  server.asked(start + 61s);
  CHECK(server.limit() == 5);
}

TEST_CASE("courtesy: requests that end meanwhile do not lower what a server bears") {
  Courtesy server(8);
  ask_all(server, start);
  answer(server, 4);
  CHECK(server.asked(start) == 4);
  CHECK(server.asked(start) == 4);
  for (int i = 0; i < 3; ++i) server.ended(true, 1 << 20, 100ms);
  refuse(server, 4);
  refuse(server, 4);
  CHECK(server.limit() == 4);
  CHECK(ask_all(server, start) == 3);
  answer(server, 2);
  refuse(server, 1);  // it bears less than before
  CHECK(server.limit() == 3);
}

TEST_CASE("courtesy: a request that overtakes another one does not lower what a server bears") {
  Courtesy server(8);
  server.asked(start);
  answer(server, 1);
  for (int i = 0; i < 3; ++i) CHECK(server.asked(start) == 1);
  answer(server, 2);
  CHECK(server.asked(start) == 3);
  answer(server, 1);
  refuse(server, 1);  // the third of those three
  CHECK(server.limit() == 4);
}

TEST_CASE("courtesy: a server bears what it serves though it refused another one first") {
  Courtesy server(4);
  server.asked(start);
  answer(server, 1);
  for (int i = 0; i < 3; ++i) server.asked(start);
  refuse(server, 1);
  CHECK(server.limit() == 1);
  answer(server, 2);
  CHECK(server.limit() == 3);
  CHECK(!server.may_ask(start));
}

TEST_CASE("courtesy: a server that serves nobody is asked again as often as before but later") {
  Courtesy server(4);
  server.asked(start);
  server.busy(start, 5s, 0);
  server.ended(false, 0, 0ms);
  CHECK(!server.may_ask(start + 4s));
  CHECK(server.may_ask(start + 5s));
  CHECK(server.limit() == 4);
}

TEST_CASE("courtesy: requests grow until a connection is cut and then follow how far it comes") {
  constexpr std::uint64_t mib = 1 << 20;
  Courtesy server(4);
  CHECK(server.most() == 4 * mib);
  for (int i = 0; i < 3; ++i) {
    server.asked(start);
    server.answered(1ms);
    server.ended(true, 32 * mib, 1s);
  }
  CHECK(server.most() == 32 * mib);
  server.cut();
  CHECK(server.most() == 96 * mib / 64);
  server.cut();
  CHECK(server.most() == 48 * mib / 64);
  for (int i = 0; i < 20; ++i) server.cut();
  CHECK(server.most() == 256 << 10);
}

TEST_CASE(
    "courtesy: a server that is slow to answer is waited for longer but not in the middle of an answer") {
  struct Case {
    Courtesy::Duration delay, patience;
  };
  CHECK(Courtesy(4).patience(false) == 10s);
  CHECK(Courtesy(4).patience(true) == 3s);
  for (const auto& [delay, patience] : {Case{1ms, 3s}, Case{1500ms, 6s}, Case{9s, 10s}}) {
    Courtesy server(4);
    server.asked(start);
    server.answered(delay);
    CHECK(server.patience(false) == patience);
    CHECK(server.patience(true) == 3s);
  }
}

TEST_CASE("courtesy: the pace is that of requests which brought something") {
  Courtesy server(4);
  server.asked(start);
  server.answered(200ms);
  server.ended(true, 10 << 20, 2s);
  CHECK(server.pace().rate == doctest::Approx(5 << 20));
  CHECK(server.pace().delay == doctest::Approx(0.2));
  server.asked(start);
  server.ended(false, 0, 30s);
  CHECK(server.pace().rate == doctest::Approx(5 << 20));
  CHECK(server.active() == 0);
}

}  // namespace cudapin
