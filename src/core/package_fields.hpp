// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/fields.hpp"
#include "core/profile.hpp"

#include <vector>

namespace cudapin {

/// The keys that say what a package needs, gives and is there for, the same in a profile's `files` and in a
/// lock: depends (required), provides, conflicts, replaces, as, only_if_installed. Both outlive the fields.
std::vector<yaml::Field> package_fields(ProfilePackage& package, yaml::Problems& problems);

/// The full base name of a package file, into `package` with its name and version; false and noted when it is
/// none.
bool read_package_file(const yaml::Node& node, ProfilePackage& package, yaml::Problems& problems);

}  // namespace cudapin
