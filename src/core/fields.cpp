// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fields.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>

namespace cudapin::yaml {

namespace {

std::string unknown_key(const std::string& key, std::span<const Field> fields) {
  std::vector<std::string> keys;
  for (const auto& field : fields) keys.push_back(field.key);
  const auto nearest = closest(key, keys);
  return tr("unknown key '{}'{}", key, nearest.empty() ? "" : tr(", did you mean '{}'?", nearest));
}

bool has_controls(std::string_view text) {
  return std::ranges::any_of(split(text, "\n"), [](const auto& line) { return printable(line) != line; });
}

}  // namespace

void read_mapping(const Node& mapping, std::string_view what, std::span<const Field> fields,
                  Problems& problems) {
  if (mapping.kind != Node::Kind::mapping) {
    problems.add(mapping, tr("{} must be a mapping (key: value)", what));
    return;
  }
  for (const auto& [key, value] : mapping.entries) {
    const auto field = std::ranges::find(fields, key.scalar, &Field::key);
    if (field == fields.end())
      problems.add(key, unknown_key(key.scalar, fields));
    else
      field->read(value);
  }
  for (const auto& field : fields)
    if (field.required && !mapping.find(field.key))
      problems.add(mapping, tr("{} has no '{}'", what, field.key));
}

std::string read_text(const Node& node, std::string_view what, Problems& problems) {
  const auto text = trim(node.scalar);
  if (node.kind != Node::Kind::scalar || text.empty())
    problems.add(node, tr("{} must be text", what));
  else if (has_controls(text))
    problems.add(node, tr("{} has control characters", what));
  else
    return std::string(text);
  return {};
}

std::string read_line(const Node& node, std::string_view what, Problems& problems) {
  auto text = read_text(node, what, problems);
  if (text.find('\n') == text.npos) return text;
  problems.add(node, tr("{} must be one line", what));
  return {};
}

bool read_truth(const Node& node, std::string_view what, Problems& problems) {
  if (node.scalar != "true" && node.scalar != "false")
    problems.add(node, tr("{} must be true or false", what));
  return node.scalar == "true";
}

std::vector<const Node*> read_words(const Node& node, std::string_view what, Problems& problems) {
  std::vector<const Node*> words;
  if (node.kind != Node::Kind::sequence) problems.add(node, tr("{} must be a list", what));
  for (const auto& item : node.items) {
    if (item.kind == Node::Kind::scalar)
      words.push_back(&item);
    else
      problems.add(item, tr("an entry of {} must be text", what));
  }
  return words;
}

}  // namespace cudapin::yaml
