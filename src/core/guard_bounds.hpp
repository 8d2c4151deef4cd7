// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"
#include "core/guard.hpp"

#include <span>

namespace cudapin {

/// The last driver branch, toolkit and cuDNN that the tables know to serve each card; a card that the newest
/// still serve, or that is in no table, has no limit.
Bounds bounds_of(std::span<const Gpu> gpus);

}  // namespace cudapin
