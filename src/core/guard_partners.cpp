// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_partners.hpp"

#include "core/package_class.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace cudapin {

namespace {

using Packages = std::map<std::string, UpgradablePackage>;
using Names = std::set<std::string>;

struct Wanted {
  std::string_view name;
  std::string_view op;
  std::string_view version;
};

/// `name`, `name=1.0`, `name>=1.0`, `name: why`
Wanted parse_wanted(std::string_view text) {
  text = text.substr(0, text.find(": "));
  const auto start = text.find_first_of("<>=");
  if (start == text.npos) return {text, {}, {}};
  const auto end = std::min(text.find_first_not_of("<>=", start), text.size());
  return {text.substr(0, start), text.substr(start, end - start), text.substr(end)};
}

/// Whether `version` may be what `=wanted` means: with or without its pkgrel.
bool is_same(std::string_view version, std::string_view wanted) {
  return version == wanted ||
         (version.starts_with(wanted) && version.size() > wanted.size() && version[wanted.size()] == '-');
}

/// The version under which `links` of package `name` is or provides `wanted`; null pointer data for neither.
std::string_view offered_version(const std::string& name, const PackageLinks& links,
                                 std::string_view wanted) {
  if (name == wanted) return links.version;
  for (const auto& provision : links.provides) {
    const auto provided = parse_wanted(provision);
    if (provided.name == wanted && !provided.version.empty()) return provided.version;
  }
  return {};
}

/// What `wanted` says of a package at that version: only equality is certain without an order of versions.
bool surely_meets(const Wanted& wanted, std::string_view version, bool newer_is_fine) {
  if (is_same(version, wanted.version)) return true;
  return newer_is_fine && wanted.op == ">=";
}

/// Whether a package that stays (`kept`) stops `mover` from becoming `next`, or needs it to stay.
bool is_tied(const std::string& kept_name, const PackageLinks& kept, const std::string& name,
             const UpgradablePackage& mover) {
  for (const auto& text : mover.next.depends) {
    const auto wanted = parse_wanted(text);
    const auto version = offered_version(kept_name, kept, wanted.name);
    if (!wanted.op.empty() && !version.empty() && !surely_meets(wanted, version, false) &&
        // What it wants today already it also gets tomorrow.
        std::find(mover.now.depends.begin(), mover.now.depends.end(), text) == mover.now.depends.end())
      return true;
  }
  for (const auto& text : kept.depends) {
    const auto wanted = parse_wanted(text);
    if (wanted.op.empty() || offered_version(name, mover.now, wanted.name).empty()) continue;
    if (!surely_meets(wanted, offered_version(name, mover.next, wanted.name), true)) return true;
  }
  return false;
}

bool add_by_dependencies(Names& kept, const Packages& installed) {
  Names more;
  for (const auto& name : kept) {
    const auto package = installed.find(name);
    if (package == installed.end()) continue;
    for (const auto& [other, links] : installed)
      if (!links.next.version.empty() && links.next.version != links.now.version && !kept.count(other) &&
          is_tied(name, package->second.now, other, links))
        more.insert(other);
  }
  kept.insert(more.begin(), more.end());
  return !more.empty();
}

bool is_gpu_software(PackageClass package_class) {
  return package_class == PackageClass::toolkit || package_class == PackageClass::framework;
}

/// Driver modules are built for one release of a kernel, so kernel, headers and driver stay together.
void add_kernels(Names& kept, const Packages& installed) {
  Names kernels;
  for (const auto& [name, links] : installed)
    if (const auto kernel = kernel_of_module(name); kept.count(name) && !kernel.empty())
      for (const auto& part : {std::string(kernel), std::string(kernel) + "-headers"})
        if (installed.count(part)) kernels.insert(part);
  kept.insert(kernels.begin(), kernels.end());
}

bool has_module_for(const Packages& installed, std::string_view kernel) {
  return std::any_of(installed.begin(), installed.end(),
                     [&](const auto& entry) { return kernel_of_module(entry.first) == kernel; });
}

void add_families(Names& kept, const Packages& installed) {
  const auto keeps = [&](auto holds) {
    return std::any_of(kept.begin(), kept.end(), [&](const auto& name) { return holds(name); });
  };
  const bool drivers = keeps([&](const std::string& name) {
    return class_of(name) == PackageClass::driver || has_module_for(installed, name);
  });
  const bool software = keeps([](const std::string& name) { return is_gpu_software(class_of(name)); });
  for (const auto& [name, links] : installed) {
    const auto package_class = class_of(name);
    if ((drivers && package_class == PackageClass::driver) || (software && is_gpu_software(package_class)))
      kept.insert(name);
  }
  if (drivers) add_kernels(kept, installed);
}

}  // namespace

std::vector<std::string> close_over_partners(std::span<const std::string> names, const Packages& installed) {
  Names kept(names.begin(), names.end());
  add_families(kept, installed);
  while (add_by_dependencies(kept, installed)) add_families(kept, installed);
  return {kept.begin(), kept.end()};
}

}  // namespace cudapin
