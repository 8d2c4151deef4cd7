// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/history.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("history: an entry comes back from its line") {
  const HistoryEntry entry{"2026-11-30T12:00:00Z",
                           "zhang",
                           "use ampere-11.1",
                           "",
                           "ampere-11.1",
                           {{"cuda", "13.1.1-1", "11.1.0-2"}},
                           "done"};
  const auto line = to_line(entry);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(parse_history_line(line) == entry);
}

TEST_CASE("history: a torn line is no entry") {
  CHECK(!parse_history_line("{\"time\":\"2026"));
  CHECK(!parse_history_line(""));
  CHECK(!parse_history_line("[1]"));
}

}  // namespace cudapin
