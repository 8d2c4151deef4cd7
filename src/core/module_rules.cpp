// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module_rules.hpp"

#include "core/package_class.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace cudapin {

namespace {

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

std::string version_of(std::span<const Package> packages, const std::string& name) {
  const auto* found = find_named(packages, name);
  return found ? found->version : "";
}

std::string dkms_problem(const Package& kernel, std::span<const Package> after) {
  const auto headers = kernel.name + "-headers";
  const auto version = version_of(after, headers);
  if (version.empty())
    return tr(
        "{} would have no driver: DKMS builds it from {}, which is not installed; 'pacman -S {}' brings it",
        kernel.name, headers, headers);
  if (version != kernel.version)
    return tr("{} {} would have no driver: DKMS builds from headers of its own version, and {} is {}",
              kernel.name, kernel.version, headers, version);
  return {};
}

/// A ready-made module goes with the kernel that it was built for: they move together or not at all, but for
/// a pair that the profile names.
std::string module_problem(const Profile& profile, const Package& kernel, const Package& module,
                           std::span<const Package> before) {
  const bool module_moves = version_of(before, module.name) != module.version;
  const bool kernel_moves = version_of(before, kernel.name) != kernel.version;
  const bool is_pair = profile.find(module.name) && profile.find(kernel.name);
  if (is_pair || module_moves == kernel_moves) return {};
  return tr(
      "{} {} was not built for {} {}; put the kernel of its day into the profile, or nvidia-dkms with "
      "{}-headers in its place",
      module.name, module.version, kernel.name, kernel.version, kernel.name);
}

bool is_driven(const Package& kernel, std::span<const Package> packages) {
  return module_for(packages, kernel.name) ||
         (std::ranges::any_of(packages, is_dkms) &&
          version_of(packages, kernel.name + "-headers") == version_of(packages, kernel.name));
}

bool has_driver(std::span<const Package> packages) {
  return find_satisfier(packages, {"nvidia-utils", "", ""}) != nullptr;
}

/// Whether the kernel must have a module afterwards: it has one now, or comes with the plan to a machine with
/// a driver.
bool needs_module(const Package& kernel, std::span<const Package> before) {
  const auto* now = find_named(before, kernel.name);
  return now ? is_driven(*now, before) : has_driver(before);
}

std::string kernel_problem(const Profile& profile, const Package& kernel, std::span<const Package> before,
                           std::span<const Package> after) {
  if (const auto* module = module_for(after, kernel.name))
    return module_problem(profile, kernel, *module, before);
  if (std::ranges::any_of(after, is_dkms)) return dkms_problem(kernel, after);
  return tr(
      "{} would have no driver; put nvidia-dkms with {}-headers into the profile, or a module "
      "package for it",
      kernel.name, kernel.name);
}

std::string upstream_of(const Package& package) {
  const auto version = Version::parse(package.version);
  return version ? version->upstream() : package.version;
}

bool differ(const Package* one, const Package* other) {
  return one && other && upstream_of(*one) != upstream_of(*other);
}

}  // namespace

std::vector<std::string> module_problems(const Profile& profile, std::span<const Package> before,
                                         std::span<const Package> after) {
  std::vector<std::string> problems;
  if (!has_driver(after)) return problems;
  std::vector<Package> kernels;
  std::ranges::copy_if(after, std::back_inserter(kernels), is_kernel);
  const bool none_is_driven =
      std::ranges::none_of(kernels, [&](const Package& kernel) { return is_driven(kernel, after); });
  const bool dkms_comes = std::ranges::any_of(after, is_dkms) && std::ranges::none_of(before, is_dkms);
  for (const auto& kernel : kernels) {
    const bool is_first = dkms_comes && none_is_driven;
    if (!is_first && !module_for(after, kernel.name) && !needs_module(kernel, before)) continue;
    auto problem = kernel_problem(profile, kernel, before, after);
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<std::string> driver_problems(std::span<const Package> before, std::span<const Package> after) {
  constexpr std::array<const char*, 3> parts{"opencl-nvidia", "lib32-nvidia-utils", "lib32-opencl-nvidia"};
  std::vector<std::string> problems;
  const auto* driver = find_named(after, "nvidia-utils");
  for (const auto* name : parts) {
    const auto* part = find_named(after, name);
    if (!differ(part, driver) || differ(find_named(before, name), find_named(before, "nvidia-utils")))
      continue;
    problems.push_back(
        tr("{} {} would not work with nvidia-utils {}: all of a driver are of one version; put it into the "
           "profile at that of the others, or let it go with --remove {}",
           name, part->version, driver->version, name));
  }
  return problems;
}

std::set<std::string> kernel_releases(std::span<const std::string> paths) {
  constexpr std::string_view folder = "usr/lib/modules/";
  std::set<std::string> releases;
  for (const auto& path : paths) {
    if (!path.starts_with(folder)) continue;
    const auto end = path.find('/', folder.size());
    auto release = path.substr(folder.size(), end == path.npos ? end : end - folder.size());
    // Before October 2019 modules lay in a folder for a whole series of kernels.
    if (!release.empty() && !release.starts_with("extramodules")) releases.insert(std::move(release));
  }
  return releases;
}

}  // namespace cudapin
