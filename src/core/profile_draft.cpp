// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile_draft.hpp"

#include "core/compatibility.hpp"
#include "core/fields.hpp"
#include "core/package_fields.hpp"
#include "core/profile_words.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace cudapin {

const ProfileDraft::Pin* ProfileDraft::find_pin(std::string_view name) const {
  const auto found = std::ranges::find(pins, name, &Pin::name);
  return found == pins.end() ? nullptr : &*found;
}

const ProfileDraft::File* ProfileDraft::find_file(std::string_view name) const {
  const auto found = std::ranges::find(files, name, [](const File& file) { return file.package.name; });
  return found == files.end() ? nullptr : &*found;
}

namespace {

using yaml::Field;
using yaml::Node;

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

class Reader {
 public:
  explicit Reader(ProfileDraft& draft) : draft_(draft), profile_(draft.profile) {}

  void read(const Node& root);
  /// What a profile, or an entry of `files`, may have. A profile that extends another may lack all but its
  /// name, one without exact versions needs no files.
  std::vector<Field> profile_fields();
  std::vector<Field> file_fields(ProfileDraft::File& file);
  std::vector<Field> tune_fields();

 private:
  void complain(const Node& at, const std::string& text) { draft_.problems.add(at, text); }
  std::string read_line(const Node& node, std::string_view what) {
    return yaml::read_line(node, what, draft_.problems);
  }
  bool needs_files() const;
  std::vector<std::string> read_lines(const Node& node, std::string_view what);
  bool check_package_name(const Node& at, const std::string& name);
  std::string read_profile_name(const Node& node, std::string_view what);
  void read_base(const Node& node);
  void read_generations(const Node& node);
  void read_snapshot(const Node& node);
  void read_packages(const Node& node);
  void read_files(const Node& node);
  void read_file_name(const Node& node, ProfileDraft::File& file);
  void read_partners(const Node& node);
  void read_requirements(const Node& node);
  void read_environment(const Node& node);
  std::vector<Dependency> read_dependencies(const Node& node, std::string_view what);
  Reason read_reason(const Node& node);
  std::optional<unsigned> read_watts(const Node& node);

  ProfileDraft& draft_;
  Profile& profile_;
};

std::vector<std::string> Reader::read_lines(const Node& node, std::string_view what) {
  std::vector<std::string> lines;
  for (const auto* item : yaml::read_words(node, what, draft_.problems))
    lines.push_back(read_line(*item, tr("an entry of {}", what)));
  return lines;
}

bool Reader::check_package_name(const Node& at, const std::string& name) {
  if (!is_package_name(name))
    complain(at, tr("'{}' is no package name", name));
  else if (is_foundation(name))
    complain(at, tr("'{}' must stay as the system has it: a profile never moves {}", name,
                    tr_text("gcc, gcc-libs, glibc or pacman")));
  else
    return true;
  return false;
}

std::string Reader::read_profile_name(const Node& node, std::string_view what) {
  auto name = read_line(node, what);
  if (!name.empty() && !is_profile_name(name))
    complain(node, tr("'{}' is no profile name: lower-case letters, digits, '.', '+' and '-'", name));
  return name;
}

void Reader::read_base(const Node& node) {
  draft_.base = read_profile_name(node, "'extends'");
  if (!is_profile_name(draft_.base)) draft_.base.clear();
  draft_.base_line = node.line;
  draft_.base_column = node.column;
}

void Reader::read_generations(const Node& node) {
  const auto known = generation_names();
  for (const auto* item : yaml::read_words(node, "'generations'", draft_.problems)) {
    if (!contains(known, item->scalar)) {
      const auto nearest = closest(item->scalar, known);
      complain(*item, tr("unknown generation '{}', {}", item->scalar,
                         nearest.empty() ? tr("known are {}", join(known, ", "))
                                         : tr("did you mean '{}'?", nearest)));
    } else if (contains(profile_.generations, item->scalar)) {
      complain(*item, tr("generation '{}' is given twice", item->scalar));
    }
    profile_.generations.push_back(item->scalar);
  }
  if (node.kind == Node::Kind::sequence && node.items.empty())
    complain(node, tr_text("'generations' is empty"));
}

void Reader::read_snapshot(const Node& node) {
  profile_.snapshot = read_line(node, "'snapshot'");
  if (!profile_.snapshot.empty() && !is_date(profile_.snapshot))
    complain(node, tr("'{}' is no day of the calendar (YYYY-MM-DD)", profile_.snapshot));
}

void Reader::read_packages(const Node& node) {
  if (node.kind != Node::Kind::mapping || node.entries.empty()) {
    complain(node, tr_text("'packages' must be a mapping of names to versions"));
    return;
  }
  for (const auto& [key, value] : node.entries) {
    ProfileDraft::Pin pin{
        .name = key.scalar, .version = {}, .range = {}, .line = key.line, .column = key.column};
    const bool is_allowed = check_package_name(key, pin.name);
    const auto text = read_line(value, tr("the version of '{}'", pin.name));
    if (const auto problem = version_problem(pin.name, text); text.empty() || !is_allowed) {
      // said already
    } else if (!problem.empty()) {
      complain(value, problem);
    } else {
      pin.version = Version::parse(text);
      if (!pin.version) pin.range = VersionRange::parse(text);
    }
    draft_.pins.push_back(std::move(pin));
  }
}

void Reader::read_file_name(const Node& node, ProfileDraft::File& file) {
  auto& package = file.package;
  file.line = node.line;
  file.column = node.column;
  if (!read_package_file(node, package, draft_.problems)) return;
  if (const auto* first = draft_.find_file(package.name))
    complain(node, tr("a second file for '{}', the first is at line {}", package.name, first->line));
}

std::vector<Field> Reader::file_fields(ProfileDraft::File& file) {
  auto fields = package_fields(file.package, draft_.problems);
  fields.insert(fields.begin(), {"file", true, [&](const Node& node) { read_file_name(node, file); }});
  return fields;
}

void Reader::read_files(const Node& node) {
  draft_.has_files = true;
  if (node.kind != Node::Kind::sequence)
    complain(node, tr_text("'files' must be a list, one entry for each package"));
  for (const auto& item : node.items) {
    ProfileDraft::File file{
        .package = {.name = {}, .version = *Version::parse("0-1")}, .line = item.line, .column = item.column};
    yaml::read_mapping(item, tr_text("a file"), file_fields(file), draft_.problems);
    if (file.package.name.empty())
      draft_.has_bad_file = true;
    else if (!draft_.find_file(file.package.name))
      draft_.files.push_back(std::move(file));
  }
}

void Reader::read_partners(const Node& node) {
  for (const auto* item : yaml::read_words(node, "'pin_if_installed'", draft_.problems)) {
    if (check_package_name(*item, item->scalar) && draft_.find_pin(item->scalar))
      complain(*item, tr("'{}' is in 'packages' already", item->scalar));
    profile_.pin_if_installed.push_back(item->scalar);
  }
}

void Reader::read_requirements(const Node& node) {
  if (node.kind != Node::Kind::mapping)
    complain(node, tr_text("'requires' must be a mapping of names to versions"));
  for (const auto& [key, value] : node.entries) {
    const auto bound = read_line(value, tr("the bound of '{}'", key.scalar));
    auto requirement = whole_dependency(key.scalar + bound);
    if (bound.empty()) continue;
    if (!requirement || requirement->name != key.scalar)
      complain(value, tr("'{}' is no bound, give one like \">=450.80.02\"", bound));
    else
      profile_.requirements.push_back(std::move(*requirement));
  }
}

void Reader::read_environment(const Node& node) {
  if (node.kind != Node::Kind::mapping)
    complain(node, tr_text("'environment' must be a mapping of names to values"));
  for (const auto& [key, value] : node.entries) {
    if (!is_variable(key.scalar))
      complain(key, tr("'{}' is no variable: upper-case letters, digits and '_'", key.scalar));
    else if (is_loading_variable(key.scalar))
      complain(key, tr("a profile never sets '{}'", key.scalar));
    profile_.environment.emplace_back(key.scalar, read_line(value, tr("the value of '{}'", key.scalar)));
  }
}

/// Only a bound against a slip of the pen: the card itself says what it takes.
std::optional<unsigned> Reader::read_watts(const Node& node) {
  constexpr unsigned most = 10000;
  unsigned watts = 0;
  const auto& text = node.scalar;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), watts);
  if (error == std::errc{} && end == text.data() + text.size() && watts > 0 && watts <= most) return watts;
  complain(node, tr("'power_limit' must be a number of watts, 1 to {}", most));
  return std::nullopt;
}

std::vector<Field> Reader::tune_fields() {
  return {
      {"persistence", false,
       [&](const Node& node) {
         profile_.tune.persistence = yaml::read_truth(node, "'persistence'", draft_.problems);
       }},
      {"power_limit", false, [&](const Node& node) { profile_.tune.power_limit = read_watts(node); }},
  };
}

bool Reader::needs_files() const {
  return draft_.base_line == 0 &&
         (draft_.pins.empty() ||
          std::ranges::any_of(draft_.pins, [](const auto& pin) { return !pin.range; }));
}

std::vector<Field> Reader::profile_fields() {
  const bool is_whole = draft_.base_line == 0;
  return {
      {"name", true, [&](const Node& node) { profile_.name = read_profile_name(node, "'name'"); }},
      {"summary", is_whole, [&](const Node& node) { profile_.summary = read_line(node, "'summary'"); }},
      {"reason", is_whole,
       [&](const Node& node) { profile_.reason = yaml::read_text(node, "'reason'", draft_.problems); }},
      {"generations", is_whole, [&](const Node& node) { read_generations(node); }},
      {"snapshot", false, [&](const Node& node) { read_snapshot(node); }},
      {"packages", is_whole, [](const Node&) {}},  // read first: others refer to it
      {"files", needs_files(), [&](const Node& node) { read_files(node); }},
      {"pin_if_installed", false, [&](const Node& node) { read_partners(node); }},
      {"requires", false, [&](const Node& node) { read_requirements(node); }},
      {"environment", false, [&](const Node& node) { read_environment(node); }},
      {"tune", false,
       [&](const Node& node) { yaml::read_mapping(node, "'tune'", tune_fields(), draft_.problems); }},
      {"unverified", false,
       [&](const Node& node) { profile_.unverified = read_lines(node, "'unverified'"); }},
      {"extends", false, [](const Node&) {}},  // read first: it decides what must be there
  };
}

void Reader::read(const Node& root) {
  if (const auto* base = root.find("extends")) read_base(*base);
  if (const auto* packages = root.find("packages")) read_packages(*packages);
  yaml::read_mapping(root, tr_text("a profile"), profile_fields(), draft_.problems);
}

std::vector<std::string> keys_of(const std::vector<Field>& fields) {
  std::vector<std::string> keys;
  for (const auto& field : fields) keys.push_back(field.key);
  return keys;
}

}  // namespace

ProfileDraft read_profile_draft(std::string_view text, const std::string& origin) {
  ProfileDraft draft(origin);
  Reader(draft).read(yaml::parse(text, origin, "man cudapin-profile"));
  return draft;
}

std::vector<std::string> profile_keys() {
  ProfileDraft draft("");
  return keys_of(Reader(draft).profile_fields());
}

std::vector<std::string> profile_tune_keys() {
  ProfileDraft draft("");
  return keys_of(Reader(draft).tune_fields());
}

std::vector<std::string> profile_file_keys() {
  ProfileDraft draft("");
  ProfileDraft::File file{.package = {.name = {}, .version = *Version::parse("0-1")}, .line = 0, .column = 0};
  return keys_of(Reader(draft).file_fields(file));
}

}  // namespace cudapin
