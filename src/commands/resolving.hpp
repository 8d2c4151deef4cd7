// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/resolve.hpp"
#include "system/archive.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// The repositories of this machine as pacman last fetched them, read once and only when they are asked for.
class Repositories {
 public:
  Repositories(const Host& host, const PacmanConf& conf) : host_(host), conf_(conf) {}
  /// Null where pacman has none.
  const RepositoryIndex* index();

 private:
  const Host& host_;
  const PacmanConf& conf_;
  bool is_read_ = false;
  std::optional<RepositoryIndex> index_;
};

/// `resolve` for this machine: with what its sources have, its repositories where it is up to date with them,
/// and the profile's snapshot; each is opened or asked only when the plan needs it.
Resolution resolve_here(const Host& host, const PacmanConf& conf, const Sources& sources,
                        const Profile& profile, std::span<const Package> installed,
                        Repositories& repositories);

/// What an upgrade by pacman would come to with the profile in force: what its pins hold back and where it
/// would stop. Empty where pacman has no repositories.
std::vector<Finding> upgrade_findings(Repositories& repositories, const PacmanConf& conf,
                                      const Profile& profile, std::span<const std::string> pins,
                                      std::span<const Package> installed);

}  // namespace cudapin
