// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace cudapin {

/// Tells the guard what is pinned (package name to version), by which profile, and where pacman's database is
/// (`dbpath` as in PacmanConf, below the root). Names that no shipped hook covers get a hook of their own.
void write_guard_state(const Host& host, const std::map<std::string, std::string>& pins,
                       const std::string& profile, const std::filesystem::path& dbpath);

/// Whether the guard has been told exactly this already; reads, writes nothing.
bool guard_state_is(const Host& host, const std::map<std::string, std::string>& pins,
                    const std::string& profile, const std::filesystem::path& dbpath);

/// Nothing is guarded any more; the files and the hook of the pins are gone.
void clear_guard_state(const Host& host);

/// A new random token in a file that only root can read. The transaction that shows it in the environment as
/// CUDAPIN_TOKEN may change what is pinned, until it is withdrawn.
std::string issue_token(const Host& host);
void withdraw_token(const Host& host);

}  // namespace cudapin
