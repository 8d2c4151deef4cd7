// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "core/profile.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// Why an installed kernel would lose its NVIDIA module by the plan, one line each with the ways out: no
/// module package for it, a module that was built for another release of the kernel than will be installed,
/// DKMS without the kernel's headers, or headers of another version. Kernel and module that the profile names
/// together fit as far as versions can tell. Nothing where no driver stays.
std::vector<std::string> module_problems(const Profile& profile, std::span<const Package> before,
                                         std::span<const Package> after);

/// Which parts of the driver would be of another version than nvidia-utils after the plan, though no
/// dependency says that they must not. A difference that was there before is not the plan's doing.
std::vector<std::string> driver_problems(std::span<const Package> before, std::span<const Package> after);

/// The kernel releases that a package has modules of: `6.18.2-arch2-1` of
/// `usr/lib/modules/6.18.2-arch2-1/extramodules/nvidia.ko.zst`.
std::set<std::string> kernel_releases(std::span<const std::string> paths);

}  // namespace cudapin
