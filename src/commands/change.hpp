// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/journal.hpp"

#include <string>
#include <vector>

namespace cudapin {

// The steps that carrying out a change and settling an interrupted one have in common.

enum class Direction { forward, back };

/// The record's packages as they are to be in that direction: `to` is the version wanted (empty: not
/// installed), `file` and `sha256` the file that brings it (empty: none is known).
std::vector<JournalPackage> packages_wanted(const JournalRecord& record, Direction direction);

/// One transaction under cudapin's token; `recovering`: the guard lets everything pass, and files of the
/// packages may be there already. `last_check` runs under pacman's lock before the first change; a failed
/// commit sets `started` when it may have touched a package.
void change_packages(const Host& host, const PacmanConf& conf, const std::vector<JournalPackage>& packages,
                     bool recovering, const std::function<void()>& last_check, bool* started = nullptr);

/// Throws Error with all of `unproven`.
void require_proof(const PacmanConf& conf, const std::vector<JournalPackage>& packages, bool attributes);

/// Gives their files the listed times where a fault kept libalpm from it. Throws Error when that cannot be.
void restore_times_of(const PacmanConf& conf, const std::vector<JournalPackage>& packages);

/// All that follows the proof: pins, guard and state, the record kept for undo, history, a sync of every file
/// system written, the journal closed. Each step may be repeated after a crash.
void conclude(const Host& host, const PacmanConf& conf, const JournalRecord& record, Direction direction,
              const std::string& result);

/// Takes away what a killed command left half made: files beside those they were to replace, a journal that
/// was never opened, the token.
void clear_leftovers(const Host& host, const PacmanConf& conf);

}  // namespace cudapin
