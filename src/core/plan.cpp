// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cudapin {

namespace {

Package as_package(const ProfilePackage& wanted) {
  return {.name = wanted.name,
          .version = wanted.version.text(),
          .depends = wanted.depends,
          .provides = wanted.provides,
          .conflicts = wanted.conflicts};
}

/// The installed packages with the profile's in their places.
std::vector<Package> packages_after(const Profile& profile, std::span<const Package> installed) {
  std::vector<Package> after;
  for (const auto& package : installed)
    if (!profile.find(package.name)) after.push_back(package);
  for (const auto& wanted : profile.packages) after.push_back(as_package(wanted));
  return after;
}

std::string label(const Package& package) { return package.name + " " + package.version; }

void add_unmet(const Package& package, std::span<const Package> after, std::vector<std::string>& problems) {
  for (const auto& wanted : package.depends)
    if (!find_satisfier(after, wanted))
      problems.push_back(
          fmt::format("{} needs '{}', which no installed package and none of the profile provides",
                      label(package), wanted.text()));
}

/// Only what is satisfied now counts: a package that was broken before is not the profile's doing.
void add_broken(const Package& package, std::span<const Package> before, std::span<const Package> after,
                std::vector<std::string>& problems) {
  for (const auto& wanted : package.depends) {
    if (find_satisfier(after, wanted)) continue;
    if (const auto* lost = find_satisfier(before, wanted))
      problems.push_back(
          fmt::format("the installed {} needs '{}', which {} provides now and the profile takes away",
                      label(package), wanted.text(), label(*lost)));
  }
}

void add_conflicts(const Package& package, std::span<const Package> after,
                   std::vector<std::string>& problems) {
  for (const auto& conflict : package.conflicts)
    for (const auto& other : after)
      if (other.name != package.name && satisfies(other, conflict))
        problems.push_back(
            fmt::format("{} and {} cannot be installed together", label(package), label(other)));
}

ActionKind kind_of(const Package* now, const ProfilePackage& wanted) {
  if (!now) return ActionKind::install;
  const int order = compare_versions(wanted.version.text(), now->version);
  return order == 0 ? ActionKind::keep : order > 0 ? ActionKind::upgrade : ActionKind::downgrade;
}

const Package* find_named(std::span<const Package> installed, std::string_view name) {
  const auto found = std::ranges::find(installed, name, &Package::name);
  return found == installed.end() ? nullptr : &*found;
}

Action plan_one(const ProfilePackage& wanted, std::span<const Package> installed) {
  const auto* now = find_named(installed, wanted.name);
  return {.kind = kind_of(now, wanted),
          .name = wanted.name,
          .from = now ? now->version : "",
          .to = wanted.version.text(),
          .file = wanted.file,
          .reason = now ? now->reason : wanted.reason};
}

/// What is merely missing can be installed; what would break takes another profile.
std::string remedy(const Profile& profile, std::span<const Package> installed) {
  const auto after = packages_after(profile, installed);
  std::set<std::string> missing;
  for (const auto& wanted : profile.packages)
    for (const auto& dependency : wanted.depends)
      if (!find_satisfier(after, dependency)) missing.insert(dependency.name);
  const std::vector<std::string> names(missing.begin(), missing.end());
  return names.empty() ? "cudapin list shows the other profiles"
                       : "sudo pacman -S --asdeps " + join(names, " ");
}

}  // namespace

bool Plan::changes_packages() const {
  return std::ranges::any_of(actions, [](const Action& action) { return action.kind != ActionKind::keep; });
}

std::vector<std::string> dependency_problems(const Profile& profile, std::span<const Package> installed) {
  const auto after = packages_after(profile, installed);
  std::vector<std::string> problems;
  for (const auto& wanted : profile.packages) add_unmet(as_package(wanted), after, problems);
  for (const auto& package : installed)
    if (!profile.find(package.name)) add_broken(package, installed, after, problems);
  for (const auto& package : after)
    if (profile.find(package.name)) add_conflicts(package, after, problems);
  for (const auto& package : installed) {
    if (profile.find(package.name)) continue;
    for (const auto& conflict : package.conflicts)
      for (const auto& wanted : profile.packages)
        if (satisfies(as_package(wanted), conflict))
          problems.push_back(fmt::format("the installed {} refuses {} {}", label(package), wanted.name,
                                         wanted.version.text()));
  }
  return problems;
}

Plan make_plan(const Profile& profile, std::span<const Package> installed) {
  const auto problems = dependency_problems(profile, installed);
  if (!problems.empty()) throw Error(join(problems, "\n"), remedy(profile, installed));
  Plan plan{.profile = profile.name};
  std::set<std::string> pins;
  for (const auto& wanted : profile.packages) {
    plan.actions.push_back(plan_one(wanted, installed));
    pins.insert(wanted.name);
  }
  for (const auto& partner : profile.pin_if_installed)
    if (find_named(installed, partner)) pins.insert(partner);
  plan.pins.assign(pins.begin(), pins.end());
  return plan;
}

}  // namespace cudapin
