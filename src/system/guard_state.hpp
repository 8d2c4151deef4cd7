// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"
#include "system/host.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

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

/// Tells the guard what serves this machine's cards; false when it knew.
bool write_guard_bounds(const Host& host, const Bounds& bounds);
/// PCI ids of the cards that it was told of.
std::vector<std::string> guarded_cards(const Host& host);

/// A new random token in a file that only root can read. The transaction that shows it in the environment as
/// CUDAPIN_TOKEN is cudapin's own (it may change what is pinned) or the recovery from one, until it is
/// withdrawn.
std::string issue_token(const Host& host, Transactor transactor = Transactor::cudapin);
void withdraw_token(const Host& host);

}  // namespace cudapin
