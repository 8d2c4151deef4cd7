// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/apply.hpp"
#include "commands/asking.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/style.hpp"
#include "commands/tuning.hpp"
#include "commands/way_back.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/fetch.hpp"
#include "system/local_database.hpp"
#include "system/package_file.hpp"
#include "system/signature.hpp"
#include "system/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// The packages of the last change and of the pins before it, at the versions that they had then.
std::map<std::string, JournalPackage> set_before(const JournalRecord& last) {
  std::map<std::string, JournalPackage> set;
  if (last.before)
    for (const auto& [name, version] : last.before->pins) set[name] = {.name = name, .to = version};
  for (const auto& package : last.packages)
    set[package.name] = {.name = package.name,
                         .to = package.from,
                         .file = package.file_before,
                         .sha256 = package.sha256_before,
                         .reason = package.reason};
  return set;
}

/// The change that takes the last one back: a change like any other, so that it can be undone itself.
JournalRecord reversed(const Host& host, const PacmanConf& conf, const JournalRecord& last) {
  JournalRecord record{.command = "undo",
                       .why = fmt::format("takes back '{}' of {}", last.command, last.time),
                       .user = acting_user(host),
                       .time = timestamp(host),
                       .before = read_state(host),
                       .after = last.before};
  const LocalDatabase database(conf);
  for (auto& [name, package] : set_before(last)) {
    const auto now = database.find(name);
    package.from = now ? now->version : "";
    if (now) package.reason = now->reason;
    if (package.from != package.to) record.packages.push_back(package);
  }
  return record;
}

/// Where each package file comes from: the store or a cache, else an archive.
void find_files(const UndoOptions& options, const Host& host, const PacmanConf& conf, JournalRecord& record) {
  const auto sources = sources_of(host, conf, options.archives, options.offline);
  std::vector<std::string> missing;
  for (auto& package : record.packages) {
    if (package.to.empty() || (!package.file.empty() && is_whole(fs::path(package.file)))) continue;
    package.sha256.clear();
    try {
      const auto found = find_package_file(host, conf, package.name, package.to);
      const PackageFileName name{package.name, *Version::parse(package.to), "x86_64", ".pkg.tar.zst"};
      package.file = found ? found->string() : fetch(host, sources, name, {}).string();
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      missing.push_back(fmt::format("{} {}: {}", package.name, package.to, error.what()));
    }
  }
  if (!missing.empty()) throw Error(join(missing, "\n"), "cudapin history");
}

/// What cudapin stored before the change is known by its hash; anything else has to be signed.
void verify_files(const Host& host, const PacmanConf& conf, JournalRecord& record) {
  for (auto& package : record.packages) {
    if (package.to.empty()) continue;
    host.check_interrupt();
    verify_package_archive(package.file);
    const auto sha256 = sha256_file(package.file);
    if (sha256 != package.sha256) require_good_signature(package.file, conf.gpg_dir);
    package.sha256 = sha256;
  }
}

std::string plan_text(const Host& host, const JournalRecord& record, const JournalRecord& last) {
  std::vector<Row> rows;
  for (const auto& package : record.packages)
    rows.push_back({package.name,
                    package.from.empty() ? package.to
                    : package.to.empty() ? package.from
                                         : package.from + " -> " + package.to,
                    package.from.empty() ? tr_text("install")
                    : package.to.empty() ? tr_text("remove")
                                         : ""});
  return tr("Takes back '{}' of {}: {}\n\n", last.command, last.time,
            record.after ? tr("back to profile {}", record.after->profile) : tr_text("no profile, no pins")) +
         table(rows, style_of(host));
}

ActionKind kind_of(const JournalPackage& package) {
  if (package.to.empty()) return ActionKind::remove;
  if (package.from.empty()) return ActionKind::install;
  return compare_versions(package.to, package.from) < 0 ? ActionKind::downgrade : ActionKind::upgrade;
}

std::vector<std::string> changed_pins(const JournalRecord& record) {
  std::vector<std::string> names;
  for (const auto* state : {&record.before, &record.after})
    if (*state)
      for (const auto& [name, version] : (*state)->pins) names.push_back(name);
  return names;
}

/// Running work and freezes bind the way back as well.
void check_guard(const Host& host, const JournalRecord& record) {
  Plan plan{.profile = record.after ? record.after->profile : ""};
  for (const auto& package : record.packages)
    plan.actions.push_back(
        {.kind = kind_of(package), .name = package.name, .from = package.from, .to = package.to});
  refuse_guarded(host, plan);
  if (!plan.changes_packages()) refuse_frozen(host, changed_pins(record));
}

bool is_same_change(const std::optional<JournalRecord>& one, const JournalRecord& other) {
  return one && one->time == other.time && one->command == other.command;
}

}  // namespace

ExitStatus undo(const UndoOptions& options, const Host& host) {
  if (!options.dry_run && !host.privileged)
    throw Error(tr_text("only root can change packages"), "sudo cudapin undo");
  if (!options.dry_run) settle_if_due(host);
  const auto last = last_change(host);
  if (!last) {
    if (!options.quiet) *host.out << tr_text("nothing to undo: no change is on record\n");
    return ExitStatus::done;
  }
  const auto conf = read_pacman_conf(host);
  auto record = reversed(host, conf, *last);
  check_guard(host, record);
  if (!options.quiet) *host.out << plan_text(host, record, *last);
  if (options.dry_run) return ExitStatus::done;
  if (!options.noconfirm) ask(host, tr_text("Go on?"), tr_text("add --noconfirm"));
  find_files(options, host, conf, record);
  const StateLock lock(host);
  if (!is_same_change(last_change(host), *last))
    throw Error(tr_text("another cudapin changed packages meanwhile"), tr_text("run the same command again"));
  verify_files(host, conf, record);
  keep_way_back(host, conf, record.packages);
  carry_out(host, conf, record, [&] { check_guard(host, record); });
  follow_tuning(host);
  if (!options.quiet)
    *host.out << (record.after ? tr("{} is in force again\n", record.after->profile)
                               : std::string(tr_text("the set before is back, nothing is pinned\n")));
  return ExitStatus::done;
}

}  // namespace cudapin
