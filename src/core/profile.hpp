// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudapin {

/// A package that a profile installs and pins.
struct ProfilePackage {
  std::string name;
  Version version;
  std::string file;                 ///< full base name in the archive
  std::vector<Dependency> depends;  ///< as its .PKGINFO has them
  std::vector<Dependency> provides;
  std::vector<Dependency> conflicts;
  Reason reason = Reason::explicitly;  ///< when it is newly installed; an installed package keeps its own
};

/// A set of versions that fit together for some GPU generations. Data only; see cudapin-profile(5).
struct Profile {
  std::string name;
  std::string summary;
  std::string reason;                         ///< why these versions
  std::vector<std::string> generations;       ///< ids of compatibility's generations; never empty
  std::string snapshot;                       ///< YYYY-MM-DD of the archive the set stood on, or empty
  std::vector<ProfilePackage> packages;       ///< in the file's order; never empty
  std::vector<std::string> pin_if_installed;  ///< partners pinned at whatever version is installed
  std::vector<Dependency> requirements;       ///< checked only: must be installed, or `driver` >= a version
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> unverified;  ///< what its author could not confirm, in words
  std::string origin;                   ///< the file it was read from

  const ProfilePackage* find(std::string_view package) const;
};

/// Reads a profile; every problem of the file in one Error, each `origin:line:column: …`. A mapping of
///   name, summary, reason     text; the name in lower case
///   generations               a list of ids
///   packages                  names to exact versions, with epoch and pkgrel
///   files                     a list, one for each package: `file` (full name) and `depends`, and where
///   there
///                             are any `provides` and `conflicts`; `as: dependency` where only others need it
/// and, optional,
///   snapshot                  YYYY-MM-DD
///   pin_if_installed          a list of names
///   requires                  names, or `driver`, to bounds such as ">=450.80.02"
///   environment               variables to values; none that decides what shells load
///   unverified                a list of sentences
Profile parse_profile(std::string_view text, const std::string& origin);

}  // namespace cudapin
