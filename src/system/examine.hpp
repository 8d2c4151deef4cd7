// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/examination.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <string>

namespace cudapin {

/// Looks at everything the doctor's rules ask for, profiles apart. Nothing is executed, no device is opened,
/// no database but pacman's local one is read; a damaged state file counts as no active profile.
Examination examine(const Host& host, const PacmanConf& conf);

/// "docker", "podman" or what else holds this system, or empty.
std::string container_of(const Host& host);

}  // namespace cudapin
