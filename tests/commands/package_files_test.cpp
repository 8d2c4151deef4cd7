// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/package_files.hpp"

#include "cli/report.hpp"
#include "support/archive_fixture.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <ostream>
#include <sstream>

namespace cudapin {

namespace {

/// A pseudo-terminal that is made narrow when something has been drawn on it for the third time. What it was
/// told after that is kept.
class Window : public std::stringbuf {
 public:
  Window() : terminal_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(terminal_);
    REQUIRE(::unlockpt(terminal_.get()) == 0);
    resize(100);
  }
  unsigned columns() const { return terminal_columns(terminal_.get()); }

 private:
  int sync() override {
    if (++drawn_ == 3) {
      resize(50);
      str("");
    }
    return 0;
  }
  void resize(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(terminal_.get(), TIOCSWINSZ, &size) == 0);
  }

  Fd terminal_;
  int drawn_ = 0;
};

std::vector<std::string> drawn_lines(std::string text) {
  std::vector<std::string> lines;
  std::ranges::replace(text, '\r', '\n');
  std::istringstream parts(text);
  for (std::string line; std::getline(parts, line);)
    if (line.ends_with('%'))
      lines.push_back(line.substr(line.find('J') == line.npos ? 0 : line.find('J') + 1));
  return lines;
}

}  // namespace

TEST_CASE("package files: the lines of a download follow the width of the terminal") {
  ArchiveFixture fixture;
  const std::string name = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
  fixture.add(name, package_bytes(200'000));
  fixture.server.set_fault(name, {Fault::Kind::slow, 150'000});
  Window window;
  std::ostream err(&window);
  fixture.host.err = &err;
  fixture.host.err_is_terminal = true;
  fixture.host.err_columns = [&] { return window.columns(); };
  fetch_files(fixture.host, {fixture.folder / "store", {}, {fixture.server.url()}},
              {{*parse_file_name(name), 200'000}}, false);
  const auto lines = drawn_lines(window.str());
  CHECK(lines.size() > 2);
  for (const auto& line : lines) CHECK(display_width(line) == 49);
}

}  // namespace cudapin
