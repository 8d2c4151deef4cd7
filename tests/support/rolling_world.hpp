// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/standin.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// Where a stand-in of the rolling world is to be had.
enum class Place {
  core,        ///< repository of January 2026
  extra,       ///< repository of January 2026
  next_core,   ///< new in the repository some weeks later
  next_extra,  ///< new in the repository some weeks later
  archive,     ///< in the archive, where it says
  moved        ///< in the archive's older part, behind redirects
};

/// The stand-ins of a place: names, versions and dependencies of real Arch packages, and of their files those
/// that tell a version (libraries with their sonames, nvcc, version files), configuration and scriptlets.
std::vector<StandIn> world_packages(Place place);

/// The current package of that name in either repository.
StandIn rolling_package(std::string_view name);

/// Writes below `folder`, which must not exist:
///   archive/packages/L/NAME/FILE   old packages and their signatures, laid out as in the archive
///   moved/FILE                     those behind redirects
///   repo/{core,extra}/             the current packages and REPO.db
///   repo-next/{core,extra}/        the same some weeks later
///   keyring/                       what pacman.conf calls GPGDir, trusting the packager through a master key
///   packager.asc                   the packager's exported key
///   files                          every path that any of the packages ships, one a line
/// `cuda_bulk` makes the moved cuda that many bytes larger, incompressible: the real one has gigabytes.
void make_world(const std::filesystem::path& folder, std::uint64_t cuda_bulk = 0);

/// Writes a root folder with the current packages installed, whose pacman.conf and keyring lie at their usual
/// places.
void make_installed_root(const std::filesystem::path& world, const std::filesystem::path& root);

}  // namespace cudapin
