// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudapin::yaml {

struct Entry;

/// One value of a document, with the place it stands at. Scalars keep their text as written: 11.10
/// stays 11.10.
struct Node {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  std::string scalar;
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a mapping, in order; keys are scalars
  int line = 0;                ///< from 1
  int column = 0;              ///< from 1

  const Node* find(std::string_view key) const;
};

struct Entry {
  Node key;
  Node value;
};

/// Something wrong in a file, in words.
struct Problem {
  std::string origin;
  int line;
  int column;
  std::string text;

  /// `origin:line:column: text`
  std::string line_of_text() const;
};

/// All that is wrong in a file or several, one line each.
struct InvalidFile : Error {
  InvalidFile(std::vector<Problem> found, const std::string& hint_text);
  std::vector<Problem> problems;
};

/// Problems of one file, gathered to be thrown together in the file's order.
class Problems {
 public:
  explicit Problems(std::string origin) : origin_(std::move(origin)) {}
  void add(const Node& at, const std::string& text);
  void add(int line, int column, const std::string& text);
  bool empty() const { return found_.empty(); }
  std::vector<Problem> in_order() const;
  /// Throws InvalidFile with every problem when there is one.
  void throw_if_any(const std::string& hint) const;

 private:
  std::string origin_;
  std::vector<Problem> found_;
};

/// Parses one document of plain data. Refused by InvalidFile, with file, line and column: over 1 MiB, NUL,
/// invalid UTF-8, tabs as indentation, duplicate keys, merge keys, anchors and aliases, tags, keys that are
/// not scalars, nesting over 64, more than one document. A byte-order mark is accepted.
Node parse(std::string_view text, const std::string& origin, const std::string& hint = {});

}  // namespace cudapin::yaml
