// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config.hpp"

#include "core/fields.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

bool is_archive(std::string_view text) {
  constexpr std::array<std::string_view, 4> starts{"https://", "http://", "file:///", "/"};
  return std::ranges::any_of(starts, [&](auto start) {
    return text.starts_with(start) && (start == "/" || text.size() > start.size());
  });
}

std::vector<std::string> read_archives(const yaml::Node& node, yaml::Problems& problems) {
  std::vector<std::string> archives;
  for (const auto* word : yaml::read_words(node, "'archives'", problems)) {
    auto archive = yaml::read_line(*word, tr_text("an archive"), problems);
    if (archive.empty()) continue;
    if (!is_archive(archive))
      problems.add(*word,
                   tr("'{}' is no archive: give an https, http or file URL or an absolute path", archive));
    archives.push_back(std::move(archive));
  }
  if (node.kind == yaml::Node::Kind::sequence && node.items.empty())
    problems.add(node, tr_text("'archives' is empty: name at least one, or leave the key out"));
  return archives;
}

}  // namespace

Config parse_config(std::string_view text, const std::string& origin) {
  Config config;
  const auto root = yaml::parse(text, origin, "man cudapin.conf");
  if (root.kind == yaml::Node::Kind::null) return config;
  yaml::Problems problems(origin);
  const std::array fields{yaml::Field{
      "archives", false, [&](const auto& node) { config.archives = read_archives(node, problems); }}};
  yaml::read_mapping(root, tr_text("the configuration"), fields, problems);
  problems.throw_if_any("man cudapin.conf");
  return config;
}

}  // namespace cudapin
