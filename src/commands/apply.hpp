// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"
#include "system/journal.hpp"
#include "system/pacman_conf.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cudapin {

/// Carries out a change from the first lock to the closed journal: prepare, journal, commit, proof, pins,
/// guard, state, sync, history. `last_check` runs under pacman's lock right before the journal opens and may
/// throw. The caller holds the StateLock and has verified every file. What goes wrong after the first change
/// is mended at once: forward, else back. On any Error the machine is as it was, or the Error says what
/// finishes it.
void carry_out(const Host& host, const PacmanConf& conf, const JournalRecord& record,
               const std::function<void()>& last_check);

/// Finishes an open journal forward, or with `back` returns to the set before. The caller holds the
/// StateLock. Throws Error, journal still open, when neither is possible now; the Error says what is missing.
void settle_journal(const Host& host, const PacmanConf& conf, bool back);

/// Settles an unfinished change, when there is one, before a new one begins: forward, else back; tells the
/// person. Takes the StateLock for it.
void settle_if_due(const Host& host);

/// What of the record's packages is not as it should be, one line each: wrong version, empty file list, a
/// file that differs from its .MTREE, with `attributes` also by mode, owner or time. Read through a new
/// handle.
std::vector<std::string> unproven(const PacmanConf& conf, const std::vector<JournalPackage>& packages,
                                  bool attributes = false);

/// How pacman.conf and the guard differ from what the state says, one line each (see `pin_problems`).
std::vector<std::string> pin_problems_of(const Host& host, const std::optional<State>& state);

/// One line for queries when a journal is open, else empty.
std::string recovery_notice(const Host& host);

}  // namespace cudapin
