// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/archived_file.hpp"
#include "core/compatibility.hpp"
#include "core/profile.hpp"
#include "core/repository.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// Where a resolution may look; each is asked only when the plan needs it.
struct Supplies {
  /// Every file that the sources have of a package.
  std::function<std::vector<ArchivedFile>(const std::string& name)> files;
  /// The repositories of the machine; null where the system is behind them: taking one package would be a
  /// partial upgrade.
  std::function<const RepositoryIndex*()> repositories;
  /// The repositories of the profile's day; null where none are to be had.
  std::function<const RepositoryIndex*()> snapshot;
  /// What profiles name exactly of a package: no list has old files any more, but an archive gives them by
  /// name. Asked where nothing else has a version that is wanted.
  std::function<std::vector<ProfilePackage>(const std::string& name)> named = {};
};

struct Resolution {
  Profile profile;  ///< whole: every version exact, with all that its packages need and the machine lacks
  std::vector<Finding> notes;  ///< which versions were chosen, what was added and from where
};

/// Turns a profile into exact versions. A range becomes the newest version, by libalpm's comparison, that
/// every other package of the profile and every installed one that stays can live with. What the packages
/// need and neither the machine nor the profile has is added as a dependency, pinned only where it is a
/// gccN or a part of the toolkit: from the machine's repositories, else from the snapshot. Never
/// moved: gcc, gcc-libs, glibc, pacman, and an installed package outside of the family; where gcc is not
/// installed, only the machine's repositories may bring it. Throws one Error with everything that cannot be
/// had, each with its reason.
Resolution resolve(const Profile& profile, std::span<const Package> installed, const Supplies& supplies);

}  // namespace cudapin
