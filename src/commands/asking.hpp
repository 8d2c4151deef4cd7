// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <string>

namespace cudapin {

/// Asks the person. Throws Error for a no, and with `hint` and status `usage` when nobody can be asked.
void ask(const Host& host, const std::string& question, const std::string& hint);

}  // namespace cudapin
