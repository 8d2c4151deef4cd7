// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.hpp"
#include "core/profile.hpp"
#include "system/archive.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <map>
#include <string>

namespace cudapin {

// Manjaro has no dated archive, and Arch's must not be asked for what Manjaro builds itself. On other systems
// none of this does anything.

/// The profile with the partners that it has on this system.
Profile for_this_system(const Host& host, const PacmanConf& conf, Profile profile);

/// One Error with every package of the plan that only Arch's archive could bring, and must not.
void refuse_foreign_builds(const Plan& plan, const Sources& sources);

/// Tells in the plan which pins could not be had again, and which metas are pinned and why.
void note_own_builds(const Host& host, const PacmanConf& conf, const Sources& sources, Plan& plan);

/// Copies the package files of everything pinned into the store; a warning for what cannot be kept.
void keep_pinned(const Host& host, const PacmanConf& conf, const std::map<std::string, std::string>& pins);

}  // namespace cudapin
