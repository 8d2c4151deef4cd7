// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cudapin {

/// The libraries that a 64-bit ELF file asks the loader for (DT_NEEDED), in its order; none for any other
/// file, a damaged one, or one that cannot be read. A few short reads, whatever the file's size.
std::vector<std::string> needed_libraries(const std::filesystem::path& file);

}  // namespace cudapin
