// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.hpp"
#include "core/profile.hpp"
#include "system/journal.hpp"
#include "system/local_database.hpp"

#include <span>

namespace cudapin {

/// Throws one Error with whatever would leave an installed kernel without its driver's module, or parts of
/// the driver at another version than the rest.
void require_modules(const Profile& profile, std::span<const Package> installed);

/// The last word on a module that is built for one kernel: the files of both. Throws Error where none of the
/// fetched module's folders is one of the kernel that will be installed.
void require_matching_releases(const LocalDatabase& database, std::span<const JournalPackage> packages);

/// In a container the module is the host's: throws Error where the plan brings libraries of another driver.
void require_driver_of_host(const Host& host, const Plan& plan);

}  // namespace cudapin
