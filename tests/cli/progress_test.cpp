// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/progress.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

namespace cudapin {

namespace {

unsigned eighty() { return 80; }

}  // namespace

TEST_CASE("progress: a line has bytes and rate and time left and fits the columns") {
  for (const unsigned columns : {60u, 80u, 200u}) {
    const auto line =
        progress_line("cuda-11.1.0-2-x86_64.pkg.tar.zst", 1u << 30, 3u << 30, 20 << 20, columns);
    CHECK(display_width(line) < columns);
    CHECK(line.find("1.0 GiB") != line.npos);
    CHECK(line.find("20.0 MiB/s") != line.npos);
    CHECK(line.find("01:42") != line.npos);
    CHECK(line.find("33%") != line.npos);
  }
}

TEST_CASE("progress: a terminal too narrow for the figures gets the first of them") {
  for (unsigned columns = 0; columns < 60; ++columns)
    CHECK(display_width(progress_line("cuda", 1u << 30, 3u << 30, 20 << 20, columns)) <
          std::max(columns, 1u));
}

TEST_CASE("progress: an unknown size and an unknown rate are not made up") {
  const auto unknown = progress_line("file", 4096, 0, 0, 80);
  CHECK(unknown.find('%') == unknown.npos);
  CHECK(progress_line("file", 0, 4096, 0, 80).find("--:--") != unknown.npos);
}

TEST_CASE("progress: in a pipe a file is one line and quiet is silence") {
  std::ostringstream pipe;
  {
    ProgressBar bar(pipe, false, false, eighty);
    for (std::uint64_t done = 0; done < 100; ++done) bar.update("a.pkg.tar.zst", done, 100, 1);
    bar.finish("a.pkg.tar.zst", 100);
  }
  CHECK(pipe.str() == "a.pkg.tar.zst  100 B\n");
  std::ostringstream quiet;
  {
    ProgressBar bar(quiet, true, true, eighty);
    bar.update("a", 1, 2, 3);
    bar.finish("a", 2);
  }
  CHECK(quiet.str().empty());
}

TEST_CASE("progress: on a terminal one line is written over and ended") {
  std::ostringstream terminal;
  {
    ProgressBar bar(terminal, true, false, eighty);
    bar.update("a", 1, 2, 3);
    bar.update("a", 2, 2, 3);
  }
  const auto text = terminal.str();
  CHECK(text.front() == '\r');
  CHECK(text.back() == '\n');
  CHECK(text.find('\n') == text.size() - 1);
}

}  // namespace cudapin
