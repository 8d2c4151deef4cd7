// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace cudapin {

/// How the network is used, as the command line asks.
struct Network {
  enum class Version { any, four, six };

  unsigned connections = 0;      ///< to one server at once; 0: as the configuration says
  std::uint64_t limit_rate = 0;  ///< bytes a second of all transfers together; 0: no limit
  Version version = Version::any;
  bool use_netrc = false;  ///< names and passwords from ~/.netrc
};

inline constexpr unsigned default_connections = 4;
inline constexpr unsigned connections_limit = 16;

}  // namespace cudapin
