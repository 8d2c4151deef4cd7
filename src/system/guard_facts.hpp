// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"
#include "system/guard_files.hpp"
#include "system/host.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cudapin {

/// Adds what computes and which of the targets it uses; nothing when the rules do not ask, or when our root
/// is not the one that the machine's processes run in (a chroot, a container). What /proc keeps back is told
/// in `blindness`.
void add_work(const GuardFiles& files, const Host& host, GuardInput& input);

/// Adds to each target its installed version.
void add_installed(const GuardFiles& files, GuardInput& input);

/// Adds what each target may become: what `package_files` (names of package files on pacman's command line)
/// say, else every version that a sync database has.
void add_offers(const GuardFiles& files, const std::vector<std::string>& package_files, GuardInput& input);

/// Sets what a suggested upgrade leaves out: `blocking` and whatever else would block a full upgrade now,
/// with all their lock-step partners.
void add_ignored(const GuardFiles& files, const Host& host, const std::vector<std::string>& blocking,
                 GuardInput& input);

/// The words of the command lines of our ancestors that name package files.
std::vector<std::string> package_files_of_ancestors(const Host& host);

/// The verdict on the targets with every fact that can matter, the dear ones only when they do; so
/// `package_files` is called only where versions count.
Verdict decide(const GuardFiles& files, const Host& host,
               const std::function<std::vector<std::string>()>& package_files, GuardInput& input);

}  // namespace cudapin
