// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/yaml.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <sstream>

namespace cudapin::yaml {

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(
      entries, key, [](const Entry& entry) -> const auto& { return entry.key.scalar; });
  return found == entries.end() ? nullptr : &found->value;
}

void Problems::add(const Node& at, const std::string& text) { add(at.line, at.column, text); }

void Problems::add(int line, int column, const std::string& text) {
  found_.push_back({origin_, line, column, text});
}

std::vector<Problem> Problems::in_order() const {
  auto sorted = found_;
  std::ranges::stable_sort(sorted, {},
                           [](const Problem& problem) { return std::pair(problem.line, problem.column); });
  return sorted;
}

void Problems::throw_if_any(const std::string& hint) const {
  if (!found_.empty()) throw InvalidFile(in_order(), hint);
}

std::string Problem::line_of_text() const {
  return printable(fmt::format("{}:{}:{}: {}", origin, line, column, text));
}

namespace {

std::string lines_of(const std::vector<Problem>& problems) {
  constexpr std::size_t limit = 100;  // a hostile file must not flood the terminal
  std::vector<std::string> lines;
  for (const auto& problem : std::span(problems).first(std::min(problems.size(), limit)))
    lines.push_back(problem.line_of_text());
  if (problems.size() > limit)
    lines.push_back(
        printable(tr("{}: and {} more problems", problems.back().origin, problems.size() - limit)));
  return join(lines, "\n");
}

}  // namespace

InvalidFile::InvalidFile(std::vector<Problem> found, const std::string& hint_text)
    : Error(lines_of(found), hint_text), problems(std::move(found)) {}

namespace {

constexpr std::size_t size_limit = 1 << 20;
constexpr std::size_t depth_limit = 64;

/// Thrown when reading on would make no sense; its problem is already noted.
struct Stop {};

/// Offset of the first byte that is no text, or npos: `printable` copies text and turns the rest into `?`.
std::size_t first_unprintable(std::string_view line) {
  const auto shown = printable(line);
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] != shown[i] && line[i] != '\t') return i;
  return line.npos;
}

/// Whether `text`, whose start `printable` refused, is a well-formed but invisible character (C0, C1, or an
/// override of the writing direction).
bool is_invisible(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  return byte(0) < 0x80 || (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) ||
         (byte(0) == 0xE2 && (byte(1) == 0x80 || byte(1) == 0x81) && byte(2) >> 6 == 2);
}

bool is_indented_by_tab(std::string_view line) {
  const auto start = line.find_first_not_of(" \t");
  return start != line.npos && line[start] != '#' && line.substr(0, start).find('\t') != line.npos;
}

/// What must be settled before the parser sees the text: it ends silently at a NUL or a 0x04, guesses at
/// encodings and counts a tab as one column.
void check_line(std::string_view line, int number, std::size_t offset, Problems& problems) {
  if (const auto at = first_unprintable(line); at != line.npos) {
    const auto* kind = is_invisible(line.substr(at)) ? tr_text("control character") : tr_text("not UTF-8");
    problems.add(
        number, static_cast<int>(at) + 1,
        tr("{} at byte offset {} (0x{:02x})", kind, offset + at, static_cast<unsigned char>(line[at])));
  }
  if (is_indented_by_tab(line))
    problems.add(number, static_cast<int>(line.find('\t')) + 1,
                 tr("tab used for indentation at line {}, use spaces", number));
}

void check_text(std::string_view text, std::size_t bom_size, Problems& problems) {
  int number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const auto end = std::min(text.find('\n', start), text.size());
    auto line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    check_line(line, number, bom_size + start, problems);
    start = end + 1;
  }
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'));
}

/// The parser's words in ours, where its own would puzzle the reader.
std::string in_words(const std::string& message) {
  static const std::array<std::pair<std::string_view, const char*>, 12> words{{
      {"end of map not found", tr_later("this is not indented like the entries above it")},
      {"end of sequence not found", tr_later("this is not indented like the list above it")},
      {"end of map flow not found", tr_later("its } is missing")},
      {"end of sequence flow not found", tr_later("its ] is missing")},
      {"illegal map value", tr_later("a mapping cannot start here: quote text that contains ': '")},
      {"illegal block entry", tr_later("a list cannot start here: give it a line of its own")},
      {"illegal EOF in scalar", tr_later("the text ends before its closing quote")},
      {"illegal EOF", tr_later("the text ends too early")},
      {"unknown token", tr_later("this character cannot start a value: quote the text")},
      {"illegal flow end", tr_later("a closing bracket that was never opened")},
      {"bad indentation", tr_later("not indented enough")},
      {"the referenced anchor is not defined", tr_later("aliases (*name) are not allowed")},
  }};
  for (const auto& [theirs, ours] : words)
    if (message.starts_with(theirs)) return tr_text(ours);
  return message;
}

/// Builds Nodes from the parser's events. It recurses once for each collection it has reported, so that
/// refusing to go deeper here bounds its stack as well.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(Problems& problems) : problems_(problems) {}

  Node root;

  /// The collection that is being read, or null.
  const Node* innermost() const { return frames_.empty() ? nullptr : &frames_.back().node; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) stop(mark, tr_text("text after the end of the document: one file is one document"));
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    complain(mark, tr("anchors (&{}) are not allowed", name));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    complain(mark, tr_text("aliases (*name) are not allowed"));
    place(make(mark, Node::Kind::null), {});
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { place(make(mark, Node::Kind::null), {}); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    refuse_tag(mark, tag);
    auto node = make(mark, Node::Kind::scalar);
    node.scalar = value;
    place(std::move(node), tag);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    std::optional<Node> key;          ///< waits for its value
    std::map<std::string, int> seen;  ///< key to its first line
  };

  static Node make(const YAML::Mark& mark, Node::Kind kind) {
    return {.kind = kind,
            .scalar = {},
            .items = {},
            .entries = {},
            .line = mark.line + 1,
            .column = mark.column + 1};
  }

  void complain(const YAML::Mark& mark, const std::string& text) {
    problems_.add(mark.line + 1, mark.column + 1, text);
  }

  [[noreturn]] void stop(const YAML::Mark& mark, const std::string& text) {
    complain(mark, text);
    throw Stop{};
  }

  /// The parser's own marks: "?" for plain values, "!" for quoted ones.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") complain(mark, tr("tags ({}) are not allowed", tag));
  }

  void open(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    refuse_tag(mark, tag);
    if (frames_.size() == depth_limit) stop(mark, tr("nested deeper than {} levels", depth_limit));
    frames_.push_back({.node = make(mark, kind), .key = {}, .seen = {}});
  }

  void close() {
    auto node = std::move(frames_.back().node);
    frames_.pop_back();
    place(std::move(node), {});
  }

  void place(Node node, std::string_view tag) {
    if (frames_.empty()) {
      root = std::move(node);
      return;
    }
    auto& frame = frames_.back();
    if (frame.node.kind == Node::Kind::sequence) {
      frame.node.items.push_back(std::move(node));
    } else if (frame.key) {
      if (node.kind == Node::Kind::null)  // reported where the next thing stands
        node.line = frame.key->line, node.column = frame.key->column;
      frame.node.entries.push_back({std::move(*frame.key), std::move(node)});
      frame.key.reset();
    } else {
      check_key(frame, node, tag);
      frame.key = std::move(node);
    }
  }

  void check_key(Frame& frame, const Node& key, std::string_view tag) {
    if (key.kind != Node::Kind::scalar) {
      problems_.add(key, tr_text("a key must be a word, not a list, a mapping or nothing"));
      return;
    }
    if (key.scalar == "<<" && tag == "?") problems_.add(key, tr_text("merge keys (<<) are not allowed"));
    const auto [first, is_new] = frame.seen.emplace(key.scalar, key.line);
    if (!is_new)
      problems_.add(key, tr("duplicate key '{}', first given at line {}", key.scalar, first->second));
  }

  Problems& problems_;
  std::vector<Frame> frames_;
  int documents_ = 0;
};

/// Feeds all documents to `builder`; what the parser finds wrong becomes one more problem. It would take an
/// unfinished quote before a last line break for a whole one.
void build(std::string_view text, Builder& builder, Problems& problems) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::istringstream in{std::string(text)};
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
  } catch (const YAML::Exception& error) {
    if (const auto* open = builder.innermost(); open && error.msg.ends_with("flow not found"))
      problems.add(*open, in_words(error.msg));
    else
      problems.add(std::max(error.mark.line, 0) + 1, std::max(error.mark.column, 0) + 1, in_words(error.msg));
  }
}

}  // namespace

Node parse(std::string_view text, const std::string& origin, const std::string& hint) {
  constexpr std::string_view bom = "\xEF\xBB\xBF";
  Problems problems(origin);
  if (text.size() > size_limit) problems.add(1, 1, tr_text("larger than 1 MiB"));
  if (is_utf16(text)) problems.add(1, 1, tr_text("UTF-16 text: save the file as UTF-8"));
  problems.throw_if_any(hint);
  const std::size_t bom_size = text.starts_with(bom) ? bom.size() : 0;
  text.remove_prefix(bom_size);
  check_text(text, bom_size, problems);
  problems.throw_if_any(hint);
  Builder builder(problems);
  build(text, builder, problems);
  problems.throw_if_any(hint);
  if (builder.root.line == 0) builder.root.line = builder.root.column = 1;
  return std::move(builder.root);
}

}  // namespace cudapin::yaml
