// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/transfer_board.hpp"

#include "cli/report.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace cudapin {

namespace {

using Form = TransferBoard::Form;

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
const std::string cudnn = "cudnn-8.0.4-1-x86_64.pkg.tar.zst";

std::string written(Form form, unsigned columns = 80) {
  std::ostringstream out;
  {
    TransferBoard board(out, form, [=] { return columns; });
    board.update({cuda, 100 << 20, 1000 << 20, 10.0 * (1 << 20)});
    board.update({cudnn, 50 << 20, 50 << 20, 0, true});
    board.update({cuda, 1000 << 20, 1000 << 20, 10.0 * (1 << 20), true});
    board.finish(cuda, 1000 << 20);
  }
  return out.str();
}

/// What a terminal shows in the end, line by line.
std::vector<std::string> screen(const std::string& text) {
  std::vector<std::string> lines{""};
  std::size_t row = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      if (++row == lines.size()) lines.emplace_back();
    } else if (text[i] == '\r') {
      lines[row].clear();
    } else if (text[i] == '\x1b') {
      const auto end = text.find_first_of("AJ", i);
      if (text[end] == 'A') row -= std::stoul(text.substr(i + 2, end - i - 2));
      if (text[end] == 'J') lines.resize(row + 1), lines[row].clear();
      i = end;
    } else {
      lines[row] += text[i];
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("transfer board: in a pipe each file is one line once it is here") {
  CHECK(written(Form::lines) == cudnn + "  50.0 MiB\n" + cuda + "  1000.0 MiB\n");
  CHECK(written(Form::quiet).empty());
}

TEST_CASE("transfer board: a terminal keeps a line for each file that is here and nothing else") {
  CHECK(screen(written(Form::terminal)) ==
        std::vector<std::string>{cudnn + "  50.0 MiB", cuda + "  1000.0 MiB", ""});
}

TEST_CASE("transfer board: files on their way and their total fit every width") {
  for (const unsigned columns : {60u, 80u, 120u, 200u}) {
    std::ostringstream out;
    TransferBoard board(out, Form::terminal, [=] { return columns; });
    board.update({cuda, 100 << 20, 1000 << 20, 10.0 * (1 << 20)});
    while (screen(out.str()).size() < 3) board.update({cudnn, 10 << 20, 50 << 20, 10.0 * (1 << 20)});
    const auto lines = screen(out.str());
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].starts_with("cuda-"));
    CHECK(lines[0].ends_with("10%"));
    CHECK(lines[1].ends_with("20%"));
    CHECK(lines[2].starts_with("total"));
    CHECK(lines[2].find("20.0 MiB/s 00:47") != std::string::npos);
    for (const auto& line : lines) CHECK(display_width(line) < columns);
  }
}

TEST_CASE("transfer board: a note stands above the lines") {
  std::ostringstream out;
  TransferBoard board(out, Form::terminal, [] { return 80u; });
  board.update({cuda, 1, 10, 0});
  board.tell(cuda, "'x' has changed");
  CHECK(screen(out.str()) == std::vector<std::string>{"warning: 'x' has changed", ""});
}

TEST_CASE("transfer board: a front end gets a line of JSON for every event") {
  std::istringstream lines(written(Form::json));
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json.at("schema") == 1);
    events.push_back(json.at("event").get<std::string>() + " " + json.at("file").get<std::string>());
  }
  CHECK(events == std::vector<std::string>{"progress " + cuda, "progress " + cudnn, "done " + cudnn,
                                           "progress " + cuda, "done " + cuda});
}

}  // namespace cudapin
