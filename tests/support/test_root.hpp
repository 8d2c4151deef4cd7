// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "support/standin.hpp"
#include "support/test_folder.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <atomic>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

namespace cudapin {

/// An empty system in a temporary folder: pacman.conf, local database, package cache, log, gpg folder, hook
/// folder. Beside the root are an empty `proc`, `sys` and `packages` (where stand-ins are built).
class TestRoot {
 public:
  TestRoot();

  std::filesystem::path path() const { return folder_ / "root"; }
  std::filesystem::path at(std::string_view path) const;
  std::filesystem::path proc() const { return folder_ / "proc"; }
  std::filesystem::path sys() const { return folder_ / "sys"; }
  std::filesystem::path packages() const { return folder_ / "packages"; }
  std::filesystem::path pacman_conf() const { return at("/etc/pacman.conf"); }
  std::filesystem::path local_database() const { return at("/var/lib/pacman/local"); }
  std::filesystem::path lock_file() const { return at("/var/lib/pacman/db.lck"); }

  /// The same as reading pacman.conf would give.
  PacmanConf conf() const;

  /// Builds and installs through libalpm in one transaction, dependencies unchecked, no hooks or scriptlets.
  void install(std::span<const StandIn> packages, Reason reason = Reason::explicitly) const;
  void install(const StandIn& package, Reason reason = Reason::explicitly) const;

  /// The version that the local database folder says, or nothing.
  std::optional<std::string> installed(std::string_view name) const;

 private:
  TestFolder folder_;
};

/// A Host on a TestRoot: string streams, a fixed clock (2024-01-02 03:04:05 UTC), privileged, no terminal.
struct TestHost {
  explicit TestHost(const TestRoot& root);
  TestHost(const TestHost&) = delete;
  TestHost& operator=(const TestHost&) = delete;

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  std::atomic<int> interrupt{0};
  Host host;
};

}  // namespace cudapin
