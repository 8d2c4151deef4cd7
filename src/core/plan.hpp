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
  std::string file;    ///< package file that brings it; empty for keep
  std::string source;  ///< where that file is: a path or a URL
  Reason reason;       ///< install reason afterwards

  friend bool operator==(const Action&, const Action&) = default;
};

/// The whole change, decided before anything is fetched.
struct Plan {
  std::string profile;
  std::vector<Action> actions;    ///< every package of the profile, in its order
  std::vector<std::string> pins;  ///< names for IgnorePkg, sorted: the profile's and the installed partners
  std::vector<Finding> findings;

  bool changes_packages() const;
};

/// The pure core of `use`: which packages change, and to what. `source_of` says where a package file would
/// come from. One Error with all problems when a dependency is met by nothing (named, with the package that
/// wants it), when an installed package would break (both named) or when a package conflicts with an
/// installed one.
Plan make_plan(const Profile& profile, std::span<const Package> installed);

/// Unmet dependencies, broken installed packages and conflicts of `profile` on top of `installed`, one line
/// each.
std::vector<std::string> dependency_problems(const Profile& profile, std::span<const Package> installed);

}  // namespace cudapin
