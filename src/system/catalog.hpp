// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/archived_file.hpp"
#include "system/archive.hpp"
#include "system/host.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What the sources have of one package.
struct Catalog {
  std::vector<ArchivedFile> files;    ///< in the order of the sources, each place's in its own order
  std::vector<std::string> problems;  ///< one line for each archive that gave no answer, with the reason
};

/// The same for several packages, in their order, with all archives asked at once.
std::vector<Catalog> catalogs_of(const Host& host, const Sources& sources,
                                 std::span<const std::string> names);

/// Every file of package `name` that the store, the caches and the archives list; one request for each
/// archive, none when offline; where an archive lists no folder of that name, its flat index is asked for
/// too. An archive that does not answer, lists nothing at all or leads elsewhere is passed over and told in
/// `problems`.
Catalog catalog_of(const Host& host, const Sources& sources, std::string_view name);

}  // namespace cudapin
