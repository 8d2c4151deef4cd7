// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/part_note.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

PartNote sample() {
  PartNote note;
  note.total = 1000;
  note.sources = {{"https://a/x", "\"tag with space\""}, {"http://b/x", ""}};
  note.sources[0].have.add({0, 100});
  note.sources[0].have.add({300, 400});
  note.sources[1].have.add({100, 200});
  return note;
}

}  // namespace

TEST_CASE("part note: what is written is read again") {
  const auto note = sample();
  CHECK(parse_part_note(part_note_text(note, "boot"), "boot") == note);
  CHECK(note.have().size() == 300);
}

TEST_CASE("part note: lines are added as bytes come and go") {
  auto text = part_note_text(sample(), "boot");
  text +=
      range_line(1, {200, 300}) + drop_line(0) + source_line({"http://c/x", "Mon"}) + range_line(2, {0, 10});
  const auto note = parse_part_note(text, "boot");
  REQUIRE(note.sources.size() == 3);
  CHECK(note.sources[0].have.empty());
  CHECK(note.sources[1].have.ranges() == std::vector<Range>{{100, 300}});
  CHECK(note.sources[2].validator == "Mon");
}

TEST_CASE("part note: after another start of the machine only what was on the disk counts") {
  const auto before = part_note_text(sample(), "boot");
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const auto later = range_line(1, {500, 600});
  CHECK(parse_part_note(before + later, "other").have().empty());
  CHECK(parse_part_note(before + later, "").have().empty());
  CHECK(parse_part_note(before + synced_line(lines) + later, "other") == sample());
  CHECK(parse_part_note(before + synced_line(lines) + later, "boot").have().size() == 400);
  CHECK(parse_part_note(before + synced_line(lines) + later + drop_line(0), "other").have().size() == 100);
}

TEST_CASE("part note: a torn last line is left out and nonsense is nothing") {
  const auto text = part_note_text(sample(), "boot");
  CHECK(parse_part_note(text + "range 0 500 5", "boot") == sample());
  const PartNote nothing;
  for (const auto* wrong : {"", "1000 \"etag\"\n", "cudapin-part 2 boot\ntotal 5\n", "cudapin-part 1 boot"})
    CHECK(parse_part_note(wrong, "boot") == nothing);
  for (const auto* line : {"range 7 0 5\n", "range 0 x 5\n", "total\n", "drop 9\n", "hello\n"})
    CHECK(parse_part_note(text + line, "boot") == nothing);
}

}  // namespace cudapin
