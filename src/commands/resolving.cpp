// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/resolving.hpp"

#include "commands/profiles.hpp"
#include "core/error.hpp"
#include "core/pins.hpp"
#include "core/plan.hpp"
#include "core/upgrade_forecast.hpp"
#include "core/words.hpp"
#include "system/catalog.hpp"
#include "system/snapshot.hpp"

#include <algorithm>
#include <optional>

namespace cudapin {

namespace {

/// What a resolution asked for, kept for the time it takes, and what went wrong on the way.
class Supply {
 public:
  Supply(const Host& host, const PacmanConf& conf, const Sources& sources, const Profile& profile,
         std::span<const Package> installed, Repositories& repositories)
      : host_(host),
        conf_(conf),
        sources_(sources),
        profile_(profile),
        installed_(installed),
        repositories_(repositories) {}

  std::vector<ArchivedFile> files(const std::string& name) {
    auto catalog = catalog_of(host_, sources_, name);
    for (auto& problem : catalog.problems) note(problem, "");
    return std::move(catalog.files);
  }

  const RepositoryIndex* repositories() {
    if (!std::exchange(has_judged_, true)) is_behind_ = repositories_.index() && is_behind();
    return is_behind_ ? nullptr : repositories_.index();
  }

  const RepositoryIndex* snapshot() {
    if (!std::exchange(has_snapshot_, true)) {
      std::string problem;
      snapshot_ = snapshot_of(host_, sources_, profile_.snapshot, problem);
      if (!problem.empty()) note(tr("no snapshot to look into: {}", problem), "");
      if (snapshot_ && snapshot_->day != profile_.snapshot)
        note(tr("the archive has no {}; the repositories of {} are taken", profile_.snapshot, snapshot_->day),
             tr_text("the nearest earlier day"));
    }
    return snapshot_ ? &snapshot_->index : nullptr;
  }

  std::vector<Finding> notes;

 private:
  void note(std::string what, std::string evidence) {
    notes.push_back({.severity = Severity::note, .what = std::move(what), .evidence = std::move(evidence)});
  }

  /// Whether an upgrade waits that nobody holds back: then one package taken from there could want what comes
  /// with it.
  bool is_behind() {
    for (const auto& package : installed_) {
      const auto there = repositories_.index()->find(package.name);
      if (!there || compare_versions(there->package.version, package.version) <= 0 ||
          !covering_entry(conf_.ignore_pkg, package.name).empty())
        continue;
      note(tr_text("the system is behind its repositories, so nothing is taken from them"),
           tr("{} {} is installed, {} is there", package.name, package.version, there->package.version));
      return true;
    }
    return false;
  }

  const Host& host_;
  const PacmanConf& conf_;
  const Sources& sources_;
  const Profile& profile_;
  std::span<const Package> installed_;
  Repositories& repositories_;
  bool has_judged_ = false;
  bool is_behind_ = false;
  bool has_snapshot_ = false;
  std::optional<Snapshot> snapshot_;
};

std::vector<ProfilePackage> named_by_profiles(const Host& host, const std::string& name) {
  std::vector<ProfilePackage> named;
  for (const auto& profile : readable_profiles(host))
    if (const auto* package = profile.find(name)) named.push_back(*package);
  return named;
}

}  // namespace

const RepositoryIndex* Repositories::index() {
  if (!std::exchange(is_read_, true)) index_ = repositories_of(host_, conf_);
  return index_ ? &*index_ : nullptr;
}

Resolution resolve_here(const Host& host, const PacmanConf& conf, const Sources& sources,
                        const Profile& profile, std::span<const Package> installed,
                        Repositories& repositories) {
  Supply supply(host, conf, sources, profile, installed, repositories);
  const Supplies supplies{.files = [&](const std::string& name) { return supply.files(name); },
                          .repositories = [&] { return supply.repositories(); },
                          .snapshot = [&] { return supply.snapshot(); },
                          .named = [&](const std::string& name) { return named_by_profiles(host, name); }};
  try {
    auto resolution = resolve(profile, installed, supplies);
    resolution.notes.insert(resolution.notes.begin(), supply.notes.begin(), supply.notes.end());
    return resolution;
  } catch (const Error& error) {
    std::string text = error.what();
    for (const auto& note : supply.notes)
      text += "\n" + note.what + (note.evidence.empty() ? "" : " (" + note.evidence + ")");
    throw Error(text, error.hint, error.status);
  }
}

std::vector<Finding> upgrade_findings(Repositories& repositories, const PacmanConf& conf,
                                      const Profile& profile, std::span<const std::string> pins,
                                      std::span<const Package> installed) {
  const auto* index = repositories.index();
  if (!index) return {};
  return forecast_upgrade(packages_after(profile, installed), pins, foreign_ignores(conf), *index);
}

}  // namespace cudapin
