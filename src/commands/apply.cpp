// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "system/alpm.hpp"
#include "system/archive.hpp"
#include "system/guard_state.hpp"
#include "system/package_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// cudapin's own transaction passes the guard's hooks by this token; they inherit our environment.
class TokenPass {
 public:
  explicit TokenPass(const Host& host) : host_(host) {
    ::setenv("CUDAPIN_TOKEN", issue_token(host).c_str(), 1);
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

/// Whether the database still holds every package exactly as before the change.
bool is_untouched(const PacmanConf& conf, const JournalRecord& record) {
  const LocalDatabase database(conf);
  return std::ranges::all_of(record.packages, [&](const JournalPackage& package) {
    const auto now = database.find(package.name);
    return package.from.empty()
               ? !now
               : now && now->version == package.from && !database.files(package.name).empty();
  });
}

HistoryEntry history_entry(const JournalRecord& record, const std::string& result) {
  HistoryEntry entry{.time = record.time,
                     .user = record.user,
                     .command = record.command,
                     .from = record.before ? record.before->profile : "",
                     .to = record.after ? record.after->profile : "",
                     .result = result};
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

/// libalpm syncs nothing: everything it and we wrote is on disk before the journal may close.
void sync_everything(const Host& host, const PacmanConf& conf) {
  for (const auto& path :
       {host.root, host.root / "usr", host.root / "opt", conf.dbpath, host.at(state_folder), conf.file}) {
    std::error_code missing;
    if (fs::exists(path, missing)) sync_file_system(path);
  }
}

void close_change(const Host& host, const PacmanConf& conf, const JournalRecord& record,
                  const std::string& result) {
  sync_everything(host, conf);
  append_history(host, history_entry(record, result));
  close_journal(host);
}

void finish(const Host& host, const PacmanConf& conf, const JournalRecord& record,
            const std::string& result) {
  write_pins(host, pin_names(record.after));
  put_in_force(host, conf, record.after);
  close_change(host, conf, record, result);
}

void require_proof(const PacmanConf& conf, const std::vector<JournalPackage>& packages) {
  const auto problems = unproven(conf, packages);
  if (!problems.empty()) throw Error(join(problems, "\n"), "cudapin recover");
}

/// The Error of a failed commit, told with what it left behind.
[[noreturn]] void explain_failure(const Host& host, const PacmanConf& conf, const JournalRecord& record,
                                  const Error& failure) {
  if (is_untouched(conf, record)) {
    close_journal(host);
    throw Error(std::string(failure.what()) + "; nothing was changed", failure.hint, failure.status);
  }
  throw Error(
      std::string(failure.what()) + "; the change is half done and the next cudapin command will finish it",
      "cudapin recover", failure.status);
}

void commit_packages(const Host& host, const PacmanConf& conf, JournalRecord& record,
                     const std::function<void()>& last_check) {
  const TokenPass token(host);
  Transaction transaction(conf, host, events_to(host));
  transaction.prepare(targets_of(record.packages), {.removals = removals_of(record.packages)});
  last_check();
  std::tie(record.lock_inode, record.lock_ctime) = identity(transaction.lock_file());
  host.check_interrupt();
  open_journal(host, conf, record);
  transaction.commit();
}

/// Removes a db.lck only when it is the very one that the dead cudapin of the journal made and nobody has it
/// open.
void clear_own_lock(const Host& host, const PacmanConf& conf, const JournalRecord& record) {
  const auto lock = conf.dbpath / "db.lck";
  const auto [inode, ctime] = identity(lock);
  if (inode == 0) return;
  if (const auto holder = lock_holder(conf, host); !holder.empty())
    throw Error(fmt::format("the package database is locked by {}", holder),
                "wait for it to end, then: cudapin recover");
  if (inode != record.lock_inode || ctime != record.lock_ctime)
    throw Error(
        fmt::format("'{}' is a lock that cudapin did not make, and nobody has it open", lock.string()),
        fmt::format("when no pacman is at work: rm {}, then: cudapin recover", lock.string()));
  fs::remove(lock);
}

std::vector<JournalPackage> not_yet_at_target(const PacmanConf& conf, const JournalRecord& record) {
  std::vector<JournalPackage> left;
  for (const auto& package : record.packages)
    if (!unproven(conf, {package}).empty()) left.push_back(package);
  return left;
}

void require_journaled_file(const JournalPackage& package) {
  if (package.to.empty()) return;
  std::error_code missing;
  if (!fs::exists(package.file, missing) || sha256_file(package.file) != package.sha256)
    throw Error(fmt::format("the package file '{}' that the unfinished change needs is gone or altered",
                            package.file),
                "cudapin recover --back");
}

void settle_forward(const Host& host, const PacmanConf& conf, const JournalRecord& record) {
  const auto left = not_yet_at_target(conf, record);
  std::ranges::for_each(left, require_journaled_file);
  if (!left.empty()) {
    const TokenPass token(host);
    Transaction transaction(conf, host, events_to(host));
    transaction.prepare(targets_of(left), {.removals = removals_of(left), .own_files_may_exist = true});
    transaction.commit();
  }
  require_proof(conf, record.packages);
  finish(host, conf, record, "finished after an interruption");
}

/// The package file that brings `package` back to its version before: in the store or in a package cache.
std::string file_before(const Host& host, const PacmanConf& conf, const JournalPackage& package) {
  std::vector<fs::path> places{
      (host.at(store_folder) / archive_path({package.name, *Version::parse(package.from), "x86_64", ""}))
          .parent_path()};
  places.insert(places.end(), conf.cache_dirs.begin(), conf.cache_dirs.end());
  for (const auto& place : places) {
    std::error_code missing;
    for (const auto& file : fs::directory_iterator(place, missing)) {
      const auto name = parse_file_name(file.path().filename().string());
      if (name && name->name == package.name && name->version.text() == package.from) return file.path();
    }
  }
  throw Error(
      fmt::format("cannot take back {} to {}: its package file is in no cache", package.name, package.from),
      "cudapin recover");
}

void settle_back(const Host& host, const PacmanConf& conf, const JournalRecord& record) {
  const LocalDatabase database(conf);
  std::vector<JournalPackage> restored;
  std::vector<std::string> removed;
  for (auto package : record.packages) {
    const auto now = database.find(package.name);
    if (package.from.empty()) {
      if (now) removed.push_back(package.name);
      continue;
    }
    package.to = package.from;
    if (!unproven(conf, {package}).empty()) {
      package.file = file_before(host, conf, package);
      verify_package_archive(package.file);
      restored.push_back(package);
    }
  }
  if (!restored.empty() || !removed.empty()) {
    const TokenPass token(host);
    Transaction transaction(conf, host, events_to(host));
    transaction.prepare(targets_of(restored), {.removals = removed, .own_files_may_exist = true});
    transaction.commit();
  }
  require_proof(conf, restored);
  write_pins(host, pin_names(record.before));
  put_in_force(host, conf, record.before);
  close_change(host, conf, record, "taken back");
}

/// What may differ from the package by right: backup files that were edited, and what NoExtract leaves out.
std::vector<std::string> content_unchecked(const PacmanConf& conf, const LocalDatabase& database,
                                           const std::string& name) {
  auto unchecked = database.backup_files(name);
  unchecked.insert(unchecked.end(), conf.no_extract.begin(), conf.no_extract.end());
  return unchecked;
}

}  // namespace

std::vector<std::string> unproven(const PacmanConf& conf, const std::vector<JournalPackage>& packages) {
  const LocalDatabase database(conf);
  std::vector<std::string> problems;
  for (const auto& package : packages) {
    const auto now = database.find(package.name);
    if (package.to.empty()) {
      if (now) problems.push_back(fmt::format("{} should be gone and is {}", package.name, now->version));
      continue;
    }
    if (!now || now->version != package.to) {
      problems.push_back(fmt::format("{} should be {} and is {}", package.name, package.to,
                                     now ? now->version : "not installed"));
      continue;
    }
    if (database.files(package.name).empty()) {
      problems.push_back(fmt::format("{} {} owns no files", package.name, package.to));
      continue;
    }
    const auto mtree = conf.dbpath / "local" / (package.name + "-" + package.to) / "mtree";
    for (const auto& problem :
         compare_installed(conf.root, mtree, content_unchecked(conf, database, package.name)))
      problems.push_back(fmt::format("{} {}: {}", package.name, package.to, problem));
  }
  return problems;
}

void carry_out(const Host& host, const PacmanConf& conf, JournalRecord record,
               const std::function<void()>& last_check) {
  if (record.packages.empty()) {
    last_check();
    open_journal(host, conf, record);
  } else {
    try {
      commit_packages(host, conf, record, last_check);
    } catch (const Error& failure) {
      if (journal_is_open(host)) explain_failure(host, conf, record, failure);
      throw;
    }
    require_proof(conf, record.packages);
  }
  finish(host, conf, record, "done");
}

void settle_journal(const Host& host, const PacmanConf& conf, bool back) {
  const auto record = pending_journal(host);
  if (!record) return;
  clear_own_lock(host, conf, *record);
  for (const auto& name : mend_local_database(host, conf, *record))
    *host.out << fmt::format(":: the database entry of {} was incomplete and has been put right\n", name);
  if (back)
    settle_back(host, conf, *record);
  else
    settle_forward(host, conf, *record);
}

void settle_if_due(const Host& host) {
  if (!journal_is_open(host)) return;
  *host.out << ":: " << recovery_notice(host) << "; finishing it first\n";
  settle_journal(host, read_pacman_conf(host), false);
}

std::string recovery_notice(const Host& host) {
  if (!journal_is_open(host)) return {};
  const auto record = pending_journal(host);
  return record ? fmt::format("'cudapin {}' of {} was interrupted", record->command, record->time) : "";
}

}  // namespace cudapin
