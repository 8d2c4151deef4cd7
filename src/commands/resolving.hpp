// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/resolve.hpp"
#include "system/archive.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <span>

namespace cudapin {

/// `resolve` for this machine: with what its sources have, its repositories where it is up to date with them,
/// and the profile's snapshot; each is opened or asked only when the plan needs it.
Resolution resolve_here(const Host& host, const PacmanConf& conf, const Sources& sources,
                        const Profile& profile, std::span<const Package> installed);

/// What an upgrade by pacman would come to with the profile in force: what its pins hold back and where it
/// would stop. Empty where pacman has no repositories.
std::vector<Finding> upgrade_findings(const Host& host, const PacmanConf& conf, const Profile& profile,
                                      std::span<const std::string> pins, std::span<const Package> installed);

}  // namespace cudapin
