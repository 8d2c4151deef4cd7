// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// The guard's files below a root ("" is the machine's own). Reading never throws: what cannot be read or is
/// garbled is told to `complain` and counts as nothing.
class GuardFiles {
 public:
  using Complain = std::function<void(const std::string&)>;
  /// `dbpath`: another database folder than the one that cudapin left word of.
  explicit GuardFiles(std::string root, Complain complain = {}, std::string dbpath = {});

  std::string state(std::string_view name) const {
    return root_ + "/var/lib/cudapin/guard/" + std::string(name);
  }
  std::string records() const { return root_ + "/run/cudapin"; }
  /// pacman's database folder, from the file that cudapin left, without a slash at its end.
  std::string dbpath() const;
  /// The folder of the transaction that holds pacman's lock now, or empty: the same in all of its hooks.
  std::string transaction() const;
  const std::string& root() const { return root_; }

  /// Pins, bounds, freezes and allowances, all of them; false when a file is there and is of no use.
  bool read(GuardInput& input) const;
  GuardPolicy policy() const;

  /// Throw Error when they cannot be written.
  void write_freezes(const std::vector<Freeze>& freezes) const;
  void write_allowances(const std::vector<Allowance>& allowances) const;

  /// Gives every name that is pinned, frozen or a driver, and that no shipped hook covers, hooks of its own;
  /// without such names there are none. A hook that an admin masked stays masked. Throws Error.
  void refresh_hooks() const;
  /// Whether the hooks are what refresh_hooks would make them.
  bool hooks_are_fresh() const;

 private:
  std::vector<std::string> uncovered() const;

  std::string root_;
  Complain complain_;
  mutable std::string dbpath_;  ///< read once
};

}  // namespace cudapin
