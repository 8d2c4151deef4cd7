// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/pacman_conf.hpp"
#include "system/state.hpp"

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cudapin {

// The journal makes a change of several packages and files one step: it is opened, whole and synced, before
// the first byte of the machine changes, and closed after the last one is proven and synced. While it is
// open, `recover` knows enough to finish the change or to take it back without asking anything but the store:
//
//   journal/record.json   what was to happen (JournalRecord)
//   journal/local/N-V/    copies of the local-database entries of every package that changes (libalpm deletes
//   the old entry
//                         before it writes the new one; the copy brings back file list, reason and scriptlet)
//   journal/pacman.conf   its bytes before the pins
//
// It is built beside as journal.new and renamed, so that a half-written journal never counts.

/// One package of the change and the files that bring it forward or back.
struct JournalPackage {
  std::string name;
  std::string from;    ///< version before, empty when it was not installed
  std::string to;      ///< version after, empty when it is removed
  std::string file;    ///< package file for `to`, in the store
  std::string sha256;  ///< of that file
  Reason reason = Reason::explicitly;
  std::string file_before;    ///< package file for `from`, in the store; empty when there is none
  std::string sha256_before;  ///< of that file
};

struct JournalRecord {
  std::string command;  ///< "use ampere-11.1"
  std::string why;
  std::string user;
  std::string time;
  std::vector<JournalPackage> packages;  ///< those that change; empty for a release
  std::optional<State> before;
  std::optional<State> after;  ///< nothing: no profile is active afterwards
};

/// Opens the journal: copies, record and folder are on disk when this returns.
void open_journal(const Host& host, const PacmanConf& conf, const JournalRecord& record);

/// The record of an unfinished change. Throws Error when the journal is there but damaged.
std::optional<JournalRecord> pending_journal(const Host& host);

/// Whether a journal is open; the cheap question that every query asks.
bool journal_is_open(const Host& host);

/// When it was opened (seconds since the epoch).
std::time_t journal_opened(const Host& host);

/// Closes it. The caller has synced everything the change wrote.
void close_journal(const Host& host);

/// Keeps the record of a finished change for `undo`; the last one only.
void remember_change(const Host& host, const JournalRecord& record);
/// Nothing when none was kept. Throws Error when it is damaged.
std::optional<JournalRecord> last_change(const Host& host);

/// Bytes that the journal's copies take.
std::uint64_t journal_size(const PacmanConf& conf, const JournalRecord& record);

/// Makes the local database usable for another try: entries named by the record that lack a non-empty desc or
/// files are removed, and where no entry of the package is left its journaled copy is put back. Returns the
/// names that were mended.
std::vector<std::string> mend_local_database(const Host& host, const PacmanConf& conf,
                                             const JournalRecord& record);

}  // namespace cudapin
