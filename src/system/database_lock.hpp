// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <filesystem>
#include <string>

namespace cudapin {

/// The process that has db.lck open, as "pid 4242 (pacman -Syu)", or empty.
std::string lock_holder(const PacmanConf& conf, const Host& host);

/// What cudapin writes down about the db.lck that its transaction makes, so that whoever finds it after our
/// death can tell it from everybody else's. libalpm makes the lock in one call, and we may die right after
/// it: so the new file carries a group of our choice, noted before, and then its inode and change time are
/// noted.
class LockNote {
 public:
  LockNote(const PacmanConf& conf, const Host& host);
  /// The lock is there.
  void made();
  /// Forgets the lock once it is gone.
  ~LockNote();
  LockNote(const LockNote&) = delete;
  LockNote& operator=(const LockNote&) = delete;

 private:
  void write(const std::string& text) const;

  std::filesystem::path lock_;
  std::filesystem::path note_;
  std::string group_;
};

/// Removes a db.lck whose holder is proven dead: nobody has it open, and it is the noted one or, with
/// `old_ones`, from before the machine started. Any other stays. Returns whether one was removed.
bool clear_dead_lock(const PacmanConf& conf, const Host& host, bool old_ones);

/// Waits up to ten seconds for a program that holds db.lck, and says for whom.
void wait_for_lock_holder(const PacmanConf& conf, const Host& host);

/// Why the lock could not be taken: a running program (named), a left-over lock, a read-only file system, or
/// not root.
Error lock_failure(const PacmanConf& conf, const Host& host);

}  // namespace cudapin
