// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lock_file.hpp"

#include "core/fields.hpp"
#include "core/package_fields.hpp"
#include "core/profile_words.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "core/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cudapin {

const LockedFile* LockFile::find(std::string_view package) const {
  const auto found =
      std::ranges::find(files, package, [](const LockedFile& file) { return file.package.name; });
  return found == files.end() ? nullptr : &*found;
}

const LockedFile* LockFile::find_file(std::string_view file) const {
  const auto found = std::ranges::find(files, file, [](const LockedFile& one) { return one.package.file; });
  return found == files.end() ? nullptr : &*found;
}

bool LockFile::has_vouches() const {
  return std::ranges::any_of(files, [](const LockedFile& file) { return file.vouched.has_value(); });
}

namespace {

using yaml::Field;
using yaml::Node;
using yaml::scalar;

constexpr auto format_hint = "man cudapin-lock";

bool is_hexadecimal(std::string_view text, std::string_view digits) {
  return text.find_first_not_of(digits) == text.npos;
}

class Reader {
 public:
  explicit Reader(const std::string& origin) : problems_(origin) { lock_.origin = origin; }

  LockFile read(const Node& root);
  std::vector<Field> lock_fields();
  std::vector<Field> file_fields(LockedFile& file);

 private:
  void complain(const Node& at, const std::string& text) { problems_.add(at, text); }
  std::string read_line(const Node& node, std::string_view what) {
    return yaml::read_line(node, what, problems_);
  }
  void read_schema(const Node& node);
  void read_profile_name(const Node& node);
  std::string read_sha256(const Node& node, std::string_view what);
  std::string read_fingerprint(const Node& node);
  std::uint64_t read_size(const Node& node);
  std::optional<SignatureState> read_vouched(const Node& node);
  void read_file_name(const Node& node, ProfilePackage& package);
  void check_says(const Node& entry, std::string_view key, const std::string& wanted);
  void read_files(const Node& node);

  yaml::Problems problems_;
  LockFile lock_;
};

void Reader::read_schema(const Node& node) {
  if (node.scalar != "1")
    complain(node, tr("'schema' is '{}', this cudapin reads 1", printable(node.scalar)));
}

void Reader::read_profile_name(const Node& node) {
  lock_.profile = read_line(node, "'profile'");
  if (!lock_.profile.empty() && !is_profile_name(lock_.profile))
    complain(node, tr("'{}' is no profile name", lock_.profile));
}

std::string Reader::read_sha256(const Node& node, std::string_view what) {
  auto text = read_line(node, what);
  if (text.size() != 64 || !is_hexadecimal(text, "0123456789abcdef"))
    complain(node, tr("{} must be a SHA-256: 64 hexadecimal digits in lower case", what));
  return text;
}

std::string Reader::read_fingerprint(const Node& node) {
  auto text = read_line(node, "'signer'");
  if ((text.size() != 40 && text.size() != 64) || !is_hexadecimal(text, "0123456789ABCDEF"))
    complain(node, tr_text("'signer' must be a key's fingerprint: 40 hexadecimal digits in upper case"));
  return text;
}

std::uint64_t Reader::read_size(const Node& node) {
  std::uint64_t size = 0;
  const auto* end = node.scalar.data() + node.scalar.size();
  const auto [rest, error] = std::from_chars(node.scalar.data(), end, size);
  if (error != std::errc{} || rest != end || size == 0)
    complain(node, tr_text("'size' must be a number of bytes, at least 1"));
  return size;
}

std::optional<SignatureState> Reader::read_vouched(const Node& node) {
  const auto state = signature_state(read_line(node, "'vouched'"));
  if (state && may_be_vouched(*state)) return state;
  complain(
      node,
      tr_text("'vouched' must say what pacman refuses the signature for, as 'cudapin lock --vouch' does"));
  return std::nullopt;
}

void Reader::read_file_name(const Node& node, ProfilePackage& package) {
  if (!read_package_file(node, package, problems_)) return;
  if (is_foundation(package.name)) complain(node, tr("'{}' must stay as the system has it", package.name));
  if (lock_.find(package.name)) complain(node, tr("a second file for '{}'", package.name));
}

/// Name and version stand there for people and other programs; the file's name has them too.
void Reader::check_says(const Node& entry, std::string_view key, const std::string& wanted) {
  if (const auto* node = entry.find(key); node && !wanted.empty() && trim(node->scalar) != wanted)
    complain(*node, tr("'{}' must be '{}', as in the file's name", key, wanted));
}

std::vector<Field> Reader::file_fields(LockedFile& file) {
  auto fields = package_fields(file.package, problems_);
  const std::vector<Field> own{
      {"file", true, [&](const Node& node) { read_file_name(node, file.package); }},
      {"name", true, [&](const Node& node) { read_line(node, "'name'"); }},
      {"version", true, [&](const Node& node) { read_line(node, "'version'"); }},
      {"size", true, [&](const Node& node) { file.size = read_size(node); }},
      {"sha256", true, [&](const Node& node) { file.sha256 = read_sha256(node, "'sha256'"); }},
      {"mtree", true, [&](const Node& node) { file.mtree = read_sha256(node, "'mtree'"); }},
      {"signer", true, [&](const Node& node) { file.signer = read_fingerprint(node); }},
      {"found", true, [&](const Node& node) { file.found = read_line(node, "'found'"); }},
      {"vouched", false, [&](const Node& node) { file.vouched = read_vouched(node); }},
  };
  fields.insert(fields.begin(), own.begin(), own.end());
  return fields;
}

void Reader::read_files(const Node& node) {
  if (node.kind != Node::Kind::sequence || node.items.empty())
    complain(node, tr_text("'files' must be a list, one entry for each package"));
  for (const auto& item : node.items) {
    LockedFile file{.package = {.name = {}, .version = *Version::parse("0-1")}};
    yaml::read_mapping(item, tr_text("a file"), file_fields(file), problems_);
    if (file.package.name.empty()) continue;
    check_says(item, "name", file.package.name);
    check_says(item, "version", file.package.version.text());
    file.package.size = file.size;
    file.package.sha256 = file.sha256;
    lock_.files.push_back(std::move(file));
  }
}

std::vector<Field> Reader::lock_fields() {
  return {
      {"schema", true, [&](const Node& node) { read_schema(node); }},
      {"profile", true, [&](const Node& node) { read_profile_name(node); }},
      {"profile_sha256", true,
       [&](const Node& node) { lock_.profile_sha256 = read_sha256(node, "'profile_sha256'"); }},
      {"files", true, [&](const Node& node) { read_files(node); }},
  };
}

LockFile Reader::read(const Node& root) {
  yaml::read_mapping(root, tr_text("a lock"), lock_fields(), problems_);
  problems_.throw_if_any(format_hint);
  return std::move(lock_);
}

void add_dependencies(std::string& text, std::string_view key, const std::vector<Dependency>& list,
                      bool always) {
  if (list.empty() && !always) return;
  std::vector<std::string> words;
  for (const auto& dependency : list) words.push_back(scalar(dependency.text()));
  text += fmt::format("    {}: [{}]\n", key, join(words, ", "));
}

std::string entry_text(const LockedFile& file) {
  const auto& package = file.package;
  auto text = fmt::format("  - file: {}\n", scalar(package.file));
  for (const auto& [key, value] : {std::pair<const char*, std::string>{"name", package.name},
                                   {"version", package.version.text()},
                                   {"sha256", file.sha256},
                                   {"mtree", file.mtree},
                                   {"signer", file.signer},
                                   {"found", printable(file.found)}})
    text += fmt::format("    {}: {}\n", key, scalar(value));
  text += fmt::format("    size: {}\n", file.size);
  if (file.vouched) text += fmt::format("    vouched: {}\n", word_of(*file.vouched));
  add_dependencies(text, "depends", package.depends, true);
  add_dependencies(text, "provides", package.provides, false);
  add_dependencies(text, "conflicts", package.conflicts, false);
  add_dependencies(text, "replaces", package.replaces, false);
  if (package.reason == Reason::dependency) text += "    as: dependency\n";
  if (package.only_if_installed) text += "    only_if_installed: true\n";
  return text;
}

std::vector<std::string> keys_of(const std::vector<Field>& fields) {
  std::vector<std::string> keys;
  for (const auto& field : fields) keys.push_back(field.key);
  return keys;
}

/// Takes the lock's file for a package of the profile, or says why it cannot.
std::string take(std::vector<ProfilePackage>& packages, const LockFile& lock, const std::string& name,
                 const std::function<bool(const Version&)>& is_wanted) {
  const auto* locked = lock.find(name);
  if (!locked) return tr("'{}' is in the profile and not in the lock '{}'", name, lock.origin);
  if (!is_wanted(locked->package.version))
    return tr("the profile does not want {} {}, which the lock '{}' has", name,
              locked->package.version.text(), lock.origin);
  packages.push_back(locked->package);
  return {};
}

}  // namespace

LockFile parse_lock(std::string_view text, const std::string& origin) {
  return Reader(origin).read(yaml::parse(text, origin, format_hint));
}

std::string lock_text(const LockFile& lock) {
  auto text = fmt::format(
      "# Written by 'cudapin lock {0}'; 'cudapin use {0}' takes exactly these files. See cudapin-lock(5).\n"
      "schema: 1\nprofile: {1}\nprofile_sha256: {2}\nfiles:\n",
      lock.profile, scalar(lock.profile), scalar(lock.profile_sha256));
  for (const auto& file : lock.files) text += entry_text(file);
  return text;
}

Profile with_lock(Profile profile, const LockFile& lock, std::span<const Package> installed) {
  std::vector<ProfilePackage> packages;
  std::vector<std::string> problems;
  const auto note = [&](std::string problem) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  for (const auto& package : profile.packages)
    note(take(packages, lock, package.name,
              [&](const Version& version) { return version.text() == package.version.text(); }));
  for (const auto& open : profile.open)
    note(take(packages, lock, open.name, [&](const Version& version) { return open.range.holds(version); }));
  if (!problems.empty()) throw Error(join(problems, "\n"), fmt::format("sudo cudapin lock {}", profile.name));
  for (const auto& file : lock.files) {
    const bool is_taken = std::ranges::count(packages, file.package.name, &ProfilePackage::name) > 0;
    const bool is_there = std::ranges::count(installed, file.package.name, &Package::name) > 0;
    if (is_taken || is_there) continue;
    packages.push_back(file.package);
    packages.back().is_pinned = false;
  }
  profile.packages = std::move(packages);
  profile.open.clear();
  return profile;
}

std::vector<std::string> lock_keys() { return keys_of(Reader("").lock_fields()); }

std::vector<std::string> lock_file_keys() {
  LockedFile file{.package = {.name = {}, .version = *Version::parse("0-1")}};
  return keys_of(Reader("").file_fields(file));
}

}  // namespace cudapin
