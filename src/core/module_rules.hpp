// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "core/profile.hpp"

#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// Why the plan's driver would leave an installed kernel without its module, one line each with the ways out:
/// no module package for it, a module that was built for another release of the kernel than will be
/// installed, DKMS without the kernel's headers, or headers of another version. Nothing for a profile that
/// moves no driver.
std::vector<std::string> module_problems(const Profile& profile, std::span<const Package> before,
                                         std::span<const Package> after);

}  // namespace cudapin
