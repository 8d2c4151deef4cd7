// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"
#include "commands/change.hpp"
#include "commands/way_back.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "system/alpm.hpp"
#include "system/database_lock.hpp"

#include <fmt/format.h>

#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

void require_free_database(const Host& host, const PacmanConf& conf) {
  if (clear_dead_lock(conf, host, true))
    *host.out << ":: removed the package database's lock of a dead process\n";
  wait_for_lock_holder(conf, host);
  std::error_code missing;
  if (fs::exists(conf.dbpath / "db.lck", missing)) throw lock_failure(conf, host);
}

/// A package file that the journal knows by its hash, or for the way back any whole one of that version.
void require_file(const Host& host, const PacmanConf& conf, JournalPackage& package, Direction direction) {
  std::error_code missing;
  if (fs::exists(package.file, missing) && sha256_file(package.file) == package.sha256) return;
  if (direction == Direction::forward)
    throw Error(fmt::format("the package file '{}' that the unfinished change needs is gone or altered",
                            package.file),
                "cudapin recover --back");
  const auto found = find_package_file(host, conf, package.name, package.to);
  if (!found)
    throw Error(
        fmt::format("cannot take back {} to {}: its package file is in no cache", package.name, package.to),
        "cudapin recover");
  package.file = found->string();
}

/// Brings every package that is not there yet to where the direction wants it. A hook or scriptlet may change
/// mode or time of a file by right: that is a reason to try, none to fail.
void bring_about(const Host& host, const PacmanConf& conf, const std::vector<JournalPackage>& wanted,
                 Direction direction) {
  std::vector<JournalPackage> left;
  for (const auto& package : wanted)
    if (!unproven(conf, {package}, true).empty()) left.push_back(package);
  for (auto& package : left)
    if (!package.to.empty()) require_file(host, conf, package, direction);
  if (!left.empty()) change_packages(host, conf, left, true, [] {});
  require_proof(conf, wanted, false);
}

}  // namespace

void settle_journal(const Host& host, const PacmanConf& conf, bool back) {
  const auto record = pending_journal(host);
  if (!record) return;
  require_free_database(host, conf);
  for (const auto& name : mend_local_database(host, conf, *record))
    *host.out << fmt::format(":: the database entry of {} was incomplete and has been put right\n", name);
  const auto direction = back ? Direction::back : Direction::forward;
  bring_about(host, conf, packages_wanted(*record, direction), direction);
  conclude(host, conf, *record, direction, back ? "taken back" : "finished after an interruption");
}

void settle_if_due(const Host& host) {
  if (!journal_is_open(host)) return;
  const StateLock lock(host);
  if (!journal_is_open(host)) return;
  *host.out << ":: " << recovery_notice(host) << "; finishing it first\n";
  const auto conf = read_pacman_conf(host);
  try {
    settle_journal(host, conf, false);
  } catch (const Error& forward) {
    if (forward.status == ExitStatus::interrupted) throw;
    *host.out << fmt::format(":: it cannot be finished ({}); going back to the set before\n",
                             printable(forward.what()));
    settle_journal(host, conf, true);
  }
}

std::string recovery_notice(const Host& host) {
  if (!journal_is_open(host)) return {};
  try {
    const auto record = pending_journal(host);
    return record ? fmt::format("'cudapin {}' of {} was interrupted", record->command, record->time) : "";
  } catch (const Error& damage) {
    return fmt::format("a change was interrupted, and {}", damage.what());
  }
}

}  // namespace cudapin
