// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/pacman_conf.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// The incomplete entries below DBPATH/local: names of folders (NAME-VERSION), sorted.
std::vector<std::string> broken_entries(const std::filesystem::path& dbpath);

/// Read-only view of the installed packages, through a handle of its own without sync databases; of the
/// configuration only root and dbpath count. A package whose database entry is incomplete (a commit was
/// killed) is not found, left out of `all` and listed by `broken`.
class LocalDatabase {
 public:
  /// Throws Error when the database is missing or of another format.
  explicit LocalDatabase(const PacmanConf& conf);
  ~LocalDatabase();
  LocalDatabase(LocalDatabase&&) noexcept;
  LocalDatabase& operator=(LocalDatabase&&) noexcept;

  std::optional<Package> find(const std::string& name) const;
  std::vector<Package> all() const;
  /// Paths that `name` owns, without leading slash; folders end in one.
  std::vector<std::string> files(const std::string& name) const;
  /// What it can make use of, "gdb: for cuda-gdb".
  std::vector<std::string> optional(const std::string& name) const;
  /// Paths of its backup files.
  std::vector<std::string> backup_files(const std::string& name) const;
  /// broken_entries of this database.
  std::vector<std::string> broken() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudapin
