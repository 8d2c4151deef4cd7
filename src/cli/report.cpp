// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <ostream>

namespace cudapin {

namespace {

constexpr std::size_t gap = 2;

/// Code point of the valid UTF-8 sequence at `at`, which moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t code = first & (0x3F >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return code;
}

/// East Asian wide and fullwidth ranges; wcwidth would need a UTF-8 locale, which LC_ALL=C is not.
bool is_wide(char32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x1F300 && code <= 0x1FAFF) ||
         (code >= 0x20000 && code <= 0x3FFFD);
}

/// What no line begins with, and what none ends with.
constexpr std::u32string_view never_first =
    U"\u3001\u3002\uFF0C\uFF1A\uFF1B\uFF1F\uFF01\uFF09\u300D\u300F\u300B\u2026";
constexpr std::u32string_view never_last = U"\uFF08\u300C\u300E\u300A";

/// A part of a text that is never broken: a word, or a character of a script that is written without blanks.
struct Piece {
  std::string text;
  bool is_apart;  ///< a blank stands before it
};

bool may_break(char32_t before, char32_t after) {
  return (is_wide(before) || is_wide(after)) && never_first.find(after) == never_first.npos &&
         never_last.find(before) == never_last.npos;
}

void add_word(std::vector<Piece>& all, std::string_view word) {
  char32_t before = 0;
  for (std::size_t at = 0; at < word.size();) {
    const auto start = at;
    const auto code = next_code_point(word, at);
    if (start == 0 || may_break(before, code)) all.push_back({{}, start == 0});
    all.back().text += word.substr(start, at - start);
    before = code;
  }
}

std::vector<Piece> pieces(std::string_view text) {
  std::vector<Piece> all;
  for (const auto& word : split(text, " \n")) add_word(all, word);
  return all;
}

std::string padded(const std::string& text, std::size_t width) {
  const auto taken = display_width(text);
  return text + std::string(width > taken ? width - taken : 0, ' ');
}

std::string painted(const Style& style, std::string_view code, const std::string& text) {
  return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string word_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::install:
      return tr_text("install");
    case ActionKind::upgrade:
      return tr_text("upgrade");
    case ActionKind::downgrade:
      return tr_text("downgrade");
    case ActionKind::remove:
      return tr_text("remove");
    case ActionKind::keep:
      break;
  }
  return tr_text("keep");
}

std::string word_of(Severity severity) {
  return severity == Severity::error     ? tr_text("error")
         : severity == Severity::warning ? tr_text("warning")
                                         : tr_text("note");
}

std::string severity_color(Severity severity) {
  return severity == Severity::error ? "1;31" : severity == Severity::warning ? "1;33" : "1;36";
}

Row action_row(const Action& action) {
  if (action.kind == ActionKind::remove)
    return {action.name, action.from, tr_text("remove: another of its family takes its place")};
  const auto versions = action.kind == ActionKind::keep ? action.to
                        : action.from.empty()           ? action.to
                                                        : action.from + " -> " + action.to;
  return {action.name, versions,
          action.kind == ActionKind::keep ? tr_text("already there") : word_of(action.kind)};
}

/// Each folder or archive once, however many files come from it, or each file.
std::vector<std::string> sources_of(const Plan& plan, bool every_file) {
  std::vector<std::string> sources;
  for (const auto& action : plan.actions) {
    if (every_file && !action.source.empty()) sources.push_back(action.source);
    if (every_file) continue;
    const auto place = action.source.substr(0, action.source.rfind('/'));
    const auto host_end =
        place.find("://") == place.npos ? place.npos : place.find('/', place.find("://") + 3);
    const auto layout = place.rfind("/packages/");  // of an archive, and of the store
    const auto site = place.substr(0, layout != place.npos ? layout : host_end);
    if (!site.empty() && std::ranges::find(sources, site) == sources.end()) sources.push_back(site);
  }
  return sources;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += is_wide(next_code_point(text, at)) ? 2 : 1;
  return width;
}

std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto start = at;
    used += is_wide(next_code_point(text, at)) ? 2 : 1;
    if (used > columns) return text.substr(0, start);
  }
  return text;
}

std::string wrap(const std::string& text, std::size_t indent, unsigned columns) {
  std::string out;
  std::size_t used = indent;
  for (const auto& piece : pieces(text)) {
    const auto width = display_width(piece.text);
    const bool is_apart = piece.is_apart && !out.empty();
    if (!out.empty() && used + (is_apart ? 1 : 0) + width > columns) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (is_apart) {
      out += ' ';
      ++used;
    }
    out += piece.text;
    used += width;
  }
  return out;
}

std::string fitted(std::string_view text, unsigned columns) {
  constexpr std::size_t further = 2;
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    const auto indent = std::min(line.find_first_not_of(' '), line.size());
    out += display_width(line) <= columns
               ? line
               : line.substr(0, indent) + wrap(line.substr(indent), indent + further, columns);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string table(std::span<const Row> rows, const Style& style) {
  std::size_t labels = 0;
  std::size_t values = 0;
  for (const auto& row : rows) {
    labels = std::max(labels, display_width(printable(row.label)));
    values = std::max(values, display_width(printable(row.value)));
  }
  values = std::min<std::size_t>(values, style.columns / 2);
  std::string out;
  for (const auto& row : rows) {
    auto line = padded(printable(row.label), labels + gap) +
                padded(printable(row.value), row.note.empty() ? 0 : values + gap);
    const auto notes = labels + values + 2 * gap;
    if (!row.note.empty() && display_width(printable(row.value)) > values) line += "\n" + padded("", notes);
    line += wrap(printable(row.note), notes, style.columns);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string findings_text(std::span<const Finding> findings, const Style& style) {
  std::string out;
  for (const auto& finding : findings) {
    const auto word = word_of(finding.severity) + ":";
    const auto text =
        printable(finding.what) + (finding.evidence.empty() ? "" : " (" + printable(finding.evidence) + ")");
    out += painted(style, severity_color(finding.severity), word) + " " +
           wrap(text, display_width(word) + 1, style.columns) + "\n";
    if (!finding.remedy.empty())
      out += "  " + painted(style, "1;36", tr_text("hint:")) + " " + printable(finding.remedy) + "\n";
  }
  return out;
}

/// What is known of it beforehand; 0 when some size is not.
std::uint64_t download_size(const Plan& plan) {
  std::uint64_t sum = 0;
  for (const auto& action : plan.actions) {
    if (!needs_file(action) || action.source.find("://") == action.source.npos) continue;
    if (action.size == 0) return 0;
    sum += action.size;
  }
  return sum;
}

std::string plan_text(const Plan& plan, const Style& style) {
  std::vector<Row> rows;
  for (const auto& action : plan.actions) rows.push_back(action_row(action));
  auto out =
      painted(style, "1", tr("Packages ({})", plan.actions.size())) + "\n\n" + table(rows, style) + "\n";
  if (const auto size = download_size(plan); size > 0) out += tr("Download: {}\n", human_size(size));
  for (const auto& source : sources_of(plan, style.verbose)) out += tr("From: {}\n", printable(source));
  const std::string pins = tr_text("Pins: ");
  out += pins + wrap(join(plan.pins, " "), display_width(pins), style.columns) + "\n";
  if (!plan.findings.empty()) out += "\n" + findings_text(plan.findings, style);
  return out;
}

nlohmann::json to_json(const Finding& finding) {
  return {{"severity", word_of(finding.severity)},
          {"what", finding.what},
          {"evidence", finding.evidence},
          {"remedy", finding.remedy}};
}

std::string json_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string plan_json(const Plan& plan) {
  auto actions = nlohmann::json::array();
  for (const auto& action : plan.actions)
    actions.push_back({{"name", action.name},
                       {"action", word_of(action.kind)},
                       {"from", action.from},
                       {"to", action.to},
                       {"file", action.file},
                       {"source", action.source},
                       {"size", action.size == 0 ? nlohmann::json(nullptr) : nlohmann::json(action.size)},
                       {"reason", action.reason == Reason::dependency ? "dependency" : "explicit"}});
  auto findings = nlohmann::json::array();
  for (const auto& finding : plan.findings) findings.push_back(to_json(finding));
  const nlohmann::json json{{"schema", 1},
                            {"profile", plan.profile},
                            {"changes", plan.changes_packages()},
                            {"in_force", plan.is_in_force},
                            {"packages", actions},
                            {"pins", plan.pins},
                            {"findings", findings}};
  return json_text(json);
}

bool confirm(std::istream& in, std::ostream& out, const std::string& question) {
  out << ":: " << question << " [Y/n] " << std::flush;
  std::string answer;
  if (!std::getline(in, answer)) return false;
  const auto word = trim(answer);
  return word.empty() || word == "y" || word == "Y" || word == "yes";
}

}  // namespace cudapin
