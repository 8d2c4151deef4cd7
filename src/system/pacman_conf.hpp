// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// pacman's effective configuration as `pacman-conf` prints it; every path is already below Host::root.
struct PacmanConf {
  std::filesystem::path file;
  std::filesystem::path root;
  std::filesystem::path dbpath;
  std::vector<std::filesystem::path> cache_dirs;
  std::vector<std::filesystem::path> hook_dirs;  ///< without the system one
  std::filesystem::path gpg_dir;
  std::filesystem::path log_file;
  std::vector<std::string> architectures;
  std::vector<std::string> ignore_pkg;
  std::vector<std::string> ignore_group;
  std::vector<std::string> no_extract;
  std::vector<std::string> no_upgrade;
  std::vector<std::string> repositories;  ///< in their order
};

/// Asks pacman-conf. Throws Error with pacman's own reason when the configuration is refused.
PacmanConf read_pacman_conf(const Host& host);

/// The entries of IgnorePkg that are not those of the managed block: they stay when the pins change.
std::vector<std::string> foreign_ignores(const PacmanConf& conf);

/// Throws what write_pins would throw now: the file cannot be changed, has no [options], or pacman would not
/// take the pins. Changes nothing.
void check_pins(const Host& host, std::span<const std::string> names);

/// Writes the managed block for `names` (none: takes it out), then reads the value back through pacman-conf.
/// When pacman refuses the file or does not list every name, the old bytes are restored and an Error says
/// why. A file that already is right is not touched. What others wrote into the block is kept below it: names
/// that are neither in `names` nor in `former`, what cudapin pinned before; without `former`, the block is
/// taken to be cudapin's alone. Returns whether the file changed.
bool write_pins(const Host& host, std::span<const std::string> names,
                std::span<const std::string> former = {});

/// The same from any state of the block (see `repaired_pins`).
bool repair_pins(const Host& host, std::span<const std::string> names, std::span<const std::string> own,
                 std::span<const std::string> former);

}  // namespace cudapin
