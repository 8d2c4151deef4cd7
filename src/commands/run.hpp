// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"
#include "system/host.hpp"

#include <span>
#include <string>

namespace cudapin {

/// Parses `args`, runs the verb, prints an Error with its hint to the Host's error stream. Never throws;
/// callable twice in one process.
ExitStatus run(std::span<const std::string> args, Host host);

}  // namespace cudapin
