// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/leaving.hpp"

#include "core/leaving_libraries.hpp"
#include "core/package_class.hpp"
#include "system/elf.hpp"
#include "system/package_file.hpp"

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool is_here(const std::string& source) { return !source.empty() && source.find("://") == source.npos; }

std::vector<ChangedLibraries> changed_libraries(const LocalDatabase& database, const Plan& plan) {
  std::vector<ChangedLibraries> changed;
  for (const auto& action : plan.actions) {
    if (action.kind == ActionKind::keep) continue;
    ChangedLibraries one{.package = action.name + " " + action.from, .before = {}, .after = {}};
    if (!action.from.empty()) one.before = library_names(database.files(action.name));
    one.is_certain = action.kind == ActionKind::remove || is_here(action.source);
    if (is_here(action.source)) one.after = library_names(paths_in_package(action.source));
    if (!one.is_certain) keep_those_of_the_version(one.before, action.from, action.to);
    if (!one.before.empty() || !one.after.empty()) changed.push_back(std::move(one));
  }
  return changed;
}

/// What the changed packages are and provide.
std::set<std::string> changing_names(const Plan& plan, std::span<const Package> installed) {
  std::set<std::string> names;
  for (const auto& action : plan.actions)
    if (action.kind != ActionKind::keep) names.insert(action.name);
  for (const auto& package : installed)
    if (names.count(package.name))
      for (const auto& provision : package.provides) names.insert(provision.name);
  return names;
}

bool may_use(const Package& package, const std::set<std::string>& changing) {
  return class_of(package.name) == PackageClass::framework ||
         std::ranges::any_of(package.depends,
                             [&](const Dependency& wanted) { return changing.count(wanted.name) != 0; });
}

bool may_be_program(const std::string& path) {
  return path.find(".so") != path.npos || path.starts_with("usr/bin/") || path.starts_with("opt/");
}

LibraryUser user_of(const PacmanConf& conf, const LocalDatabase& database, const Package& package) {
  const auto files = database.files(package.name);
  LibraryUser user{package.name, package.version, {}, library_names(files)};
  for (const auto& path : files) {
    if (path.ends_with('/') || !may_be_program(path)) continue;
    for (auto& library : needed_libraries(conf.root / path)) user.needs.insert(std::move(library));
  }
  return user;
}

}  // namespace

std::vector<Finding> leaving_findings(const PacmanConf& conf, const LocalDatabase& database, const Plan& plan,
                                      std::span<const Package> installed) {
  const auto changed = changed_libraries(database, plan);
  if (changed.empty()) return {};
  const auto changing = changing_names(plan, installed);
  std::vector<LibraryUser> users;
  for (const auto& package : installed)
    if (may_use(package, changing) &&
        std::ranges::find(plan.actions, package.name, &Action::name) == plan.actions.end())
      users.push_back(user_of(conf, database, package));
  return judge_leaving(changed, users);
}

}  // namespace cudapin
