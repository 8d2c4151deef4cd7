// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/apply.hpp"
#include "commands/asking.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/leaving.hpp"
#include "commands/manjaro.hpp"
#include "commands/modules.hpp"
#include "commands/package_files.hpp"
#include "commands/profiles.hpp"
#include "commands/resolving.hpp"
#include "commands/style.hpp"
#include "commands/tuning.hpp"
#include "commands/way_back.hpp"
#include "core/pins.hpp"
#include "core/profile_words.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/archive.hpp"
#include "system/guard_state.hpp"
#include "system/http.hpp"
#include "system/local_database.hpp"
#include "system/local_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// An entry that was cut off has a folder and no description.
bool is_whole_entry(const PacmanConf& conf, const std::string& name, const std::string& version) {
  return installed_links(conf.dbpath, name, version).version == version;
}

/// Everything the profile wants is installed, pinned, guarded and recorded: the cheap question first, without
/// libalpm, which would look at every entry of the database; nothing is written.
bool is_in_force(const Host& host, const PacmanConf& conf, const Profile& profile) {
  const auto state = read_state(host);
  if (!state || state->profile != profile.name || journal_is_open(host)) return false;
  const auto installed = installed_versions(conf.dbpath);
  std::map<std::string, std::string> pins;
  for (const auto& wanted : profile.open) {
    const auto now = installed.find(wanted.name);
    if (now == installed.end() || !is_whole_entry(conf, wanted.name, now->second) ||
        !wanted.range.holds(*Version::parse(now->second)))
      return false;
    pins.insert(*now);
  }
  for (const auto& wanted : profile.packages) {
    const auto now = installed.find(wanted.name);
    if (now == installed.end() && wanted.only_if_installed) continue;
    if (now == installed.end() || now->second != wanted.version.text() ||
        !is_whole_entry(conf, wanted.name, now->second))
      return false;
    pins.insert(*now);
  }
  for (const auto& partner : profile.pin_if_installed)
    if (const auto now = installed.find(partner); now != installed.end()) pins.insert(*now);
  std::vector<std::string> names;
  for (const auto& [name, version] : pins) names.push_back(name);
  return state->pins == pins && tuning_is_recorded(host, profile) &&
         guard_state_is(host, pins, profile.name, conf.dbpath) && pins_in(read_file(conf.file)) == names;
}

PackageFileName file_name_of(const Action& action) { return *parse_file_name(action.file); }

void fill_sources(Plan& plan, const Sources& sources) {
  std::vector<std::string> missing;
  for (auto& action : plan.actions) {
    if (!needs_file(action)) continue;
    action.source = shown_url(locate(sources, file_name_of(action)));
    if (action.source.empty())
      missing.push_back(tr("'{}' is in no cache or folder, and no archive may be asked", action.file));
  }
  if (!missing.empty())
    throw Error(join(missing, "\n"), tr_text("run it without --offline, or name a folder with --archive"));
}

/// What the person's own IgnorePkg lines cover already: those lines stay on release.
void note_ignored_already(const PacmanConf& conf, Plan& plan) {
  const auto theirs = foreign_ignores(conf);
  for (const auto& name : plan.pins)
    if (const auto entry = covering_entry(theirs, name); !entry.empty())
      plan.findings.push_back(
          {Severity::note,
           tr("pacman.conf ignores {} already, by '{}'; that line stays as it is", name, printable(entry)),
           "", ""});
}

void show_plan(const UseOptions& options, const Host& host, const Profile& profile, const Plan& plan,
               const Facts& facts) {
  if (options.json) {
    *host.out << plan_json(plan);
    return;
  }
  if (options.quiet) return;
  *host.out << fitted(host, tr("Profile {}: {}\n", profile.name, printable(profile.summary)))
            << facts_text(facts, style_of(host, options.verbose)) << '\n'
            << plan_text(plan, style_of(host, options.verbose));
}

/// Undo works from what is stored; where nothing is, the person knows before.
void note_missing_way_back(const Host& host, const PacmanConf& conf, Plan& plan) {
  std::vector<std::string> missing;
  for (const auto& action : plan.actions)
    if (action.kind != ActionKind::keep && !action.from.empty() &&
        !find_package_file(host, conf, action.name, action.from))
      missing.push_back(action.name + " " + action.from);
  if (!missing.empty())
    plan.findings.push_back({.severity = Severity::note,
                             .what = tr_text("undo will need the archive"),
                             .evidence = tr("no cache has {}", join(missing, ", "))});
}

/// What the lock does to this plan: whose word lets in what pacman refuses, and which word does not count.
void note_lock(const std::optional<Lock>& lock, Plan& plan) {
  if (!lock) return;
  plan.findings.push_back({.severity = Severity::note,
                           .what = tr_text("exactly the files of a lock, and no others"),
                           .evidence = lock->file.origin});
  for (const auto& action : plan.actions) {
    const auto* locked = needs_file(action) ? lock->file.find(action.name) : nullptr;
    if (!locked || !locked->vouched) continue;
    const auto refused =
        tr("pacman refuses the signature of {} {} ({})", action.name, action.to, word_of(*locked->vouched));
    if (lock->objection.empty())
      plan.findings.push_back({.severity = Severity::warning,
                               .what = tr("{}; the lock vouches for its bytes", refused),
                               .evidence = "SHA-256 " + locked->sha256});
    else
      plan.findings.push_back({.severity = Severity::warning,
                               .what = tr("{}; the lock vouches for it, but that does not count", refused),
                               .evidence = lock->objection});
  }
}

/// Names the work that would lose files it has mapped, or its driver; and a freeze.
void check_guard(const Host& host, const Plan& plan) {
  refuse_guarded(host, plan);
  if (!plan.changes_packages() && !plan.is_in_force) refuse_frozen(host, plan.pins);
}

/// Brings every file into the store; the longest part, and it holds no lock.
std::vector<JournalPackage> fetch_all(const UseOptions& options, const Host& host, const Sources& sources,
                                      const Profile& profile, const Plan& plan) {
  std::vector<WantedFile> files;
  std::vector<JournalPackage> packages;
  for (const auto& action : plan.actions) {
    if (!needs_file(action)) continue;
    const auto package = std::ranges::find(profile.packages, action.file, &ProfilePackage::file);
    files.push_back(package == profile.packages.end() ? WantedFile{file_name_of(action)}
                                                      : wanted_file(*package));
    packages.push_back({action.name, action.from, action.to, "", "", action.reason});
  }
  const auto paths = fetch_files(host, sources, files, options.quiet);
  for (std::size_t i = 0; i < paths.size(); ++i) packages[i].file = paths[i].string();
  return packages;
}

/// The packages that leave, as the journal has them: without a version after.
std::vector<JournalPackage> leaving(const Plan& plan) {
  std::vector<JournalPackage> packages;
  for (const auto& action : plan.actions)
    if (action.kind == ActionKind::remove)
      packages.push_back({action.name, action.from, "", "", "", action.reason});
  return packages;
}

/// What a package itself says it needs counts, where the profile or a repository said otherwise.
void require_the_dependencies(const std::vector<Package>& found, Profile profile,
                              std::span<const Package> installed) {
  for (auto& wanted : profile.packages)
    for (const auto& package : found)
      if (package.name == wanted.name) {
        wanted.depends = package.depends;
        wanted.provides = package.provides;
        wanted.conflicts = package.conflicts;
      }
  if (const auto problems = dependency_problems(profile, installed); !problems.empty())
    throw Error(join(problems, "\n"), tr("cudapin show {} lists what the profile says", profile.name));
}

/// The lock's bytes, the signature, every byte against .MTREE, and that it is the package the plan means. All
/// before anything changes. Returns what the packages say of themselves.
std::vector<Package> verify_all(const UseOptions& options, const Checks& checks,
                                std::vector<JournalPackage>& packages) {
  std::vector<fs::path> paths;
  for (const auto& package : packages) paths.emplace_back(package.file);
  const auto files = check_files(checks, paths);
  require_accepted(checks, files, options.profile);
  auto descriptions = check_archives(checks, files);
  for (std::size_t i = 0; i < files.size(); ++i) packages[i].sha256 = files[i].sha256;
  if (options.quiet) return descriptions;
  *checks.host.out << signatures_text(files, checks.host);
  for (const auto& file : files)
    if (options.verbose)
      *checks.host.out << tr("verified {} {}, sha256 {}\n", file.name.name, file.name.version.text(),
                             file.sha256);
  return descriptions;
}

State state_after(const Host& host, const Profile& profile, const Plan& plan, const PacmanConf& conf) {
  State state{.profile = profile.name, .origin = profile.origin, .since = timestamp(host)};
  const LocalDatabase database(conf);
  const auto former = read_state(host);
  for (const auto& name : pins_outside(read_file(conf.file), plan.pins))
    if (!former || !former->pins.count(name) || std::ranges::count(former->own, name))
      state.own.push_back(name);
  for (const auto& name : plan.pins) {
    const auto* wanted = profile.find(name);
    state.pins[name] = wanted ? wanted->version.text() : database.find(name)->version;
  }
  return state;
}

void report_done(const UseOptions& options, const Host& host, const Profile& profile, const Plan& plan,
                 const std::optional<State>& before) {
  if (options.quiet) return;
  *host.out << fitted(host, tr("{} is in force; pinned: {}\n", profile.name, join(plan.pins, " ")));
  std::vector<std::string> unpinned;
  if (before)
    for (const auto& [name, version] : before->pins)
      if (std::ranges::find(plan.pins, name) == plan.pins.end()) unpinned.push_back(name);
  if (!unpinned.empty())
    *host.out << fitted(host, tr("no longer pinned, still installed: {}\n", join(unpinned, " ")));
  if (!profile.environment.empty()) *host.out << tr_text("log in again, or in this shell:\n");
  for (const auto& [name, value] : profile.environment)
    *host.out << fmt::format("  export {}={}\n", name, value);
}

/// What the packages that came new could use and the machine lacks; shown as pacman shows it, never taken.
void tell_optional(const Host& host, const PacmanConf& conf, const Plan& plan) {
  const LocalDatabase database(conf);
  const auto installed = database.all();
  for (const auto& action : plan.actions) {
    if (action.kind != ActionKind::install) continue;
    auto lacking = database.optional(action.name);
    std::erase_if(lacking, [&](const std::string& text) {
      return find_satisfier(installed, parse_dependency(text)) != nullptr;
    });
    if (!lacking.empty()) *host.out << tr("optional dependencies of {}:\n", action.name);
    for (const auto& text : lacking) *host.out << fmt::format("  {}\n", printable(text));
  }
}

/// The packages that the person lets go, each installed and none that a system stands on.
std::vector<std::string> removable(const std::vector<std::string>& names,
                                   std::span<const Package> installed) {
  std::vector<std::string> problems;
  for (const auto& name : names)
    if (std::ranges::find(installed, name, &Package::name) == installed.end())
      problems.push_back(tr("'{}' cannot be removed: it is not installed", printable(name)));
    else if (is_foundation(name))
      problems.push_back(tr("'{}' cannot be removed: the system stands on it", name));
  if (!problems.empty()) throw Error(join(problems, "\n"), tr_text("pacman -Qq lists what is installed"));
  return names;
}

/// The plan is made again under the lock: another command may have changed the machine while we fetched.
void require_same_plan(const Profile& profile, const PacmanConf& conf, const Plan& plan) {
  const auto again = make_plan(profile, LocalDatabase(conf).all());
  const bool same =
      std::ranges::equal(again.actions, plan.actions, [](const Action& left, const Action& right) {
        return left.kind == right.kind && left.name == right.name && left.from == right.from;
      });
  if (!same || again.pins != plan.pins)
    throw Error(tr_text("the installed packages changed while the files were fetched"),
                tr_text("run the same command again"));
}

void execute(const UseOptions& options, const Host& host, const PacmanConf& conf, const Profile& profile,
             const std::optional<Lock>& lock, const Plan& plan, const Sources& sources) {
  host.step("fetch");
  auto packages = fetch_all(options, host, sources, profile, plan);
  host.step("lock");
  const StateLock state_lock(host);
  require_same_plan(profile, conf, plan);
  host.step("verify");
  const auto descriptions = verify_all(options, checks_with(host, conf, lock, options.quiet), packages);
  const LocalDatabase database(conf);
  require_the_dependencies(descriptions, profile, database.all());
  require_matching_releases(database, packages);
  std::ranges::move(leaving(plan), std::back_inserter(packages));
  host.step("way back");
  keep_way_back(host, conf, packages);
  const auto before = read_state(host);
  carry_out(host, conf,
            {.command = "use " + profile.name,
             .why = profile.summary,
             .user = acting_user(host),
             .time = timestamp(host),
             .packages = packages,
             .before = before,
             .after = state_after(host, profile, plan, conf)},
            [&] { check_guard(host, plan); });
  keep_pinned(host, conf, read_state(host)->pins);
  follow_tuning(host);
  if (!options.quiet) tell_optional(host, conf, plan);
  report_done(options, host, profile, plan, before);
}

}  // namespace

ExitStatus use(const UseOptions& given, const Host& host) {
  auto options = given;
  options.quiet |= options.json;
  std::ostream nowhere(nullptr);
  auto acting = host;  // the plan is all that standard output has with --json
  if (options.json) acting.out = &nowhere;
  auto profile = load_profile(host, options.profile);
  const auto lock = lock_of(host, profile, options.locked);
  if (!options.dry_run && !host.privileged)
    throw Error(tr_text("only root can change packages"),
                tr("sudo cudapin use {}, or add --dry-run", printable(options.profile)));
  if (!options.dry_run) settle_if_due(acting);
  const auto conf = read_pacman_conf(host);
  profile = for_this_system(host, conf, std::move(profile));
  if (lock) {
    profile = with_lock(std::move(profile), lock->file, LocalDatabase(conf).all());
    require_installed_as_locked(host, conf, lock->file);
  }
  const bool was_in_force = is_in_force(host, conf, profile);
  if (!options.json && was_in_force) {
    if (!options.gpus.empty() && profile.open.empty())
      refuse_errors(judge_profile(profile, gather_facts(host, conf, options.gpus)));
    if (!options.quiet) *host.out << tr("{} is in force already; nothing to do\n", profile.name);
    return ExitStatus::done;
  }
  const auto facts = gather_facts(host, conf, options.gpus);
  if (profile.open.empty()) refuse_errors(judge_profile(profile, facts));
  const auto sources = sources_of(host, conf, options.archives, options.offline);
  const LocalDatabase database(conf);
  const auto installed = database.all();
  profile.removals = removable(options.removals, installed);
  Repositories repositories(host, conf);
  auto resolution = resolve_here(host, conf, sources, profile, installed, repositories);
  profile = std::move(resolution.profile);
  auto findings = judge_profile(profile, facts);
  std::ranges::move(tuning_findings(host, profile), std::back_inserter(findings));
  refuse_errors(findings);
  auto plan = make_plan(profile, installed);
  plan.is_in_force = was_in_force;
  plan.findings = std::move(findings);
  std::ranges::move(resolution.notes, std::back_inserter(plan.findings));
  std::ranges::move(upgrade_findings(repositories, conf, profile, plan.pins, installed),
                    std::back_inserter(plan.findings));
  note_missing_way_back(host, conf, plan);
  note_ignored_already(conf, plan);
  note_lock(lock, plan);
  check_guard(host, plan);
  if (!options.dry_run) check_pins(host, plan.pins);
  refuse_foreign_builds(plan, sources);
  require_modules(profile, installed);
  require_driver_of_host(host, plan);
  note_own_builds(host, conf, sources, plan);
  fill_sources(plan, sources);
  std::ranges::move(leaving_findings(conf, database, plan, installed), std::back_inserter(plan.findings));
  show_plan(options, host, profile, plan, facts);
  if (options.dry_run || was_in_force) return ExitStatus::done;
  if (!options.noconfirm)
    ask(host, tr_text("Go on?"), tr_text("add --noconfirm, or --dry-run to see the plan only"));
  execute(options, acting, conf, profile, lock, plan, sources);
  refresh_bounds(host, conf, facts.machine.gpus);
  return ExitStatus::done;
}

}  // namespace cudapin
