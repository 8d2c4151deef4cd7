// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/host.hpp"
#include "system/store.hpp"

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
  unsigned connections = default_connections;  ///< to one archive at once, unless the command line says
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

/// Caches and archives that may have the package, in the order they are asked.
std::vector<SourcePlace> places_of(const Sources& sources, std::string_view name);

/// The file in a folder, by either layout, with `ending` after its name; no symbolic link led to it.
FoundFile find_in(const SourcePlace& place, const PackageFileName& file, const std::string& ending);

/// `packages/<first letter>/<name>/<file>`: the archive's layout and the store's.
std::filesystem::path archive_path(const PackageFileName& file);

/// The URL of `file` in the archive or collection at `base`, with epoch and plus encoded.
std::string archive_url(const std::string& base, const PackageFileName& file);

}  // namespace cudapin
