// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/download.hpp"
#include "system/host.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cudapin {

/// Where package files may be, in the order they are asked: store, pacman's caches, archives (URLs or
/// folders).
struct Sources {
  std::filesystem::path store;
  std::vector<std::filesystem::path> caches;
  std::vector<std::string> archives;
  bool offline = false;  ///< never ask an http(s) archive
};

/// Where `file` would be taken from: a path when it is here, else the URL of the first remote archive; empty
/// when nothing is left to ask. Asks no server.
std::string locate(const Sources& sources, const PackageFileName& file);

/// Makes `file` and its signature be in the store, whole and root-owned, and returns its path there. Files
/// from caches and folders are copied (or linked where only root can write them). Archives are asked in turn
/// for the exact name; when all say no, one Error names what was tried. A missing signature is not an error
/// here.
std::filesystem::path fetch(const Host& host, const Sources& sources, const PackageFileName& file,
                            const ProgressSink& sink);

/// `packages/<first letter>/<name>/<file>`: the archive's layout and the store's.
std::filesystem::path archive_path(const PackageFileName& file);

/// The URL of `file` in the archive at `base`, with epoch and plus encoded.
std::string archive_url(const std::string& base, const PackageFileName& file);

}  // namespace cudapin
