// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis_rules.hpp"
#include "core/pacman_log.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin::diagnosis {

using enum Severity;

namespace {

/// `linux58-nvidia-450xx 450.80.02-5` -> "450.80.02"; a version without pkgrel stays.
std::string upstream(const Package& package) {
  const auto version = Version::parse(package.version);
  return version ? version->upstream() : package.version;
}

/// "nvidia-utils" as it may be called on Manjaro and in the AUR: "nvidia-450xx-utils".
bool is_utils(std::string_view name) {
  return name.starts_with("nvidia-") && name.ends_with("utils") && name.find("settings") == name.npos;
}

const Package* user_space(const Examination& found) {
  const auto at =
      std::ranges::find_if(found.packages, [](const Package& package) { return is_utils(package.name); });
  return at == found.packages.end() ? nullptr : &*at;
}

enum class Partner { none, breaks, harmless };

/// What a version other than the user space's does in a package that pacman lets differ.
Partner partner_of(std::string_view name) {
  if (name.starts_with("mhwd-")) return Partner::none;
  if (name.starts_with("lib32-nvidia") || name.starts_with("opencl-nvidia") ||
      name.starts_with("lib32-opencl-nvidia"))
    return Partner::breaks;
  if (name == "nvidia-settings" || name == "libxnvctrl" || name.starts_with("nvidia-settings-"))
    return Partner::harmless;
  return Partner::none;
}

Findings partners_agree(const Examination& found) {
  const auto* utils = user_space(found);
  if (!utils) return {};
  Findings findings;
  for (const auto& package : found.packages) {
    const auto kind = partner_of(package.name);
    if (kind == Partner::none || upstream(package) == upstream(*utils)) continue;
    findings.push_back({kind == Partner::breaks ? error : note,
                        tr("{} {} goes with {} {}, and differs{}", package.name, package.version, utils->name,
                           utils->version,
                           kind == Partner::breaks ? tr_text(": programs that use both fail")
                                                   : tr_text(", which is harmless")),
                        tr_text("the database of installed packages"),
                        kind == Partner::breaks ? "sudo pacman -Syu" : ""});
  }
  return findings;
}

/// Only exact dependencies: they are what lock-step partners declare.
Findings exact_dependencies_hold(const Examination& found) {
  Findings findings;
  for (const auto& package : found.packages)
    for (const auto& wanted : package.depends) {
      if (wanted.op != "=" || wanted.name.find(".so") != wanted.name.npos) continue;
      const auto* partner = found.package(wanted.name);
      if (!partner || satisfies(*partner, wanted) || find_satisfier(found.packages, wanted)) continue;
      findings.push_back({error,
                          tr("{} {} needs {}, and {} is installed", package.name, package.version,
                             wanted.text(), partner->version),
                          tr_text("the database of installed packages"),
                          tr("sudo pacman -Syu, or remove {} if its kernel is not in use", package.name)});
    }
  return findings;
}

/// Sonames tell of no version: cuda 11.2 provides libcudart.so=11.0. What is asked for is matched, nothing is
/// inferred.
Findings runtimes_are_provided(const Examination& found) {
  Findings findings;
  if (!found.package("cuda")) return findings;
  for (const auto& package : found.packages)
    for (const auto& wanted : package.depends) {
      const bool runtime = wanted.name.starts_with("libcu") && wanted.name.ends_with(".so");
      const bool offered = runtime && std::ranges::any_of(found.packages, [&](const Package& other) {
                             return std::ranges::any_of(other.provides, [&](const Dependency& one) {
                               return one.name == wanted.name;
                             });
                           });
      if (!offered || find_satisfier(found.packages, wanted)) continue;
      findings.push_back(
          {warning,
           tr("{} was built for {}, which the installed CUDA does not bring", package.name, wanted.text()),
           tr("cuda {}", found.package("cuda")->version),
           tr("rebuild {}, or put back the CUDA it was built for", package.name)});
    }
  return findings;
}

Findings upgrade_came_to_its_end(const Examination& found) {
  const auto last = last_upgrade(found.pacman_log);
  using End = UpgradeSeen::End;
  if (last.end == End::refused)
    return {{warning,
             tr_text("the last full upgrade was refused before it changed anything, so nothing has been "
                     "upgraded since"),
             tr("/var/log/pacman.log: {}", last.time), "sudo pacman -Syu"}};
  if (last.end == End::broken)
    return {{error, tr_text("the last full upgrade broke off while it changed packages"),
             tr("/var/log/pacman.log: {}", last.time), "sudo pacman -Syu"}};
  return {};
}

Findings databases_and_system_agree(const Examination& found) {
  const auto partial = partial_upgrade(found.pacman_log);
  if (partial.packages.empty()) return {};
  return {{warning,
           tr("the databases were refreshed without a full upgrade, and then came {}: a partial upgrade",
              join(partial.packages, ", ")),
           tr("/var/log/pacman.log: {}", partial.time), "sudo pacman -Syu"}};
}

Findings pacman_can_be_read(const Examination& found) {
  Findings findings;
  for (const auto& reason : found.unreadable)
    findings.push_back({error, reason, tr_text("pacman's configuration and database"),
                        tr_text("pacman -Q fails alike until that is mended")});
  return findings;
}

Findings database_is_whole(const Examination& found) {
  if (found.broken_entries.empty()) return {};
  return {{error, tr("pacman's database has incomplete entries: {}", join(found.broken_entries, ", ")),
           "/var/lib/pacman/local",
           found.change_unfinished ? "sudo cudapin recover" : tr_text("reinstall these packages")}};
}

constexpr Rule all[] = {
    pacman_can_be_read,      database_is_whole,     exact_dependencies_hold,   partners_agree,
    upgrade_came_to_its_end, runtimes_are_provided, databases_and_system_agree};

}  // namespace

std::span<const Rule> package_rules() { return all; }

}  // namespace cudapin::diagnosis
