// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cudapin {

/// A package file that some place has: what an archive's page, its index or a folder tells without fetching
/// it.
struct ArchivedFile {
  PackageFileName file;
  std::string place;                       ///< the folder, or the archive's URL
  bool is_here = false;                    ///< in the store or a cache: nothing has to be fetched
  std::string date = {};                   ///< "YYYY-MM-DD HH:MM" in UTC; empty where the place does not tell
  std::optional<std::uint64_t> size = {};  ///< bytes
  bool has_signature = false;              ///< a .sig lies beside it
};

}  // namespace cudapin
