// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/modules.hpp"

#include "core/error.hpp"
#include "core/module_rules.hpp"
#include "core/package_class.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/examine.hpp"
#include "system/machine.hpp"
#include "system/package_file.hpp"

#include <algorithm>

namespace cudapin {

namespace {

/// The releases that `name` has once the fetched packages are installed.
std::set<std::string> releases_after(const std::string& name, const LocalDatabase& database,
                                     std::span<const JournalPackage> packages) {
  const auto fetched = std::ranges::find(packages, name, &JournalPackage::name);
  if (fetched == packages.end()) return kernel_releases(database.files(name));
  return fetched->file.empty() ? std::set<std::string>{} : kernel_releases(paths_in_package(fetched->file));
}

bool share_one(const std::set<std::string>& some, const std::set<std::string>& others) {
  return std::ranges::any_of(some, [&](const std::string& one) { return others.count(one) != 0; });
}

std::string listed(const std::set<std::string>& releases) {
  return printable(join(std::vector<std::string>(releases.begin(), releases.end()), ", "));
}

}  // namespace

void require_modules(const Profile& profile, std::span<const Package> installed) {
  const auto after = packages_after(profile, installed);
  auto problems = module_problems(profile, installed, after);
  std::ranges::move(driver_problems(installed, after), std::back_inserter(problems));
  if (!problems.empty())
    throw Error(join(problems, "\n"), tr("cudapin show {} lists what is in the profile", profile.name));
}

void require_matching_releases(const LocalDatabase& database, std::span<const JournalPackage> packages) {
  std::vector<std::string> problems;
  for (const auto& package : packages) {
    const std::string kernel(kernel_of_module(package.name));
    if (package.file.empty() || kernel.empty()) continue;
    const auto built_for = kernel_releases(paths_in_package(package.file));
    const auto there = releases_after(kernel, database, packages);
    if (!built_for.empty() && !there.empty() && !share_one(built_for, there))
      problems.push_back(tr("{} {} is built for kernel {}, and {} is {}", package.name, package.to,
                            listed(built_for), kernel, listed(there)));
  }
  if (!problems.empty())
    throw Error(join(problems, "\n"),
                tr_text("put that kernel into the profile, or nvidia-dkms in the module's place"));
}

void require_driver_of_host(const Host& host, const Plan& plan) {
  const auto container = container_of(host);
  const auto loaded = container.empty() ? std::string() : inspect_machine(host).driver_loaded;
  if (loaded.empty()) return;
  for (const auto& action : plan.actions)
    if (action.name == "nvidia-utils" && needs_file(action) &&
        Version::parse(action.to)->upstream() != loaded)
      throw Error(
          tr("this is a {} container and its host has the driver {}: nvidia-utils {} would not work with it",
             container, loaded, action.to),
          tr("cudapin versions nvidia-utils, for one of {}", loaded));
}

}  // namespace cudapin
