// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard_partners.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What every sync database below DBPATH/sync has of the packages that `wants` names, in the order of the
/// databases' names. libarchive is looked up at run time; where it cannot be had, and for a database that
/// cannot be read, there is nothing.
std::map<std::string, std::vector<PackageLinks>> sync_entries(
    const std::string& dbpath, const std::function<bool(std::string_view)>& wants);

}  // namespace cudapin
