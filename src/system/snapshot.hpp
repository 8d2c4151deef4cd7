// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/repository.hpp"
#include "system/archive.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <optional>
#include <string>

namespace cudapin {

/// The repositories of one day of an archive.
struct Snapshot {
  RepositoryIndex index;
  std::string day;  ///< YYYY-MM-DD: the day asked for, or the nearest earlier one that there is
};

/// The snapshot of `day`, from the first archive that has it or an earlier day of that month or the month
/// before. Its databases are fetched and read by libalpm once, then an index is kept: root's in the state
/// folder, other people's in their own cache. Nothing where no archive has one; `problem` says why.
std::optional<Snapshot> snapshot_of(const Host& host, const Sources& sources, const std::string& day,
                                    std::string& problem);

/// The repositories of pacman.conf as last fetched by pacman, through an index that is kept as long as they
/// stay the same. Nothing where there are none.
std::optional<RepositoryIndex> repositories_of(const Host& host, const PacmanConf& conf);

/// The days, as two digits, that a page of an archive's month links to.
std::vector<std::string> days_in_page(std::string_view page);

}  // namespace cudapin
