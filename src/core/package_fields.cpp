// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/package_fields.hpp"

#include "core/profile_words.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

namespace cudapin {

namespace {

using yaml::Field;
using yaml::Node;
using yaml::Problems;

std::vector<Dependency> read_dependencies(const Node& node, std::string_view what, Problems& problems) {
  std::vector<Dependency> dependencies;
  for (const auto* item : yaml::read_words(node, what, problems)) {
    if (auto dependency = whole_dependency(item->scalar))
      dependencies.push_back(std::move(*dependency));
    else
      problems.add(*item, tr("'{}' is no dependency (name, or name>=version)", item->scalar));
  }
  return dependencies;
}

Reason read_reason(const Node& node, Problems& problems) {
  if (node.scalar != "dependency" && node.scalar != "explicit")
    problems.add(node, tr_text("'as' must be 'dependency' or 'explicit'"));
  return node.scalar == "dependency" ? Reason::dependency : Reason::explicitly;
}

}  // namespace

std::vector<Field> package_fields(ProfilePackage& package, Problems& problems) {
  const auto list = [&problems](const char* key, bool required, std::vector<Dependency>& target) {
    return Field{key, required, [key, &target, &problems](const Node& node) {
                   target = read_dependencies(node, fmt::format("'{}'", key), problems);
                 }};
  };
  return {
      list("depends", true, package.depends),
      list("provides", false, package.provides),
      list("conflicts", false, package.conflicts),
      list("replaces", false, package.replaces),
      {"as", false,
       [&package, &problems](const Node& node) { package.reason = read_reason(node, problems); }},
      {"only_if_installed", false,
       [&package, &problems](const Node& node) {
         package.only_if_installed = yaml::read_truth(node, "'only_if_installed'", problems);
       }},
  };
}

bool read_package_file(const Node& node, ProfilePackage& package, Problems& problems) {
  package.file = yaml::read_line(node, "'file'", problems);
  const auto name = parse_file_name(package.file);
  if (!name && !package.file.empty()) problems.add(node, tr("'{}' is no package file name", package.file));
  if (!name) return false;
  package.name = name->name;
  package.version = name->version;
  return true;
}

}  // namespace cudapin
