// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard_partners.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// pacman's databases read as the files they are, without libalpm.
namespace cudapin {

/// Installed versions by name, from the folder names below DBPATH/local; empty when it cannot be listed.
std::map<std::string, std::string> installed_versions(const std::string& dbpath);

/// Version, dependencies and provisions out of the text of a `desc` file.
PackageLinks parse_links(std::string_view desc);

/// The `desc` of an installed package; all empty when it is not there.
PackageLinks installed_links(const std::string& dbpath, const std::string& name, const std::string& version);

/// Paths that an installed package owns, without leading slash; folders are left out.
std::vector<std::string> owned_files(const std::string& dbpath, const std::string& name,
                                     const std::string& version);

}  // namespace cudapin
