// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"
#include "core/package.hpp"
#include "core/profile.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// `remove` is for an installed package whose place in its own family one of the profile takes: nvidia-open,
/// where nvidia-dkms comes.
enum class ActionKind { install, upgrade, downgrade, keep, remove };

/// What happens to one package of the profile, or to one that leaves for it.
struct Action {
  ActionKind kind;
  std::string name;
  std::string from;        ///< installed version, empty for an install
  std::string to;          ///< empty for a removal
  std::string file;        ///< base name of the package file that brings it, empty for a removal
  std::string source;      ///< where that file would come from, a path or a URL; filled by the caller, empty
                           ///< without a fetch
  std::uint64_t size = 0;  ///< of the file in bytes; 0 when it is not known
  Reason reason;           ///< install reason afterwards: an installed package keeps its own

  friend bool operator==(const Action&, const Action&) = default;
};

/// The whole change, decided before anything is fetched.
struct Plan {
  std::string profile;
  std::vector<Action> actions;    ///< every package of the profile, in its order, then what leaves
  std::vector<std::string> pins;  ///< names for IgnorePkg, sorted: the profile's and the installed partners
  std::vector<Finding> findings;  ///< filled by the caller
  bool is_in_force = false;       ///< nothing of it is left to do, not even a pin

  bool changes_packages() const;
  /// Names of the packages that leave.
  std::vector<std::string> removals() const;
};

/// Whether the package's file has to be there: it is installed anew or changes its version.
bool needs_file(const Action& action);

/// The pure core of `use`: which packages change, and to what. One Error with all of dependency_problems.
Plan make_plan(const Profile& profile, std::span<const Package> installed);

/// The installed packages that the profile leaves as they are.
std::vector<Package> untouched_by(const Profile& profile, std::span<const Package> installed);

/// What is installed once the profile is: `installed` without what it replaces or leaves, and its packages.
std::vector<Package> packages_after(const Profile& profile, std::span<const Package> installed);

/// What would be broken if `profile` were put on top of `installed`, one line each, every package named with
/// its version: dependencies of the profile that nothing installed satisfies, installed packages that would
/// lose a dependency they have now, conflicts outside a family.
std::vector<std::string> dependency_problems(const Profile& profile, std::span<const Package> installed);

}  // namespace cudapin
