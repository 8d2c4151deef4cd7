// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/repository.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// What the databases DBPATH/sync/NAME.db say, in the order of `names`, read once by libalpm through a
/// read-only handle of its own. Missing databases are left out; throws Error for one that libalpm cannot
/// read, in whose message DBPATH is `shown`.
std::vector<RepositoryPackage> read_repositories(const std::filesystem::path& dbpath,
                                                 std::span<const std::string> names,
                                                 const std::filesystem::path& shown);

}  // namespace cudapin
