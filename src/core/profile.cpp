// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile.hpp"

#include "core/compatibility.hpp"
#include "core/fields.hpp"
#include "core/profile_words.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cudapin {

const ProfilePackage* Profile::find(std::string_view package) const {
  const auto found = std::ranges::find(packages, package, &ProfilePackage::name);
  return found == packages.end() ? nullptr : &*found;
}

namespace {

using yaml::Field;
using yaml::Node;

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

class Reader {
 public:
  explicit Reader(const std::string& origin) : problems_(origin) { profile_.origin = origin; }

  Profile read(const Node& root);

 private:
  /// One line of `packages`, until its file is found.
  struct Pin {
    std::string name;
    std::optional<Version> version;
    const Node* at;
    const Node* file = nullptr;
  };

  void complain(const Node& at, const std::string& text) { problems_.add(at, text); }
  std::string read_line(const Node& node, std::string_view what) {
    return yaml::read_line(node, what, problems_);
  }
  std::vector<std::string> read_lines(const Node& node, std::string_view what);
  bool check_package_name(const Node& at, const std::string& name);
  void read_name(const Node& node);
  void read_generations(const Node& node);
  void read_snapshot(const Node& node);
  void read_packages(const Node& node);
  void read_files(const Node& node);
  void read_file(const Node& node);
  void read_partners(const Node& node);
  void read_requirements(const Node& node);
  void read_environment(const Node& node);
  std::vector<Dependency> read_dependencies(const Node& node, std::string_view what);
  Reason read_reason(const Node& node);
  bool belongs(const PackageFileName& name, const Node& at);
  void check_whole(const Node& root);

  yaml::Problems problems_;
  Profile profile_;
  std::vector<Pin> pins_;
  bool has_bad_file_ = false;
};

std::vector<std::string> Reader::read_lines(const Node& node, std::string_view what) {
  std::vector<std::string> lines;
  for (const auto* item : yaml::read_words(node, what, problems_))
    lines.push_back(read_line(*item, fmt::format("an entry of {}", what)));
  return lines;
}

bool Reader::check_package_name(const Node& at, const std::string& name) {
  if (!is_package_name(name))
    complain(at, fmt::format("'{}' is no package name", name));
  else if (is_foundation(name))
    complain(at, fmt::format("'{}' must stay as the system has it: a profile never moves {}", name,
                             "gcc, gcc-libs, glibc or pacman"));
  else
    return true;
  return false;
}

void Reader::read_name(const Node& node) {
  profile_.name = read_line(node, "'name'");
  if (!profile_.name.empty() && !is_profile_name(profile_.name))
    complain(node, fmt::format("'{}' is no profile name: lower-case letters, digits, '.', '+' and '-'",
                               profile_.name));
}

void Reader::read_generations(const Node& node) {
  const auto known = generation_names();
  for (const auto* item : yaml::read_words(node, "'generations'", problems_)) {
    if (!contains(known, item->scalar)) {
      const auto nearest = closest(item->scalar, known);
      complain(*item, fmt::format("unknown generation '{}', {}", item->scalar,
                                  nearest.empty() ? "known are " + join(known, ", ")
                                                  : fmt::format("did you mean '{}'?", nearest)));
    } else if (contains(profile_.generations, item->scalar)) {
      complain(*item, fmt::format("generation '{}' is given twice", item->scalar));
    }
    profile_.generations.push_back(item->scalar);
  }
  if (node.kind == Node::Kind::sequence && node.items.empty()) complain(node, "'generations' is empty");
}

void Reader::read_snapshot(const Node& node) {
  profile_.snapshot = read_line(node, "'snapshot'");
  if (!profile_.snapshot.empty() && !is_date(profile_.snapshot))
    complain(node, fmt::format("'{}' is no day of the calendar (YYYY-MM-DD)", profile_.snapshot));
}

void Reader::read_packages(const Node& node) {
  if (node.kind != Node::Kind::mapping || node.entries.empty()) {
    complain(node, "'packages' must be a mapping of names to versions");
    return;
  }
  for (const auto& [key, value] : node.entries) {
    Pin pin{.name = key.scalar, .version = {}, .at = &key};
    const bool is_allowed = check_package_name(key, pin.name);
    const auto text = read_line(value, fmt::format("the version of '{}'", pin.name));
    if (const auto problem = version_problem(pin.name, text); text.empty() || !is_allowed) {
      // said already
    } else if (!problem.empty()) {
      complain(value, problem);
    } else {
      pin.version = Version::parse(text);
    }
    pins_.push_back(std::move(pin));
  }
}

std::vector<Dependency> Reader::read_dependencies(const Node& node, std::string_view what) {
  std::vector<Dependency> dependencies;
  for (const auto* item : yaml::read_words(node, what, problems_)) {
    if (auto dependency = whole_dependency(item->scalar))
      dependencies.push_back(std::move(*dependency));
    else
      complain(*item, fmt::format("'{}' is no dependency (name, or name>=version)", item->scalar));
  }
  return dependencies;
}

Reason Reader::read_reason(const Node& node) {
  if (node.scalar != "dependency" && node.scalar != "explicit")
    complain(node, "'as' must be 'dependency' or 'explicit'");
  return node.scalar == "dependency" ? Reason::dependency : Reason::explicitly;
}

/// `node` is one entry of `files`; `packages` was read before.
void Reader::read_file(const Node& node) {
  std::optional<PackageFileName> name;
  ProfilePackage package{.name = {}, .version = *Version::parse("0-1")};
  const auto read_file_name = [&](const Node& value) {
    package.file = read_line(value, "'file'");
    name = parse_file_name(package.file);
    if (!name && !package.file.empty())
      complain(value, fmt::format("'{}' is no package file name", package.file));
    if (name && !belongs(*name, value)) name.reset();
  };
  const std::array fields{
      Field{"file", true, read_file_name},
      Field{"depends", true, [&](const Node& n) { package.depends = read_dependencies(n, "'depends'"); }},
      Field{"provides", false, [&](const Node& n) { package.provides = read_dependencies(n, "'provides'"); }},
      Field{"conflicts", false,
            [&](const Node& n) { package.conflicts = read_dependencies(n, "'conflicts'"); }},
      Field{"as", false, [&](const Node& n) { package.reason = read_reason(n); }},
  };
  yaml::read_mapping(node, "a file", fields, problems_);
  has_bad_file_ = has_bad_file_ || !name;
  if (!name) return;
  package.name = name->name;
  package.version = name->version;
  profile_.packages.push_back(std::move(package));
}

/// Whether a file is the one that `packages` asks for.
bool Reader::belongs(const PackageFileName& name, const Node& at) {
  const auto pin = std::ranges::find(pins_, name.name, &Pin::name);
  if (pin == pins_.end()) {
    complain(at, fmt::format("'{}' is a file of '{}', which is not in 'packages'", name.text(), name.name));
    return false;
  }
  if (pin->file)
    complain(at, fmt::format("a second file for '{}', the first is at line {}", name.name, pin->file->line));
  else if (pin->version && pin->version->text() != name.version.text())
    complain(at, fmt::format("'{}' is version {}, but 'packages' has {}", name.text(), name.version.text(),
                             pin->version->text()));
  pin->file = &at;
  return true;
}

void Reader::read_files(const Node& node) {
  if (node.kind != Node::Kind::sequence) complain(node, "'files' must be a list, one entry for each package");
  for (const auto& item : node.items) read_file(item);
}

void Reader::read_partners(const Node& node) {
  for (const auto* item : yaml::read_words(node, "'pin_if_installed'", problems_)) {
    if (check_package_name(*item, item->scalar) && std::ranges::count(pins_, item->scalar, &Pin::name) > 0)
      complain(*item, fmt::format("'{}' is in 'packages' already", item->scalar));
    profile_.pin_if_installed.push_back(item->scalar);
  }
}

void Reader::read_requirements(const Node& node) {
  if (node.kind != Node::Kind::mapping) complain(node, "'requires' must be a mapping of names to versions");
  for (const auto& [key, value] : node.entries) {
    const auto bound = read_line(value, fmt::format("the bound of '{}'", key.scalar));
    auto requirement = whole_dependency(key.scalar + bound);
    if (bound.empty()) continue;
    if (!requirement || requirement->name != key.scalar)
      complain(value, fmt::format("'{}' is no bound, give one like \">=450.80.02\"", bound));
    else
      profile_.requirements.push_back(std::move(*requirement));
  }
}

void Reader::read_environment(const Node& node) {
  if (node.kind != Node::Kind::mapping) complain(node, "'environment' must be a mapping of names to values");
  for (const auto& [key, value] : node.entries) {
    if (!is_variable(key.scalar))
      complain(key, fmt::format("'{}' is no variable: upper-case letters, digits and '_'", key.scalar));
    else if (is_loading_variable(key.scalar))
      complain(key, fmt::format("a profile never sets '{}'", key.scalar));
    profile_.environment.emplace_back(key.scalar,
                                      read_line(value, fmt::format("the value of '{}'", key.scalar)));
  }
}

/// What only shows when everything is read; puts the packages into the order of `packages`.
void Reader::check_whole(const Node& root) {
  if (root.find("files") && !has_bad_file_)
    for (const auto& pin : pins_)
      if (!pin.file) complain(*pin.at, fmt::format("'{}' has no entry in 'files'", pin.name));
  const auto place = [&](const ProfilePackage& package) {
    return std::ranges::find(pins_, package.name, &Pin::name) - pins_.begin();
  };
  std::ranges::stable_sort(profile_.packages, {}, place);
}

Profile Reader::read(const Node& root) {
  const auto refuse_extends = [&](const Node& node) {
    complain(node, "'extends' is not supported: name every package with its exact version");
  };
  if (const auto* packages = root.find("packages")) read_packages(*packages);
  const std::array fields{
      Field{"name", true, [&](const Node& node) { read_name(node); }},
      Field{"summary", true, [&](const Node& node) { profile_.summary = read_line(node, "'summary'"); }},
      Field{"reason", true,
            [&](const Node& node) { profile_.reason = yaml::read_text(node, "'reason'", problems_); }},
      Field{"generations", true, [&](const Node& node) { read_generations(node); }},
      Field{"snapshot", false, [&](const Node& node) { read_snapshot(node); }},
      Field{"packages", true, [](const Node&) {}},  // read first: others refer to it
      Field{"files", true, [&](const Node& node) { read_files(node); }},
      Field{"pin_if_installed", false, [&](const Node& node) { read_partners(node); }},
      Field{"requires", false, [&](const Node& node) { read_requirements(node); }},
      Field{"environment", false, [&](const Node& node) { read_environment(node); }},
      Field{"unverified", false,
            [&](const Node& node) { profile_.unverified = read_lines(node, "'unverified'"); }},
      Field{"extends", false, refuse_extends},
  };
  yaml::read_mapping(root, "a profile", fields, problems_);
  check_whole(root);
  problems_.throw_if_any("man cudapin-profile");
  return std::move(profile_);
}

}  // namespace

Profile parse_profile(std::string_view text, const std::string& origin) {
  const auto root = yaml::parse(text, origin);
  return Reader(origin).read(root);
}

}  // namespace cudapin
