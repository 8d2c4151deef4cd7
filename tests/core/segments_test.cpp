// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/segments.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

constexpr std::uint64_t mib = 1 << 20;

RangeSet set_of(Range range) {
  RangeSet set;
  set.add(range);
  return set;
}

}  // namespace

TEST_CASE("segments: each connection gets the first stretch that nobody has or brings") {
  Segments file(20 * mib, set_of({4 * mib, 6 * mib}));
  CHECK(file.take(1, 3 * mib) == Range{0, 3 * mib});
  CHECK(file.take(2, 3 * mib) == Range{3 * mib, 4 * mib});
  CHECK(file.take(3, 100 * mib) == Range{6 * mib, 20 * mib});
  CHECK(file.take(4, mib) == std::nullopt);
  file.release(2);
  CHECK(file.take(5, mib) == Range{3 * mib, 4 * mib});
}

TEST_CASE("segments: a rest that is not worth a request goes along") {
  Segments file(4 * mib + 1000);
  CHECK(file.take(1, 4 * mib) == Range{0, 4 * mib + 1000});
}

TEST_CASE("segments: what a connection has brought stays when it goes") {
  Segments file(10 * mib);
  file.take(1, 10 * mib);
  file.advance(1, 3 * mib);
  CHECK(file.work_of(1) == Range{3 * mib, 10 * mib});
  file.release(1);
  CHECK(file.have().size() == 3 * mib);
  CHECK(file.take(2, 10 * mib) == Range{3 * mib, 10 * mib});
  file.advance(2, 7 * mib);
  CHECK(file.is_complete());
  file.drop(set_of({mib, 2 * mib}));
  CHECK(!file.is_complete());
  CHECK(file.take(3, 10 * mib) == Range{mib, 2 * mib});
}

TEST_CASE("segments: a free connection takes as much as lets both end together") {
  struct Case {
    Pace mine, theirs;
    std::uint64_t left, stolen;
  };
  for (const auto& [mine, theirs, left, stolen] :
       {Case{{}, {}, 8 * mib, 4 * mib},                         // nothing known: one half
        Case{{20.0 * mib}, {20.0 * mib}, 8 * mib, 4 * mib},     // alike
        Case{{30.0 * mib}, {10.0 * mib}, 8 * mib, 6 * mib},     // three times as fast
        Case{{10.0 * mib}, {30.0 * mib}, 8 * mib, 2 * mib},     // and as slow
        Case{{}, {10.0 * mib}, 8 * mib, 4 * mib},               // as fast as the other one
        Case{{8.0 * mib, 0.5}, {8.0 * mib}, 8 * mib, 2 * mib},  // a request costs half a second
        Case{{1.0 * mib, 9.0}, {8.0 * mib}, 8 * mib, 0},        // too late to be of use
        Case{{20.0 * mib}, {20.0 * mib}, 900 << 10, 0},         // not worth a request
        Case{{mib / 8.0}, {mib / 8.0}, 512 << 10, 256 << 10},   // of slow ones a little is
        Case{{mib / 8.0, 1.2}, {mib / 8.0}, 256 << 10, 0},      // but not of seconds
        Case{{}, {}, 512 << 10, 0},                             // nor where nothing is known
        Case{{20.0 * mib}, {20.0 * mib, 0.1}, 900 << 10, 900 << 10},
        Case{{20.0 * mib}, {20.0 * mib, 0.1}, 4 * mib, 3 * mib},
        Case{{20.0 * mib}, {20.0 * mib, 0.7}, 1000, 1000},   // all of a silent one
        Case{{20.0 * mib}, {20.0 * mib, 0.3}, 1000, 0},      // but not at once
        Case{{20.0 * mib, 8}, {20.0 * mib, 5}, 4 * mib, 0},  // nor by one that answers late itself
        Case{{20.0 * mib, 8}, {20.0 * mib, 10}, 1000, 1000}}) {
    Segments file(left);
    file.take(1, left);
    const auto loot = file.steal(2, mine, 1, theirs);
    CHECK(loot.value_or(Range{}).size() == stolen);
    CHECK(file.work_of(1) == Range{0, left - stolen});
    if (stolen > 0) CHECK(loot->end == left);
  }
}

TEST_CASE("segments: a silent connection is supposed to stay so as long again") {
  CHECK(seconds_to_next_byte(0, 0) == 0);
  CHECK(seconds_to_next_byte(0.1, 0) == 0);
  CHECK(seconds_to_next_byte(2, 0) == 2);
  CHECK(seconds_to_next_byte(0, 8) == 8);
  CHECK(seconds_to_next_byte(7, 8) == 1);
  CHECK(seconds_to_next_byte(12, 8) == 4);
  CHECK(seconds_for(20 * mib, {10.0 * mib, 3}) == doctest::Approx(5));
}

TEST_CASE("segments: who may not answer soon gets the last stretch") {
  Segments file(20 * mib, set_of({4 * mib, 6 * mib}));
  CHECK(file.take_last(1, 3 * mib) == Range{17 * mib, 20 * mib});
  CHECK(file.take(2, 20 * mib) == Range{0, 4 * mib});
  CHECK(file.take_last(3, 11 * mib - 1) == Range{6 * mib, 17 * mib});  // with a rest too small
  CHECK(file.take_last(4, mib) == std::nullopt);
}

TEST_CASE("segments: a robbed connection goes on where its robber has failed") {
  Segments file(8 * mib);
  file.take(1, 8 * mib);
  file.steal(2, {}, 1, {});
  file.extend(1, 8 * mib);
  CHECK(file.work_of(1) == Range{0, 4 * mib});
  file.advance(2, mib);
  file.release(2);
  file.extend(1, 8 * mib);
  CHECK(file.work_of(1) == Range{0, 4 * mib});
  file.drop(set_of({4 * mib, 5 * mib}));
  file.extend(1, 8 * mib);
  CHECK(file.work_of(1) == Range{0, 8 * mib});
}

TEST_CASE("segments: a length that becomes known ends what was without end") {
  Segments file;
  CHECK(file.take(1, Segments::unknown) == Range{0, Segments::unknown});
  file.advance(1, mib);
  file.set_size(5 * mib);
  CHECK(file.work_of(1) == Range{mib, 5 * mib});
  file.restart(2);
  CHECK(file.have().empty());
  CHECK(file.work_of(2) == Range{0, 5 * mib});
  CHECK(file.work_of(1) == Range{});
}

TEST_CASE("segments: a request is long beside its delay and short beside what is left") {
  struct Case {
    std::uint64_t left;
    unsigned connections;
    Pace pace;
    std::uint64_t most, chunk;
  };
  const std::uint64_t any = 1 << 30;
  for (const auto& [left, connections, pace, most, chunk] :
       {Case{512 * mib, 4, {}, any, 4 * mib},                  // nothing known
        Case{512 * mib, 4, {4.0 * mib, 0.25}, any, 25 * mib},  // a far server
        Case{2048 * mib, 4, {1.0 * mib, 2}, any, 50 * mib},    // one that looks long
        Case{64 * mib, 4, {4.0 * mib, 0.25}, any, 8 * mib},    // near the end
        Case{1 * mib, 4, {4.0 * mib, 0.25}, any, mib / 2},     // at the end
        Case{512 * mib, 4, {4.0 * mib, 0.25}, mib, mib},       // a server that cuts
        Case{512 * mib, 4, {}, 256 << 10, 256 << 10}})
    CHECK(chunk_of(left, connections, pace, most) == chunk);
}

}  // namespace cudapin
