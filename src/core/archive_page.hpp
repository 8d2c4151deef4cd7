// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/archived_file.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace cudapin {

/// What a page turns out to be: a list of packages, a list without any, or a page of another kind.
enum class PageKind { listing, empty, other };

PageKind kind_of_page(std::string_view page);

/// The files of package `name` that a web server's index page links to (nginx, Apache, Internet Archive), in
/// the page's order, with date and size where the page tells them; sizes are rounded there. The links count,
/// not the text, which is cut. `place` stays empty.
std::vector<ArchivedFile> files_in_page(std::string_view page, std::string_view name);

/// A line of the archive's flat index, NAME-VERSION-ARCH. The index has no endings: today's is assumed.
std::optional<PackageFileName> file_in_index(std::string_view line);

/// The same file with the ending that the archive used before or after January 2020; nothing for others.
std::optional<PackageFileName> with_other_ending(const PackageFileName& file);

}  // namespace cudapin
