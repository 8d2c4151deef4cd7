// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/change.hpp"

#include "commands/apply.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "system/database_lock.hpp"
#include "system/guard_state.hpp"
#include "system/local_database.hpp"
#include "system/transaction.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cstdlib>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// cudapin's own transaction passes the guard's hooks by this token; they inherit our environment.
class TokenPass {
 public:
  TokenPass(const Host& host, Transactor transactor) : host_(host) {
    ::setenv("CUDAPIN_TOKEN", issue_token(host, transactor).c_str(), 1);
  }
  ~TokenPass() {
    ::unsetenv("CUDAPIN_TOKEN");
    withdraw_token(host_);
  }
  TokenPass(const TokenPass&) = delete;
  TokenPass& operator=(const TokenPass&) = delete;

 private:
  const Host& host_;
};

TransactionEvents events_to(const Host& host) {
  return {.log = [&host](const std::string& text) { *host.err << printable(trim(text)) << '\n'; },
          .progress =
              [&host](const std::string& name, int percent, std::size_t nth, std::size_t of) {
                if (percent == 100)
                  *host.out << fmt::format("({}/{}) {}\n", nth, of, printable(name)) << std::flush;
              }};
}

std::vector<TransactionTarget> targets_of(const std::vector<JournalPackage>& packages) {
  std::vector<TransactionTarget> targets;
  for (const auto& package : packages)
    if (!package.to.empty()) targets.push_back({package.file, package.reason});
  return targets;
}

std::vector<std::string> removals_of(const std::vector<JournalPackage>& packages) {
  std::vector<std::string> names;
  for (const auto& package : packages)
    if (package.to.empty()) names.push_back(package.name);
  return names;
}

HistoryEntry history_entry(const JournalRecord& record, const std::string& result) {
  HistoryEntry entry{.time = record.time,
                     .user = record.user,
                     .command = record.command,
                     .from = record.before ? record.before->profile : "",
                     .to = record.after ? record.after->profile : "",
                     .result = result,
                     .why = record.why};
  for (const auto& package : record.packages)
    entry.changes.push_back({package.name, package.from, package.to});
  return entry;
}

std::vector<std::string> pin_names(const std::optional<State>& state) {
  std::vector<std::string> names;
  if (state)
    for (const auto& [name, version] : state->pins) names.push_back(name);
  return names;
}

/// Pins, guard and state as `state` has them. Each step may be repeated after a crash.
void put_in_force(const Host& host, const PacmanConf& conf, const std::optional<State>& state) {
  if (state)
    write_guard_state(host, state->pins, state->profile, conf.dbpath);
  else
    clear_guard_state(host);
  if (state)
    write_state(host, *state);
  else
    clear_state(host);
}

bool is_same_change(const HistoryEntry& one, const HistoryEntry& other) {
  return std::tie(one.time, one.command, one.from, one.to, one.changes) ==
         std::tie(other.time, other.command, other.from, other.to, other.changes);
}

/// A crash between history and the journal's end must not tell of the change twice.
void append_history_once(const Host& host, const HistoryEntry& entry) {
  const auto history = read_history(host);
  if (!history.empty() && is_same_change(history.back(), entry)) return;
  append_history(host, entry);
}

/// The folders that the change wrote to, and for every package those of its files.
std::set<fs::path> folders_written(const Host& host, const PacmanConf& conf, const JournalRecord& record) {
  std::set<fs::path> folders{host.root,
                             host.root / "usr",
                             host.root / "opt",
                             conf.dbpath,
                             host.at(state_folder),
                             conf.file.parent_path(),
                             conf.log_file.parent_path()};
  const LocalDatabase database(conf);
  for (const auto& package : record.packages)
    for (const auto& file : database.files(package.name)) folders.insert((conf.root / file).parent_path());
  return folders;
}

/// libalpm syncs nothing: everything it and we wrote is on disk before the journal may close.
void sync_everything(const Host& host, const PacmanConf& conf, const JournalRecord& record) {
  std::set<dev_t> synced;
  for (const auto& folder : folders_written(host, conf, record)) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) == 0 && synced.insert(info.st_dev).second) sync_file_system(folder);
  }
}

}  // namespace

std::vector<JournalPackage> packages_wanted(const JournalRecord& record, Direction direction) {
  auto packages = record.packages;
  if (direction == Direction::forward) return packages;
  for (auto& package : packages) {
    std::swap(package.from, package.to);
    std::swap(package.file, package.file_before);
    std::swap(package.sha256, package.sha256_before);
  }
  return packages;
}

void change_packages(const Host& host, const PacmanConf& conf, const std::vector<JournalPackage>& packages,
                     bool recovering, const std::function<void()>& last_check, bool* started) {
  const TokenPass token(host, recovering ? Transactor::recovery : Transactor::cudapin);
  wait_for_lock_holder(conf, host);
  Transaction transaction(conf, host, events_to(host));
  host.step("prepare");
  transaction.prepare(
      targets_of(packages),
      {.removals = removals_of(packages), .set_reasons = recovering, .own_files_may_exist = recovering});
  last_check();
  host.step("commit");
  try {
    transaction.commit();
  } catch (...) {
    if (started) *started = transaction.started();
    throw;
  }
}

void require_proof(const PacmanConf& conf, const std::vector<JournalPackage>& packages, bool attributes) {
  const auto problems = unproven(conf, packages, attributes);
  if (!problems.empty()) throw Error(join(problems, "\n"), "cudapin recover");
}

void conclude(const Host& host, const PacmanConf& conf, const JournalRecord& record, Direction direction,
              const std::string& result) {
  const auto& state = direction == Direction::forward ? record.after : record.before;
  const auto& other = direction == Direction::forward ? record.before : record.after;
  clear_dead_lock(conf, host, false);  // a lock that libalpm could not remove
  host.step("pins");
  write_pins(host, pin_names(state), pin_names(other));
  host.step("guard and state");
  put_in_force(host, conf, state);
  host.step("history");
  if (direction == Direction::forward) remember_change(host, record);
  append_history_once(host, history_entry(record, result));
  host.step("sync");
  sync_everything(host, conf, record);
  clear_leftovers(host, conf);
  host.step("close");
  close_journal(host);
}

void clear_leftovers(const Host& host, const PacmanConf& conf) {
  std::error_code ignored;
  const auto state = host.at(state_folder);
  for (const auto& folder : {fs::canonical(conf.file, ignored).parent_path(), state, state / "guard",
                             host.at("/usr/share/libalpm/hooks")})
    remove_unfinished(folder);
  for (const auto* leftover : {"journal.new", "journal.done"}) fs::remove_all(state / leftover, ignored);
  withdraw_token(host);
}

}  // namespace cudapin
