// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/local_database.hpp"

#include "system/alpm_handle.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;
using namespace alpm;

namespace {

/// A killed commit leaves a folder without desc or files; a full disk leaves an empty desc. (The list of
/// files of a package without files is empty by right.)
bool is_complete(const fs::path& entry) {
  std::error_code missing;
  const auto size = fs::file_size(entry / "desc", missing);
  return !missing && size > 0 && fs::exists(entry / "files", missing);
}

}  // namespace

std::vector<std::string> broken_entries(const fs::path& dbpath) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(dbpath / "local"))
    if (entry.is_directory() && !is_complete(entry.path())) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

struct LocalDatabase::State {
  Handle handle;
  fs::path dbpath;

  bool whole(alpm_pkg_t* pkg) const {
    const auto folder = fmt::format("{}-{}", alpm_pkg_get_name(pkg), alpm_pkg_get_version(pkg));
    return is_complete(dbpath / "local" / folder);
  }
  alpm_pkg_t* find(const std::string& name) const {
    auto* pkg = alpm_db_get_pkg(alpm_get_localdb(handle.get()), name.c_str());
    return pkg && whole(pkg) ? pkg : nullptr;
  }
};

LocalDatabase::LocalDatabase(const PacmanConf& conf)
    : state_(std::make_unique<State>(State{open_handle(conf), conf.dbpath})) {}
LocalDatabase::~LocalDatabase() = default;
LocalDatabase::LocalDatabase(LocalDatabase&&) noexcept = default;
LocalDatabase& LocalDatabase::operator=(LocalDatabase&&) noexcept = default;

std::optional<Package> LocalDatabase::find(const std::string& name) const {
  auto* pkg = state_->find(name);
  return pkg ? std::optional(to_package(pkg)) : std::nullopt;
}

std::vector<Package> LocalDatabase::all() const {
  std::vector<Package> packages;
  for_each<alpm_pkg_t>(alpm_db_get_pkgcache(alpm_get_localdb(state_->handle.get())), [&](alpm_pkg_t* pkg) {
    if (state_->whole(pkg)) packages.push_back(to_package(pkg));
  });
  return packages;
}

std::vector<std::string> LocalDatabase::files(const std::string& name) const {
  std::vector<std::string> paths;
  auto* pkg = state_->find(name);
  const auto* list = pkg ? alpm_pkg_get_files(pkg) : nullptr;
  for (std::size_t i = 0; list && i < list->count; ++i) paths.emplace_back(list->files[i].name);
  return paths;
}

std::vector<std::string> LocalDatabase::optional(const std::string& name) const {
  auto* pkg = state_->find(name);
  return pkg ? dependency_texts(alpm_pkg_get_optdepends(pkg)) : std::vector<std::string>{};
}

std::vector<std::string> LocalDatabase::backup_files(const std::string& name) const {
  std::vector<std::string> paths;
  if (auto* pkg = state_->find(name))
    for_each<alpm_backup_t>(alpm_pkg_get_backup(pkg),
                            [&](alpm_backup_t* backup) { paths.emplace_back(backup->name); });
  return paths;
}

std::vector<std::string> LocalDatabase::broken() const { return broken_entries(state_->dbpath); }

}  // namespace cudapin
