// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/archive.hpp"
#include "system/download.hpp"
#include "system/host.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// A package file to bring into the store, and what is known of its bytes.
struct WantedFile {
  PackageFileName name;
  std::uint64_t size = 0;   ///< 0: not known
  std::string sha256 = {};  ///< empty: not known
};

/// Makes the files and their signatures be in the store, whole and root-owned, and returns their paths there,
/// in the same order. Files from caches and folders are copied (or linked where only root can write them).
/// All archives are asked for the exact name at once, and carry as much as each can; then, where all say no,
/// once for the name with the ending of before or after January 2020; one Error names, for every file that is
/// in no place, what was tried. An archive that does not answer is passed over with a warning. A missing
/// signature is not an error here. Another process that fetches one of the files is waited for.
std::vector<std::filesystem::path> fetch(const Host& host, const Sources& sources,
                                         std::span<const WantedFile> files, const ProgressSink& sink);

/// The same for one file.
std::filesystem::path fetch(const Host& host, const Sources& sources, const PackageFileName& file,
                            const ProgressSink& sink);

}  // namespace cudapin
