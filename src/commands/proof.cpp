// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"
#include "commands/change.hpp"
#include "core/words.hpp"
#include "system/local_database.hpp"
#include "system/package_file.hpp"

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// What may differ from the package by right: backup files that were edited, and what NoExtract and NoUpgrade
/// leave as it is.
std::vector<std::string> content_unchecked(const PacmanConf& conf, const LocalDatabase& database,
                                           const std::string& name) {
  auto unchecked = database.backup_files(name);
  unchecked.insert(unchecked.end(), conf.no_extract.begin(), conf.no_extract.end());
  unchecked.insert(unchecked.end(), conf.no_upgrade.begin(), conf.no_upgrade.end());
  return unchecked;
}

std::vector<std::string> problems_of(const PacmanConf& conf, const LocalDatabase& database,
                                     const JournalPackage& package, bool attributes) {
  const auto now = database.find(package.name);
  if (package.to.empty())
    return now ? std::vector{tr("{} should be gone and is {}", package.name, now->version)}
               : std::vector<std::string>{};
  if (!now || now->version != package.to)
    return {tr("{} should be {} and is {}", package.name, package.to,
               now ? now->version : tr_text("not installed"))};
  const auto label = package.name + " " + package.to;
  if (database.files(package.name).empty()) return {tr("{} owns no files", label)};
  const auto mtree = conf.dbpath / "local" / (package.name + "-" + package.to) / "mtree";
  std::error_code missing;
  if (!fs::exists(mtree, missing))
    return {tr("{}: its database entry has lost the list of checksums", label)};
  const auto unchecked = content_unchecked(conf, database, package.name);
  auto problems = compare_installed(conf.root, mtree, unchecked);
  if (attributes && problems.empty()) problems = compare_attributes(conf.root, mtree, unchecked);
  for (auto& problem : problems) problem = label + ": " + problem;
  return problems;
}

}  // namespace

std::vector<std::string> unproven(const PacmanConf& conf, const std::vector<JournalPackage>& packages,
                                  bool attributes) {
  const LocalDatabase database(conf);
  std::vector<std::string> problems;
  for (const auto& package : packages)
    for (auto& problem : problems_of(conf, database, package, attributes))
      problems.push_back(std::move(problem));
  return problems;
}

void restore_times_of(const PacmanConf& conf, const std::vector<JournalPackage>& packages) {
  const LocalDatabase database(conf);
  for (const auto& package : packages)
    if (!package.to.empty())
      restore_times(conf.root, conf.dbpath / "local" / (package.name + "-" + package.to) / "mtree",
                    content_unchecked(conf, database, package.name));
}

}  // namespace cudapin
