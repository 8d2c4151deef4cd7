// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"
#include "commands/change.hpp"
#include "commands/way_back.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/database_lock.hpp"
#include "system/local_database.hpp"
#include "system/package_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <ostream>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

void require_free_database(const Host& host, const PacmanConf& conf) {
  if (clear_dead_lock(conf, host, true))
    *host.out << tr_text(":: removed the package database's lock of a dead process\n");
  wait_for_lock_holder(conf, host);
  std::error_code missing;
  if (fs::exists(conf.dbpath / "db.lck", missing)) throw lock_failure(conf, host);
}

/// A package file that the journal knows by its hash, or for the way back any whole one of that version.
void require_file(const Host& host, const PacmanConf& conf, JournalPackage& package, Direction direction) {
  std::error_code missing;
  if (fs::exists(package.file, missing) && sha256_file(package.file) == package.sha256) return;
  if (direction == Direction::forward)
    throw Error(tr("the package file '{}' that the unfinished change needs is gone or altered", package.file),
                "cudapin recover --back");
  const auto found = find_package_file(host, conf, package.name, package.to);
  if (!found)
    throw Error(tr("cannot take back {} to {}: its package file is in no cache", package.name, package.to),
                "cudapin recover");
  package.file = found->string();
}

bool has_reason(const LocalDatabase& database, const JournalPackage& package) {
  const auto now = database.find(package.name);
  return package.to.empty() || (now && now->reason == package.reason);
}

/// What the packages of the side that is left behind install and no package owns now; what is in a folder
/// comes before it.
std::set<std::string, std::greater<>> unowned_paths(const PacmanConf& conf,
                                                    const std::vector<JournalPackage>& wanted) {
  std::set<std::string, std::greater<>> paths;
  for (const auto& package : wanted)
    if (std::error_code missing; !package.file_before.empty() && fs::exists(package.file_before, missing))
      for (auto& path : paths_in_package(package.file_before)) paths.insert(std::move(path));
  const LocalDatabase database(conf);
  for (const auto& package : database.all())
    for (auto path : database.files(package.name)) {
      if (path.ends_with('/')) path.pop_back();
      paths.erase(path);
    }
  return paths;
}

/// Removes what the side that is left behind has put on the disk and nobody owns now. Before the change no
/// such file was there without an owner, or libalpm had refused it; what is older than the journal is left
/// alone all the same.
void remove_strays(const PacmanConf& conf, const std::vector<JournalPackage>& wanted, std::time_t opened) {
  for (const auto& path : unowned_paths(conf, wanted)) {
    struct stat info {};
    const auto file = conf.root / path;
    if (::lstat(file.c_str(), &info) != 0 || info.st_ctime < opened) continue;
    if (S_ISDIR(info.st_mode))
      ::rmdir(file.c_str());  // only when it is empty
    else
      ::unlink(file.c_str());
  }
}

/// Brings every package that is not there yet to where the direction wants it. A hook or scriptlet may change
/// the mode of a file by right: that is a reason to try, none to fail.
void bring_about(const Host& host, const PacmanConf& conf, const std::vector<JournalPackage>& wanted,
                 Direction direction) {
  std::vector<JournalPackage> left;
  for (const auto& package : wanted)
    if (!unproven(conf, {package}, true).empty() || !has_reason(LocalDatabase(conf), package))
      left.push_back(package);
  for (auto& package : left)
    if (!package.to.empty()) require_file(host, conf, package, direction);
  if (!left.empty()) change_packages(host, conf, left, true, [] {});
  require_proof(conf, wanted, false);
  restore_times_of(conf, wanted);
}

}  // namespace

void settle_journal(const Host& host, const PacmanConf& conf, bool back) {
  const auto record = pending_journal(host);
  if (!record) return;
  require_free_database(host, conf);
  for (const auto& name : mend_local_database(host, conf, *record))
    *host.out << tr(":: the database entry of {} was incomplete and has been put right\n", name);
  const auto direction = back ? Direction::back : Direction::forward;
  const auto wanted = packages_wanted(*record, direction);
  bring_about(host, conf, wanted, direction);
  remove_strays(conf, wanted, journal_opened(host));
  conclude(host, conf, *record, direction, back ? "taken back" : "finished after an interruption");
}

void settle_if_due(const Host& host) {
  if (!journal_is_open(host)) return;
  const StateLock lock(host);
  if (!journal_is_open(host)) return;
  *host.out << tr(":: {}; finishing it first\n", recovery_notice(host));
  const auto conf = read_pacman_conf(host);
  try {
    settle_journal(host, conf, false);
  } catch (const Error& forward) {
    if (forward.status == ExitStatus::interrupted) throw;
    *host.out << tr(":: it cannot be finished ({}); going back to the set before\n",
                    printable(forward.what()));
    settle_journal(host, conf, true);
  }
}

std::string recovery_notice(const Host& host) {
  if (!journal_is_open(host)) return {};
  try {
    const auto record = pending_journal(host);
    return record ? tr("'cudapin {}' of {} was interrupted", record->command, record->time) : "";
  } catch (const Error& damage) {
    return tr("a change was interrupted, and {}", damage.what());
  }
}

}  // namespace cudapin
