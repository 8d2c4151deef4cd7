// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frameworks.hpp"
#include "system/host.hpp"

#include <string>

namespace cudapin {

/// Reads a virtual environment or conda prefix: names of packages and the files in which frameworks say what
/// they were built for. Nothing in it is run, and links out of it are not followed for more than reading.
/// Throws Error when `folder` is neither.
PythonEnvironment read_python_environment(const std::string& folder);

}  // namespace cudapin
