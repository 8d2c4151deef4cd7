// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module_rules.hpp"

#include "core/family.hpp"
#include "core/package_class.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace {

const Package* find_named(std::span<const Package> packages, std::string_view name) {
  const auto found = std::ranges::find(packages, name, &Package::name);
  return found == packages.end() ? nullptr : &*found;
}

bool is_kernel(const Package& package) {
  return class_of(package.name) == PackageClass::kernel && kernel_of_module(package.name).empty() &&
         !package.name.ends_with("-headers") && !package.name.ends_with("-docs") &&
         !package.name.ends_with("-meta");
}

bool is_dkms(const Package& package) {
  return package.name.find("nvidia") != std::string::npos && package.name.ends_with("-dkms");
}

/// The package that has the module for this kernel ready-made, or null.
const Package* module_for(std::span<const Package> packages, const std::string& kernel) {
  const auto found = std::ranges::find_if(
      packages, [&](const Package& package) { return kernel_of_module(package.name) == kernel; });
  return found == packages.end() ? nullptr : &*found;
}

bool moves_driver(const Profile& profile) {
  return std::ranges::any_of(profile.packages, [](const ProfilePackage& package) {
    return class_of(package.name) == PackageClass::driver && package.name.find("utils") != std::string::npos;
  });
}

std::string version_of(std::span<const Package> packages, const std::string& name) {
  const auto* found = find_named(packages, name);
  return found ? found->version : "";
}

std::string dkms_problem(const Package& kernel, std::span<const Package> after) {
  const auto headers = kernel.name + "-headers";
  const auto version = version_of(after, headers);
  if (version.empty())
    return fmt::format(
        "{} would have no driver: DKMS builds it from {}, which is not installed; 'pacman -S {}' brings it",
        kernel.name, headers, headers);
  if (version != kernel.version)
    return fmt::format(
        "{} {} would have no driver: DKMS builds from headers of its own version, and {} is {}", kernel.name,
        kernel.version, headers, version);
  return {};
}

/// A ready-made module goes with the kernel that it was built for: they move together or not at all.
std::string module_problem(const Package& kernel, const Package& module, std::span<const Package> before,
                           std::span<const Package> after) {
  const bool module_moves = version_of(before, module.name) != module.version;
  const bool kernel_moves = version_of(before, kernel.name) != version_of(after, kernel.name);
  if (module_moves == kernel_moves) return {};
  return fmt::format(
      "{} {} was not built for {} {}; put the kernel of its day into the profile, or nvidia-dkms with "
      "{}-headers in "
      "its place",
      module.name, module.version, kernel.name, kernel.version, kernel.name);
}

}  // namespace

std::vector<std::string> module_problems(const Profile& profile, std::span<const Package> before,
                                         std::span<const Package> after) {
  std::vector<std::string> problems;
  if (!moves_driver(profile)) return problems;
  const bool has_dkms = std::ranges::any_of(after, is_dkms);
  for (const auto& kernel : after) {
    if (!is_kernel(kernel)) continue;
    const auto* module = module_for(after, kernel.name);
    const bool had = module_for(before, kernel.name) || std::ranges::any_of(before, is_dkms);
    std::string problem;
    if (module)
      problem = module_problem(kernel, *module, before, after);
    else if (has_dkms)
      problem = dkms_problem(kernel, after);
    else if (had)
      problem = fmt::format(
          "{} would have no driver; put nvidia-dkms with {}-headers into the profile, or a module package "
          "for it",
          kernel.name, kernel.name);
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace cudapin
