// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/leaving.hpp"

#include "core/error.hpp"
#include "core/leaving_libraries.hpp"
#include "core/package_class.hpp"
#include "system/elf.hpp"
#include "system/package_file.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// What the file brings, where it is here; a damaged one is for the verification to refuse.
std::optional<std::set<std::string>> libraries_in(const std::string& source) try {
  if (source.empty() || source.find("://") != source.npos) return std::nullopt;
  return library_names(paths_in_package(source));
} catch (const Error&) {
  return std::nullopt;
}

std::vector<ChangedLibraries> changed_libraries(const LocalDatabase& database, const Plan& plan) {
  std::vector<ChangedLibraries> changed;
  for (const auto& action : plan.actions) {
    if (action.kind == ActionKind::keep) continue;
    const auto after = libraries_in(action.source);
    ChangedLibraries one{.package = action.name + " " + action.from,
                         .before = {},
                         .after = after.value_or(std::set<std::string>{}),
                         .is_certain = action.kind == ActionKind::remove || after};
    if (!action.from.empty()) one.before = library_names(database.files(action.name));
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
