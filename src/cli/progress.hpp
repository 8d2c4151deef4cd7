// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/report.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>

namespace cudapin {

/// One line that grows on a terminal (bytes, rate, time left; ten updates a second at most) and one line when
/// it is done elsewhere. Nothing at all when quiet.
class ProgressBar {
 public:
  /// `out` outlives the bar; `columns` is asked whenever something is drawn.
  ProgressBar(std::ostream& out, bool on_terminal, bool quiet, std::function<unsigned()> columns)
      : out_(out), on_terminal_(on_terminal), quiet_(quiet), columns_(std::move(columns)) {}
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `total` 0: not known; with `done` 0 as well only `what` is told. `rate` in bytes a second; 0: not known.
  void update(const std::string& what, std::uint64_t done, std::uint64_t total, double rate);
  /// Ends the line of `what`.
  void finish(const std::string& what, std::uint64_t bytes);

 private:
  std::ostream& out_;
  bool on_terminal_;
  bool quiet_;
  std::function<unsigned()> columns_;
  bool open_ = false;
  std::int64_t last_ms_ = 0;
};

/// The bar's text without the carriage return, at most `columns` wide: for tests and for update.
std::string progress_line(const std::string& what, std::uint64_t done, std::uint64_t total, double rate,
                          unsigned columns);

}  // namespace cudapin
