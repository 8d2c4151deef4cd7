// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.hpp"
#include "system/local_database.hpp"
#include "system/pacman_conf.hpp"

#include <span>
#include <vector>

namespace cudapin {

/// Installed packages that will stop working with the plan though no dependency says so: those that depend on
/// a package which changes, or are frameworks, and have a program that loads a library which leaves. Reads
/// heads of ELF files.
std::vector<Finding> leaving_findings(const PacmanConf& conf, const LocalDatabase& database, const Plan& plan,
                                      std::span<const Package> installed);

}  // namespace cudapin
