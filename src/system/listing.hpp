// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/host.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// The files of package `name` that a web server's index page links to, in the page's order. The links count,
/// not the text, which is cut at 50 characters.
std::vector<PackageFileName> files_in_page(std::string_view page, std::string_view name);

/// The files of package `name` that the archive at the http(s) URL `archive` lists; none when it lists
/// nothing or does not answer. The page passes through `scratch`, a path that is free.
std::vector<PackageFileName> listed_files(const Host& host, const std::string& archive, std::string_view name,
                                          const std::filesystem::path& scratch);

/// The versions of `files` that lie round `wanted`, `count` of them at most, oldest first, each once.
std::vector<std::string> nearest_versions(std::span<const PackageFileName> files, const Version& wanted,
                                          std::size_t count);

}  // namespace cudapin
