// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// /etc/cudapin/config.yaml; every key has a default, so the file may be missing.
struct Config {
  std::vector<std::string> archives{
      "https://archive.archlinux.org"};     ///< URLs (https, http, file) or folders
  unsigned parallel = default_connections;  ///< connections to one server at once
};

/// Problems as in parse_profile.
Config parse_config(std::string_view text, const std::string& origin);

}  // namespace cudapin
