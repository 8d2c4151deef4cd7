// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

// Package archives are opened here and decoded unprivileged.

/// Reads .PKGINFO of a package archive; throws Error when the file is no package.
Package read_package_info(const std::filesystem::path& file);

/// Decodes the whole archive and compares every entry with its .MTREE: presence both ways, type, size,
/// mode, SHA-256, link target. libalpm does not: it would find the damage after the old package is gone.
/// Throws Error "'FILE' is damaged: …". `progress` (may be empty) gets compressed bytes read so far. Returns
/// the package's .PKGINFO.
Package verify_package_archive(const std::filesystem::path& file,
                               const std::function<void(std::uint64_t)>& progress = {});

/// SHA-256 of the package's .MTREE as it is in the archive, and so in the database once it is installed.
std::string mtree_sha256(const std::filesystem::path& file);

/// Compares an installed package with the .MTREE in its database entry: each file's type, size and SHA-256
/// below `root`. `unchecked` are files that may differ or be missing: paths (backup files) and patterns as in
/// NoExtract. The scriptlet and the changelog beside the .MTREE are compared as well. One line a problem.
std::vector<std::string> compare_installed(const std::filesystem::path& root,
                                           const std::filesystem::path& mtree,
                                           std::span<const std::string> unchecked);

/// Gives files the times that the .MTREE lists where they have others. Throws Error when one cannot be given.
void restore_times(const std::filesystem::path& root, const std::filesystem::path& mtree,
                   std::span<const std::string> unchecked);

/// Gives each line of a compressed text to `take`; false when it is not whole. Only a piece of it is in
/// memory.
bool each_line(std::string_view compressed, const std::function<void(std::string_view)>& take);

/// The paths that a package file installs, folders included, without leading slash.
std::vector<std::string> paths_in_package(const std::filesystem::path& file);

/// The same for what a file has besides its content: mode, time, and, when we are root, owner. Folders are
/// left out: packages share them.
std::vector<std::string> compare_attributes(const std::filesystem::path& root,
                                            const std::filesystem::path& mtree,
                                            std::span<const std::string> unchecked);

}  // namespace cudapin
