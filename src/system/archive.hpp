// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/download.hpp"
#include "system/host.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// Where package files may be, in the order they are asked: store, pacman's caches, archives (URLs or
/// folders).
struct Sources {
  std::filesystem::path store;
  std::vector<std::filesystem::path> caches;
  std::vector<std::string> archives;
  bool offline = false;     ///< never ask an http(s) archive
  bool is_manjaro = false;  ///< what Manjaro builds itself is taken from store and caches alone
  /// Archives that did not answer during this command, and why; not asked again.
  std::shared_ptr<std::map<std::string, std::string>> silent =
      std::make_shared<std::map<std::string, std::string>>();
};

/// An archive: a folder, laid out like the archive or flat, or a remote one.
struct SourcePlace {
  std::string name;              ///< as the user wrote it
  std::filesystem::path folder;  ///< empty: remote
};

/// The archives in the order they are asked: folders first.
std::vector<SourcePlace> archive_places(const Sources& sources);

/// Whether an archive may be asked for the package at all.
bool may_be_archived(const Sources& sources, std::string_view name);

/// Where `file` would be taken from: a path when it is here, else the URL of the first remote archive; empty
/// when nothing is left to ask. Asks no server.
std::string locate(const Sources& sources, const PackageFileName& file);

/// Makes `file` and its signature be in the store, whole and root-owned, and returns its path there. Files
/// from caches and folders are copied (or linked where only root can write them). Archives are asked in turn
/// for the exact name, then, where all say no, once for the name with the ending of before or after January
/// 2020; when all say no again, one Error names what was tried. One that does not answer is passed over with
/// a warning. A missing signature is not an error here.
std::filesystem::path fetch(const Host& host, const Sources& sources, const PackageFileName& file,
                            const ProgressSink& sink);

/// `packages/<first letter>/<name>/<file>`: the archive's layout and the store's.
std::filesystem::path archive_path(const PackageFileName& file);

/// The URL of `file` in the archive or collection at `base`, with epoch and plus encoded.
std::string archive_url(const std::string& base, const PackageFileName& file);

}  // namespace cudapin
