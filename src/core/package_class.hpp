// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace cudapin {

/// What a package is to running GPU work. `none`: nothing to the guard.
enum class PackageClass { none, driver, toolkit, framework, kernel, interpreter };

/// By the table that also makes the hooks' targets (hooks/targets.txt).
PackageClass class_of(std::string_view package);

/// Whether a shipped hook has the package among its targets.
bool is_watched(std::string_view package);

/// The kernel package whose release a module package is built for ("nvidia-open" -> "linux",
/// "linux612-nvidia-580xx" -> "linux612"); empty for dkms packages and everything else.
std::string_view kernel_of_module(std::string_view package);

}  // namespace cudapin
