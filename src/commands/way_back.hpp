// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/archive.hpp"
#include "system/journal.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// The package file of exactly that version in the store or a package cache.
std::optional<std::filesystem::path> find_package_file(const Host& host, const PacmanConf& conf,
                                                       const std::string& name, const std::string& version);

/// Makes the package file of exactly that version be in the store, whole, with its signature; its path there.
/// Nothing when no cache has it. Throws Error when it is damaged.
std::optional<std::filesystem::path> keep_in_store(const Host& host, const PacmanConf& conf,
                                                   const std::string& name, const std::string& version);

/// Makes the installed versions' package files be in the store, whole, and names them in `packages`. Where
/// there is none, or a damaged one, `file_before` stays empty and one line on the error stream says so.
void keep_way_back(const Host& host, const PacmanConf& conf, std::vector<JournalPackage>& packages);

/// Store, package caches, and the archives: those named, else the configured ones.
Sources sources_of(const Host& host, const PacmanConf& conf, const std::vector<std::string>& archives,
                   bool offline);

/// Throws Error unless the file system of `folder` has room for that many bytes and a reserve.
void require_space(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace cudapin
