// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan.hpp"

#include "core/error.hpp"
#include "core/family.hpp"
#include "core/satisfiers.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <set>

namespace cudapin {

namespace {

/// Whether `wanted` takes the place of an installed package: they exclude each other, or the one says that it
/// replaces the other, and both are of one family.
bool displaces(const ProfilePackage& wanted, const Package& installed) {
  if (wanted.name == installed.name || !same_family(wanted.name, installed.name)) return false;
  const auto package = as_package(wanted);
  return refuses(package, installed) || refuses(installed, package) ||
         std::ranges::any_of(wanted.replaces, [&](const Dependency& replaced) {
           return replaced.name == installed.name && version_meets(replaced, installed.version);
         });
}

bool leaves(const Package& package, const Profile& profile) {
  if (std::ranges::find(profile.removals, package.name) != profile.removals.end()) return true;
  return !profile.find(package.name) &&
         std::ranges::any_of(profile.packages,
                             [&](const ProfilePackage& wanted) { return displaces(wanted, package); });
}

void add_unmet(const Package& package, const Satisfiers& after, std::vector<std::string>& problems) {
  for (const auto& wanted : package.depends)
    if (!after.find(wanted))
      problems.push_back(tr("{} needs '{}', which no installed package and none of the profile provides",
                            label(package), wanted.text()));
}

/// Only what is satisfied now counts: a package that was broken before is not the profile's doing.
void add_broken(const Package& package, const Satisfiers& before, const Satisfiers& after,
                std::vector<std::string>& problems) {
  for (const auto& wanted : package.depends) {
    if (after.find(wanted)) continue;
    if (const auto* lost = before.find(wanted))
      problems.push_back(
          tr("the installed {} needs '{}', which {} provides now and the profile takes away; let it go "
             "with --remove {}, or change the profile",
             label(package), wanted.text(), label(*lost), package.name));
  }
}

void add_conflicts(const Package& package, std::span<const Package> after,
                   std::vector<std::string>& problems) {
  for (const auto& other : after)
    if (refuses(package, other))
      problems.push_back(tr("{} and {} cannot be installed together", label(package), label(other)));
}

ActionKind kind_of(const Package* now, const ProfilePackage& wanted) {
  if (!now) return ActionKind::install;
  const int order = compare_versions(wanted.version.text(), now->version);
  return order == 0 ? ActionKind::keep : order > 0 ? ActionKind::upgrade : ActionKind::downgrade;
}

Action plan_one(const ProfilePackage& wanted, std::span<const Package> installed) {
  const auto* now = find_named(installed, wanted.name);
  return {.kind = kind_of(now, wanted),
          .name = wanted.name,
          .from = now ? now->version : "",
          .to = wanted.version.text(),
          .file = wanted.file,
          .size = wanted.size,
          .reason = now ? now->reason : wanted.reason};
}

/// What to install first, when nothing but missing packages is in the way.
std::string install_hint(const Profile& profile, std::span<const Package> installed) {
  const auto rest = untouched_by(profile, installed);
  std::set<std::string> missing;
  for (const auto& wanted : profile.packages)
    for (const auto& needed : wanted.depends) {
      const bool is_there =
          find_satisfier(rest, needed) || std::ranges::any_of(profile.packages, [&](auto& one) {
            return satisfies(as_package(one), needed);
          });
      if (!is_there && (!needed.op.empty() || needed.name.find(".so") != std::string::npos)) return {};
      if (!is_there) missing.insert(needed.name);
    }
  if (missing.empty()) return {};
  return "pacman -S --needed --asdeps " + join(std::vector<std::string>(missing.begin(), missing.end()), " ");
}

}  // namespace

bool needs_file(const Action& action) {
  return action.kind != ActionKind::keep && action.kind != ActionKind::remove;
}

bool Plan::changes_packages() const {
  return std::ranges::any_of(actions, [](const Action& action) { return action.kind != ActionKind::keep; });
}

std::vector<std::string> Plan::removals() const {
  std::vector<std::string> names;
  for (const auto& action : actions)
    if (action.kind == ActionKind::remove) names.push_back(action.name);
  return names;
}

std::vector<Package> untouched_by(const Profile& profile, std::span<const Package> installed) {
  std::vector<Package> rest;
  for (const auto& package : installed)
    if (!profile.find(package.name) && !leaves(package, profile)) rest.push_back(package);
  return rest;
}

std::vector<Package> packages_after(const Profile& whole, std::span<const Package> installed) {
  const auto profile = for_installed(whole, installed);
  auto after = untouched_by(profile, installed);
  for (const auto& wanted : profile.packages) after.push_back(as_package(wanted));
  return after;
}

std::vector<std::string> dependency_problems(const Profile& whole, std::span<const Package> installed) {
  const auto profile = for_installed(whole, installed);
  const auto rest = untouched_by(profile, installed);
  const auto after = packages_after(profile, installed);
  const Satisfiers before(installed);
  const Satisfiers satisfiers(after);
  std::vector<std::string> problems;
  for (const auto& wanted : profile.packages) add_unmet(as_package(wanted), satisfiers, problems);
  for (const auto& package : rest) add_broken(package, before, satisfiers, problems);
  for (const auto& wanted : profile.packages) add_conflicts(as_package(wanted), after, problems);
  for (const auto& package : rest)
    for (const auto& wanted : profile.packages)
      if (refuses(package, as_package(wanted)))
        problems.push_back(
            tr("the installed {} refuses {} {}", label(package), wanted.name, wanted.version.text()));
  return problems;
}

Plan make_plan(const Profile& whole, std::span<const Package> installed) {
  const auto profile = for_installed(whole, installed);
  require_exact_versions(profile);
  if (const auto problems = dependency_problems(profile, installed); !problems.empty()) {
    const auto hint = install_hint(profile, installed);
    throw Error(join(problems, "\n"),
                hint.empty() ? tr("cudapin show {} lists what the profile needs", profile.name) : hint);
  }
  Plan plan{.profile = profile.name};
  std::set<std::string> pins;
  for (const auto& wanted : profile.packages) {
    plan.actions.push_back(plan_one(wanted, installed));
    if (wanted.is_pinned) pins.insert(wanted.name);
  }
  for (const auto& package : installed)
    if (leaves(package, profile))
      plan.actions.push_back({.kind = ActionKind::remove,
                              .name = package.name,
                              .from = package.version,
                              .reason = package.reason});
  for (const auto& partner : profile.pin_if_installed) {
    const auto* package = find_named(installed, partner);
    if (package && !leaves(*package, profile)) pins.insert(partner);
  }
  plan.pins.assign(pins.begin(), pins.end());
  return plan;
}

}  // namespace cudapin
