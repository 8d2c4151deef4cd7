// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"
#include "core/repository.hpp"

#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// What `pacman -Su` would do on a machine with the packages `after` and those pins, as notes: one that names
/// what the pins hold back, and a warning for each package at which it would stop, because its new version
/// cannot live with a pinned one or a pinned one not with it: by a dependency or a conflict. What the entries
/// `ignored` of IgnorePkg cover stays where it is. Nothing is fetched; the repositories are those that pacman
/// has.
std::vector<Finding> forecast_upgrade(std::span<const Package> after, std::span<const std::string> pins,
                                      std::span<const std::string> ignored,
                                      const RepositoryIndex& repositories);

}  // namespace cudapin
