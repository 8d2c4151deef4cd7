// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/manjaro.hpp"

#include "core/package_class.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace cudapin {

namespace {

bool is_driver_or_kernel(std::string_view name) {
  const auto package_class = class_of(name);
  return package_class == PackageClass::driver || package_class == PackageClass::kernel ||
         is_kernel_meta(name);
}

bool names(const Profile& profile, const std::string& name) {
  return profile.find(name) ||
         std::ranges::find(profile.pin_if_installed, name) != profile.pin_if_installed.end();
}

/// Whether the profile pins the package, by its name or by one that it provides (nvidia-455xx-utils provides
/// nvidia-utils).
bool pins(const Profile& profile, const Package& package) {
  const auto named = [&](const std::string& name) { return names(profile, name); };
  return named(package.name) || std::ranges::any_of(package.provides, named, &Dependency::name);
}

}  // namespace

bool is_manjaro_build(std::string_view package) {
  constexpr std::array<std::string_view, 6> starts{"linux",         "nvidia", "lib32-",
                                                   "opencl-nvidia", "mhwd",   "libxnvctrl"};
  return std::ranges::any_of(starts, [&](auto start) { return package.starts_with(start); });
}

bool is_manjaro_release(std::string_view os_release) {
  for (const auto& line : split(os_release, "\n")) {
    const auto equals = line.find('=');
    const auto key = line.substr(0, equals);
    if (equals == line.npos || (key != "ID" && key != "ID_LIKE")) continue;
    const auto words = split(std::string_view(line).substr(equals + 1), " \t\r\"'");
    if (std::ranges::find(words, "manjaro") != words.end()) return true;
  }
  return false;
}

bool is_kernel_meta(std::string_view package) {
  return package.starts_with("linux") && package.ends_with("-meta");
}

Profile with_manjaro_partners(Profile profile, std::span<const Package> installed) {
  const bool has_driver = std::ranges::any_of(installed, [&](const Package& package) {
    return is_driver_or_kernel(package.name) && pins(profile, package);
  });
  if (!has_driver) return profile;
  std::set<std::string, std::less<>> kernels;
  for (const auto& package : installed)
    if (const auto kernel = kernel_of_module(package.name); !kernel.empty()) {
      kernels.insert(std::string(kernel));
      kernels.insert(std::string(kernel) + "-headers");
    }
  for (const auto& package : installed) {
    const bool belongs = class_of(package.name) == PackageClass::driver || is_kernel_meta(package.name) ||
                         kernels.contains(package.name);
    if (belongs && !names(profile, package.name)) profile.pin_if_installed.push_back(package.name);
  }
  return profile;
}

}  // namespace cudapin
