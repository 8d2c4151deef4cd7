// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// How text is shown: colour only on a terminal, tables no wider than `columns`.
struct Style {
  bool color = false;
  unsigned columns = 80;
  bool verbose = false;  ///< the plan names the source of every file
};

/// One line of a two- or three-part table: `label  value  note`. Continuation rows have an empty label.
struct Row {
  std::string label;
  std::string value;
  std::string note;
};

/// Columns aligned by display width; notes wrap under themselves; every cell is cleaned for a terminal.
std::string table(std::span<const Row> rows, const Style& style);

/// `text` broken at blanks so that no line passes `columns`, the following lines indented by `indent`.
std::string wrap(const std::string& text, std::size_t indent, unsigned columns);

/// Lines of prose, those that pass `columns` broken at blanks and continued a little further in.
std::string fitted(std::string_view text, unsigned columns);

/// Columns that `text` takes on a terminal (wide characters count two).
std::size_t display_width(std::string_view text);

/// The start of `text` that takes at most `columns`, no character halved.
std::string_view cut(std::string_view text, std::size_t columns);

/// The plan as the person confirms it: one line a package with versions and source, pins, findings.
std::string plan_text(const Plan& plan, const Style& style);

/// The same as JSON text; schema 1, documented in cudapin(1).
std::string plan_json(const Plan& plan);

nlohmann::json to_json(const Finding& finding);

/// As --json prints it, with a newline; what is no UTF-8 is replaced.
std::string json_text(const nlohmann::json& json);

/// `error: `, `warning: ` and `note: ` paragraphs, each with evidence and remedy.
std::string findings_text(std::span<const Finding> findings, const Style& style);

/// Asks `question [Y/n]` and reads a line; an empty line means yes, end of input no.
bool confirm(std::istream& in, std::ostream& out, const std::string& question);

}  // namespace cudapin
