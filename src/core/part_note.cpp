// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/part_note.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cudapin {

namespace {

constexpr std::string_view title = "cudapin-part 1 ";

/// The words of a line, numbers first.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view word() {
    const auto end = std::min(text_.find(' '), text_.size());
    const auto word = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return word;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto text = word();
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    bad_ |= failure != std::errc{} || end != text.data() + text.size();
    return value;
  }
  std::string_view rest() const { return text_; }
  bool bad() const { return bad_; }

 private:
  std::string_view text_;
  bool bad_ = false;
};

bool apply(PartNote& note, std::string_view line) {
  Words words(line);
  const auto kind = words.word();
  if (kind == "total") {
    note.total = words.number();
  } else if (kind == "source") {
    const auto url = std::string(words.word());
    note.sources.push_back({url, std::string(words.rest())});
  } else if (kind == "range" || kind == "drop") {
    const auto source = words.number();
    if (source >= note.sources.size()) return false;
    if (kind == "drop") {
      note.sources[source].have = {};
      return !words.bad();
    }
    const auto first = words.number();
    note.sources[source].have.add({first, words.number()});
  } else if (kind != "synced") {
    return false;
  }
  return !words.bad();
}

std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// How many lines tell of what surely is on the disk.
std::size_t lines_synced(const std::vector<std::string_view>& lines) {
  std::size_t synced = 1;
  for (const auto& line : lines) {
    Words words(line);
    if (words.word() != "synced") continue;
    if (const auto count = words.number(); !words.bad()) synced = std::min<std::size_t>(count, lines.size());
  }
  return synced;
}

}  // namespace

RangeSet PartNote::have() const {
  RangeSet all;
  for (const auto& source : sources) all.add(source.have);
  return all;
}

PartNote parse_part_note(std::string_view text, std::string_view boot) {
  auto lines = whole_lines(text);
  if (lines.empty() || !lines[0].starts_with(title)) return {};
  const bool same_boot = !boot.empty() && lines[0].substr(title.size()) == boot;
  const auto counted = same_boot ? lines.size() : lines_synced(lines);
  PartNote note;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    // What takes bytes away or names a source counts in any case.
    if (i >= counted && lines[i].starts_with("range ")) continue;
    if (!apply(note, lines[i])) return {};
  }
  return note;
}

std::string part_note_text(const PartNote& note, std::string_view boot) {
  auto text = fmt::format("{}{}\n", title, boot);
  if (note.total > 0) text += total_line(note.total);
  for (std::size_t i = 0; i < note.sources.size(); ++i) {
    text += source_line(note.sources[i]);
    for (const auto& range : note.sources[i].have.ranges()) text += range_line(i, range);
  }
  return text;
}

std::string total_line(std::uint64_t total) { return fmt::format("total {}\n", total); }

std::string source_line(const PartSource& source) {
  return fmt::format("source {} {}\n", source.url, printable(source.validator));
}

std::string range_line(std::size_t source, Range range) {
  return fmt::format("range {} {} {}\n", source, range.first, range.end);
}

std::string drop_line(std::size_t source) { return fmt::format("drop {}\n", source); }

std::string synced_line(std::size_t lines) { return fmt::format("synced {}\n", lines); }

}  // namespace cudapin
