// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/database_lock.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

struct TransactionTarget {
  std::filesystem::path file;
  Reason reason;  ///< of a package that is not installed yet; others keep theirs unless `set_reasons`
};

/// What else belongs to a transaction.
struct Preparation {
  std::vector<std::string> removals;  ///< installed packages that leave, for a target that conflicts too
  bool set_reasons = false;           ///< every target gets its reason, installed before or not
  bool own_files_may_exist = false;   ///< files of the targets that are there, unowned, are overwritten
};

struct TransactionEvents {
  std::function<void(const std::string& text)> log;  ///< warnings, output of hooks and scriptlets
  std::function<void(const std::string& name, int percent, std::size_t nth, std::size_t of)> progress;
};

/// One install transaction under libalpm's lock, no sync databases, hooks on, checkspace on, file signatures
/// not consulted (cudapin has verified them). Questions are answered with the cautious default.
class Transaction {
 public:
  /// Takes db.lck. Throws Error that tells "pacman is running" (with pid and command of the holder when there
  /// is one) from "read-only database" from "not root".
  Transaction(const PacmanConf& conf, const Host& host, TransactionEvents events);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Adds all targets and prepares; every problem (dependencies, conflicts, architecture) in one Error.
  void prepare(std::span<const TransactionTarget> targets, const Preparation& preparation = {});
  /// Installs. Throws Error when libalpm reports a failure (a refusing hook included). Returning proves
  /// nothing: a caller re-reads the database (see `unproven`). A signal stops it between packages, and the
  /// Error says `interrupted`.
  void commit();
  /// Whether a package may have been touched: false while a failed commit has changed nothing.
  bool started() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudapin
