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

enum class ActionKind { install, upgrade, downgrade, keep };

/// What happens to one package of the profile.
struct Action {
  ActionKind kind;
  std::string name;
  std::string from;  ///< installed version, empty for an install
  std::string to;
  std::string file;  ///< base name of the package file that brings it
  std::string
      source;     ///< where that file would come from, a path or a URL; filled by the caller, empty for keep
  Reason reason;  ///< install reason afterwards: an installed package keeps its own

  friend bool operator==(const Action&, const Action&) = default;
};

/// The whole change, decided before anything is fetched.
struct Plan {
  std::string profile;
  std::vector<Action> actions;    ///< every package of the profile, in its order
  std::vector<std::string> pins;  ///< names for IgnorePkg, sorted: the profile's and the installed partners
  std::vector<Finding> findings;  ///< filled by the caller

  bool changes_packages() const;
};

/// The pure core of `use`: which packages change, and to what. One Error with all of dependency_problems.
Plan make_plan(const Profile& profile, std::span<const Package> installed);

/// What would be broken if `profile` were put on top of `installed`, one line each, every package named with
/// its version: dependencies of the profile that nothing installed satisfies, installed packages that would
/// lose a dependency they have now, conflicts.
std::vector<std::string> dependency_problems(const Profile& profile, std::span<const Package> installed);

}  // namespace cudapin
