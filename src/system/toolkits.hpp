// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/examination.hpp"
#include "system/host.hpp"

#include <string>
#include <vector>

namespace cudapin {

/// Version of the toolkit in `folder` below root, from its files; empty when none tells it.
std::string toolkit_version(const std::filesystem::path& root, const std::string& folder);

/// Every toolkit that a build of this shell might take, in the order it would: CUDA_HOME, CUDA_PATH, nvcc on
/// PATH, then the usual folders. Each folder once.
std::vector<ToolkitSeen> toolkits_seen(const Host& host, std::string_view glibc);

/// The toolkit of one folder.
ToolkitSeen toolkit_in(const std::filesystem::path& root, const std::string& folder, std::string_view glibc);

/// CUDA, cuDNN and driver libraries in the folders of LD_LIBRARY_PATH.
std::vector<LibrarySeen> preferred_libraries(const Host& host);

/// The host compilers by name, the default one among them.
std::vector<Compiler> compilers_seen(const Host& host, int default_gcc);

}  // namespace cudapin
