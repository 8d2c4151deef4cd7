// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/known_errors.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace cudapin {

namespace {

constexpr std::size_t star_limit = 200;

struct Replacement {
  std::string_view from;
  char to;
};

/// UTF-8 of the quotes that compilers print outside the C locale.
constexpr std::array<Replacement, 4> quotes{
    {{"\xE2\x80\x98", '\''}, {"\xE2\x80\x99", '\''}, {"\xE2\x80\x9C", '"'}, {"\xE2\x80\x9D", '"'}}};

/// End of the colour sequence at `at`, or `at` when there is none.
std::size_t after_colour(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\x1b[") return at;
  const auto end = text.find_first_not_of("0123456789;", at + 2);
  return end == text.npos ? text.size() : end + 1;
}

/// The text without colours, with plain quotes, and each run of white space as one character: a line end
/// where it had one.
class Folded {
 public:
  explicit Folded(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      if (const auto end = after_colour(text, at); end != at)
        at = end;
      else
        at += take(text.substr(at));
    }
    flat_ = lines_;
    std::ranges::replace(flat_, '\n', ' ');
  }

  const std::string& flat() const { return flat_; }
  bool begins_line(std::size_t at) const { return at == 0 || lines_[at - 1] == '\n'; }
  bool is_one_line(std::size_t from, std::size_t to) const {
    return to <= from ||
           std::string_view(lines_).substr(from, to - from).find('\n') == std::string_view::npos;
  }

 private:
  std::size_t take(std::string_view rest) {
    for (const auto& quote : quotes)
      if (rest.starts_with(quote.from)) {
        lines_ += quote.to;
        return quote.from.size();
      }
    const char c = rest[0];
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank)
      lines_ += c;
    else if (lines_.empty() || (lines_.back() != ' ' && lines_.back() != '\n'))
      lines_ += c == '\n' ? '\n' : ' ';
    else if (c == '\n')
      lines_.back() = '\n';
    return 1;
  }

  std::string lines_;
  std::string flat_;
};

struct Match {
  std::size_t begin;
  std::size_t end;
  std::vector<std::string> words;
};

std::string word_at(std::string_view text, std::size_t at) {
  auto word = std::string(text.substr(at, text.find(' ', at) - at));
  while (!word.empty() && std::string_view(".,;:)\"'").find(word.back()) != std::string_view::npos)
    word.pop_back();
  return word;
}

/// What follows the first piece of a pattern, which ends at `match.end`.
bool complete(const Folded& text, std::span<const std::string> pieces, bool open_end, Match& match) {
  const auto& flat = text.flat();
  for (const auto& piece : pieces) {
    const auto at = flat.find(piece, match.end);
    if (at == flat.npos || at - match.end > star_limit || !text.is_one_line(match.end, at)) return false;
    match.words.push_back(flat.substr(match.end, at - match.end));
    match.end = at + piece.size();
  }
  if (!open_end) return true;
  match.words.push_back(word_at(flat, match.end));
  match.end += match.words.back().size();
  return true;
}

/// The shortest match: where the pattern begins anew inside one, it is taken from there.
std::optional<Match> find_pattern(const Folded& text, std::string_view pattern) {
  const bool anchored = pattern.starts_with('^');
  const auto pieces = split(pattern.substr(anchored ? 1 : 0), "*");
  const auto& flat = text.flat();
  std::optional<Match> best;
  for (auto at = flat.find(pieces[0]); at != flat.npos; at = flat.find(pieces[0], at + 1)) {
    if (best && at >= best->end) break;
    if (anchored && !text.begins_line(at)) continue;
    Match match{at, at + pieces[0].size(), {}};
    if (complete(text, std::span(pieces).subspan(1), pattern.ends_with('*'), match)) best = std::move(match);
  }
  return best;
}

}  // namespace

std::vector<KnownMessage> known_messages_in(std::string_view text) {
  const Folded folded(text);
  std::vector<std::pair<std::size_t, KnownMessage>> found;
  for (const auto& error : tables::known_errors())
    for (const auto& pattern : split(error.patterns, "\n"))
      if (auto match = find_pattern(folded, pattern)) {
        found.push_back({match->begin,
                         {&error, std::move(match->words),
                          folded.flat().substr(match->begin, match->end - match->begin)}});
        break;
      }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<KnownMessage> messages;
  for (auto& [position, message] : found) messages.push_back(std::move(message));
  return messages;
}

}  // namespace cudapin
