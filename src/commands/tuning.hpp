// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profile.hpp"
#include "system/host.hpp"

#include <vector>

namespace cudapin {

/// What the profile's `tune` would change on the cards of this machine, and what a card does not take (an
/// error).
std::vector<Finding> tuning_findings(const Host& host, const Profile& profile);

/// Whether the record of what the cards are set to is the one of this profile. Asks no driver.
bool tuning_is_recorded(const Host& host, const Profile& profile);

/// Makes the cards follow the profile in force, or gives them back what they had before when it sets nothing.
/// What a card or the driver refuses is told and is no failure: the packages are in place.
void follow_tuning(const Host& host);

}  // namespace cudapin
