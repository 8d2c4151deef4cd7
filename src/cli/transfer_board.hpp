// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace cudapin {

/// How far one file is.
struct FileProgress {
  std::string name;
  std::uint64_t received = 0;
  std::uint64_t total = 0;  ///< 0: not known
  double rate = 0;          ///< bytes a second
  bool is_over = false;
};

/// Several files on their way: on a terminal a line for each and one for all, written over ten times a second
/// at most; elsewhere a line for each file when it is here. With `json` a line of JSON for every update in
/// place of both. Nothing at all when quiet.
class TransferBoard {
 public:
  enum class Form { quiet, lines, terminal, json };

  /// `out` outlives the board; `columns` is asked whenever lines are drawn.
  TransferBoard(std::ostream& out, Form form, std::function<unsigned()> columns)
      : out_(out), form_(form), columns_(std::move(columns)) {}
  /// Leaves the cursor below what was written.
  ~TransferBoard();
  TransferBoard(const TransferBoard&) = delete;
  TransferBoard& operator=(const TransferBoard&) = delete;

  void update(const FileProgress& file);
  /// Something to tell of a file, above the lines.
  void tell(const std::string& name, const std::string& note);
  /// A file is here; told once.
  void finish(const std::string& name, std::uint64_t bytes);

 private:
  void draw();
  void erase();
  FileProgress sum() const;

  std::ostream& out_;
  Form form_;
  std::function<unsigned()> columns_;
  std::vector<FileProgress> files_;
  std::vector<std::string> told_;
  std::size_t lines_ = 0;  ///< on the terminal now
  std::int64_t last_ms_ = 0;
};

}  // namespace cudapin
