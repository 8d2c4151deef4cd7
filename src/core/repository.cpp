// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/repository.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

namespace cudapin {

namespace {

// A line for each package, sorted by name, its fields parted by tabs; an empty line; a line for each
// provision, sorted: what, tab, the package.
constexpr std::string_view header = "cudapin index 1\n";
constexpr char between_fields = '\t';
constexpr char between_texts = '\x1f';

std::string texts(std::span<const Dependency> dependencies) {
  std::vector<std::string> words;
  for (const auto& one : dependencies) words.push_back(one.text());
  return join(words, " ");
}

std::vector<Dependency> dependencies(std::string_view text) {
  std::vector<Dependency> found;
  for (const auto& word : split(text, " ")) found.push_back(parse_dependency(word));
  return found;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' && c != between_texts; });
}

std::string line_of(const RepositoryPackage& one) {
  const auto& package = one.package;
  const std::array fields{package.name,
                          package.version,
                          package.arch,
                          one.file,
                          one.repository,
                          std::to_string(one.size),
                          std::to_string(package.installed_size),
                          one.sha256,
                          texts(package.depends),
                          texts(package.provides),
                          texts(package.conflicts),
                          texts(one.replaces),
                          join(one.optional, std::string(1, between_texts))};
  std::string line;
  for (const auto& field : fields) {
    if (!is_printable(field)) return {};
    if (!line.empty()) line += between_fields;
    line += field;
  }
  return line;
}

/// The fields of a line, empty ones included.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto end = line.find(between_fields);
    fields.push_back(line.substr(0, end));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

RepositoryPackage package_of(std::string_view line) {
  const auto fields = fields_of(line);
  if (fields.size() != 13) return {};
  RepositoryPackage one{.package = {.name = std::string(fields[0]),
                                    .version = std::string(fields[1]),
                                    .arch = std::string(fields[2]),
                                    .depends = dependencies(fields[8]),
                                    .provides = dependencies(fields[9]),
                                    .conflicts = dependencies(fields[10]),
                                    .installed_size = number(fields[6])},
                        .replaces = dependencies(fields[11]),
                        .optional = split(fields[12], std::string_view(&between_texts, 1)),
                        .file = std::string(fields[3]),
                        .sha256 = std::string(fields[7]),
                        .size = number(fields[5]),
                        .repository = std::string(fields[4])};
  return one;
}

std::string_view first_line(std::string_view block) { return block.substr(0, block.find('\n')); }

/// What is left of the sorted `block` from the first line on whose key is not less than `key`.
std::string_view from_key(std::string_view block, std::string_view key) {
  std::size_t low = 0;  // a line begins here, and all before it are less
  std::size_t high = block.size();
  while (low < high) {
    auto middle = low + (high - low) / 2;
    const auto before = block.rfind('\n', middle == 0 ? 0 : middle - 1);
    middle = before == block.npos || before < low ? low : before + 1;
    const auto line = first_line(block.substr(middle));
    if (line.substr(0, line.find(between_fields)) < key)
      low = middle + line.size() + 1;
    else
      high = middle;
  }
  return block.substr(std::min(low, block.size()));
}

}  // namespace

std::string index_text(std::span<const RepositoryPackage> packages) {
  std::map<std::string, std::string> lines;
  std::set<std::string> provisions;
  for (const auto& one : packages) {
    const auto file = parse_file_name(one.file);
    if (!file || file->name != one.package.name || file->version.text() != one.package.version) continue;
    auto line = line_of(one);
    if (line.empty() || !lines.emplace(one.package.name, std::move(line)).second) continue;
    for (const auto& provision : one.package.provides)
      provisions.insert(provision.name + between_fields + one.package.name);
  }
  std::string text(header);
  for (const auto& [name, line] : lines) text += line + '\n';
  text += '\n';
  for (const auto& provision : provisions) text += provision + '\n';
  return text;
}

std::optional<RepositoryIndex> RepositoryIndex::parse(std::string text) {
  if (!text.starts_with(header)) return std::nullopt;
  const auto end = text.find("\n\n", header.size() - 1);
  if (end == text.npos || !text.ends_with('\n')) return std::nullopt;
  return RepositoryIndex(std::move(text), header.size(), end + 2);
}

std::string_view RepositoryIndex::packages() const {
  return std::string_view(text_).substr(packages_, std::max(provisions_ - 1, packages_) - packages_);
}

std::string_view RepositoryIndex::provisions() const { return std::string_view(text_).substr(provisions_); }

std::optional<RepositoryPackage> RepositoryIndex::find(std::string_view name) const {
  const auto line = first_line(from_key(packages(), name));
  if (line.substr(0, line.find(between_fields)) != name || name.empty()) return std::nullopt;
  auto found = package_of(line);
  return found.package.name.empty() ? std::nullopt : std::optional(std::move(found));
}

std::vector<RepositoryPackage> RepositoryIndex::satisfiers(const Dependency& wanted) const {
  std::vector<RepositoryPackage> found;
  const auto add = [&](std::string_view name) {
    auto one = find(name);
    if (one && satisfies(one->package, wanted)) found.push_back(std::move(*one));
  };
  add(wanted.name);
  for (auto rest = from_key(provisions(), wanted.name); !rest.empty();) {
    const auto line = first_line(rest);
    const auto tab = line.find(between_fields);
    if (line.substr(0, tab) != wanted.name) break;
    if (const auto name = line.substr(tab + 1); name != wanted.name) add(name);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return found;
}

std::vector<RepositoryPackage> RepositoryIndex::all() const {
  std::vector<RepositoryPackage> found;
  for (auto rest = packages(); !rest.empty();) {
    const auto line = first_line(rest);
    if (auto one = package_of(line); !one.package.name.empty()) found.push_back(std::move(one));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return found;
}

}  // namespace cudapin
