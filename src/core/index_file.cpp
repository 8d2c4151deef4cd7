// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index_file.hpp"

#include "core/fields.hpp"
#include "core/moment.hpp"
#include "core/profile_words.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "core/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cudapin {

namespace {

using yaml::Field;
using yaml::Node;

constexpr auto format_hint = "man cudapin-index";
constexpr std::size_t most_files = 4096;
constexpr std::uint64_t largest_file = 1u << 20;

class Reader {
 public:
  explicit Reader(const std::string& origin) : problems_(origin) {}
  Index read(const Node& root);

 private:
  void complain(const Node& at, const std::string& text) { problems_.add(at, text); }
  std::uint64_t read_number(const Node& node, std::string_view what);
  std::string read_moment(const Node& node, std::string_view what);
  void read_name(const Node& node, IndexedFile& file);
  void read_sha256(const Node& node, IndexedFile& file);
  void read_files(const Node& node);

  yaml::Problems problems_;
  Index index_;
};

std::uint64_t Reader::read_number(const Node& node, std::string_view what) {
  std::uint64_t number = 0;
  const auto* end = node.scalar.data() + node.scalar.size();
  const auto [rest, error] = std::from_chars(node.scalar.data(), end, number);
  if (error != std::errc{} || rest != end || number == 0)
    complain(node, tr("{} must be a number, at least 1", what));
  return number;
}

std::string Reader::read_moment(const Node& node, std::string_view what) {
  auto text = yaml::read_line(node, what, problems_);
  if (!utc_seconds(text)) complain(node, tr("{} must be a moment in UTC: YYYY-MM-DDTHH:MM:SSZ", what));
  return text;
}

void Reader::read_name(const Node& node, IndexedFile& file) {
  file.name = yaml::read_line(node, "'file'", problems_);
  if (!is_shared_name(file.name))
    complain(node, tr("'{}' is no name of a profile, a lock or a signature", printable(file.name)));
  else if (index_.find(file.name))
    complain(node, tr("'{}' is named twice", file.name));
}

void Reader::read_sha256(const Node& node, IndexedFile& file) {
  file.sha256 = yaml::read_line(node, "'sha256'", problems_);
  if (file.sha256.size() != 64 || file.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
    complain(node, tr_text("'sha256' must be a SHA-256: 64 hexadecimal digits in lower case"));
}

void Reader::read_files(const Node& node) {
  if (node.kind != Node::Kind::sequence || node.items.empty())
    return complain(node, tr_text("'files' must be a list, one entry for each file"));
  if (node.items.size() > most_files) return complain(node, tr("more than {} files", most_files));
  for (const auto& item : node.items) {
    IndexedFile file;
    const std::vector<Field> fields{
        {"file", true, [&](const Node& value) { read_name(value, file); }},
        {"size", true, [&](const Node& value) { file.size = read_number(value, "'size'"); }},
        {"sha256", true, [&](const Node& value) { read_sha256(value, file); }}};
    yaml::read_mapping(item, tr_text("a file"), fields, problems_);
    if (file.size > largest_file) complain(item, tr("'{}' is too large", printable(file.name)));
    index_.files.push_back(std::move(file));
  }
}

Index Reader::read(const Node& root) {
  const std::vector<Field> fields{
      {"schema", true,
       [&](const Node& node) {
         if (node.scalar != "1")
           complain(node, tr("'schema' is '{}', this cudapin reads 1", printable(node.scalar)));
       }},
      {"serial", true, [&](const Node& node) { index_.serial = read_number(node, "'serial'"); }},
      {"made", true, [&](const Node& node) { index_.made = read_moment(node, "'made'"); }},
      {"expires", true, [&](const Node& node) { index_.expires = read_moment(node, "'expires'"); }},
      {"files", true, [&](const Node& node) { read_files(node); }}};
  yaml::read_mapping(root, tr_text("an index"), fields, problems_);
  problems_.throw_if_any(format_hint);
  return std::move(index_);
}

}  // namespace

const IndexedFile* Index::find(std::string_view name) const {
  const auto found = std::ranges::find(files, name, &IndexedFile::name);
  return found == files.end() ? nullptr : &*found;
}

bool is_shared_name(std::string_view name) {
  if (name.ends_with(".sig")) name.remove_suffix(4);
  if (!name.ends_with(".yaml")) return false;
  name.remove_suffix(5);
  if (name.ends_with(".lock")) name.remove_suffix(5);
  return is_profile_name(name) && name != "index";
}

Index parse_index(std::string_view text, const std::string& origin) {
  return Reader(origin).read(yaml::parse(text, origin, format_hint));
}

std::string index_text(const Index& index) {
  auto text = fmt::format(
      "# Written by 'cudapin profile publish'. See cudapin-index(5).\n"
      "schema: 1\nserial: {}\nmade: {}\nexpires: {}\nfiles:\n",
      index.serial, yaml::scalar(index.made), yaml::scalar(index.expires));
  for (const auto& file : index.files)
    text += fmt::format("  - file: {}\n    size: {}\n    sha256: {}\n", yaml::scalar(file.name), file.size,
                        yaml::scalar(file.sha256));
  return text;
}

}  // namespace cudapin
