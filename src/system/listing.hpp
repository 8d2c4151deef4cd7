// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/archived_file.hpp"
#include "system/host.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What an archive said when it was asked for its files of a package.
enum class Answer {
  listed,      ///< it lists packages, maybe none of this name
  no_folder,   ///< it has no folder for the package
  empty,       ///< a list without a single package: something is wrong there
  no_list,     ///< a page of another kind, or a refusal
  redirected,  ///< it led elsewhere, and there is no list
  unreachable
};

struct Listing {
  Answer answer = Answer::unreachable;
  std::string problem;              ///< in words; empty when it is listed or has no folder
  std::vector<ArchivedFile> files;  ///< in the page's order
};

/// Whose files are asked for, and where: the base URL of an archive, or of a collection of items, which ends
/// in `/download`.
struct ListingRequest {
  std::string archive;
  std::string name;
};

/// All pages at once; one request for each, or none where a page of an earlier command still holds.
std::vector<Listing> listings(const Host& host, std::span<const ListingRequest> requests);

/// The files of packages `names` that the flat index of the archive (packages/.all/index.0.xz) has, without
/// dates and with assumed endings; one request. The same order as `names`.
std::vector<Listing> index_listings(const Host& host, const std::string& archive,
                                    std::span<const std::string> names);

/// Whether the base URL is of a collection of items, as the Internet Archive keeps the moved packages.
bool is_item_collection(std::string_view archive);

/// The collection that keeps what `archive` has moved away; empty where none is known.
std::string collection_of(std::string_view archive);

/// Folder below the archive or collection where files of a package are, without slashes at its ends.
std::string folder_in(std::string_view archive, std::string_view name);

/// The versions of `files` that lie round `wanted`, `count` of them at most, oldest first, each once.
std::vector<std::string> nearest_versions(std::span<const ArchivedFile> files, const Version& wanted,
                                          std::size_t count);

}  // namespace cudapin
