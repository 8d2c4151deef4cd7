// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace cudapin {

/// How the network is used, as the command line asks.
struct Network {
  enum class Version { any, four, six };

  unsigned connections = 0;      ///< to one server at once; 0: as the configuration says
  std::uint64_t limit_rate = 0;  ///< bytes a second of all transfers together; 0: no limit
  Version version = Version::any;
  bool use_netrc = false;         ///< names and passwords from ~/.netrc
  std::string netrc = {};         ///< a copy of it that is read in its place, or empty
  std::string certificates = {};  ///< the same for those of SSL_CERT_FILE
};

inline constexpr unsigned default_connections = 4;
inline constexpr unsigned connections_limit = 16;

}  // namespace cudapin
