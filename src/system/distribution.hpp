// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

namespace cudapin {

/// Whether the system below root is Manjaro, by os-release.
bool is_manjaro(const Host& host);

}  // namespace cudapin
