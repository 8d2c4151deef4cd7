// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "core/tuning.hpp"
#include "core/version_range.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudapin {

/// A package that a profile installs.
struct ProfilePackage {
  std::string name;
  Version version;
  std::string file;                 ///< full base name in the archive
  std::vector<Dependency> depends;  ///< as its .PKGINFO has them
  std::vector<Dependency> provides;
  std::vector<Dependency> conflicts;
  std::vector<Dependency> replaces;
  Reason reason = Reason::explicitly;  ///< when it is newly installed; an installed package keeps its own
  bool only_if_installed = false;      ///< left out on a machine that has no version of it
  bool is_pinned = true;               ///< false for what was added as others need it and has no family
  std::uint64_t size = 0;              ///< of the file in bytes; 0 when it is not known
  std::string sha256 = {};             ///< of the file; empty when it is not known
};

/// What it is once it is installed.
Package as_package(const ProfilePackage& wanted);

/// A package of a profile whose version is yet to be chosen.
struct OpenPackage {
  std::string name;
  VersionRange range;
  std::string place;  ///< origin:line:column
};

/// A set of versions that fit together for some GPU generations. Data only; see cudapin-profile(5).
struct Profile {
  std::string name;
  std::string summary;
  std::string reason;                         ///< why these versions
  std::vector<std::string> generations;       ///< ids of compatibility's generations; never empty
  std::string snapshot;                       ///< YYYY-MM-DD of the archive the set stood on, or empty
  std::vector<ProfilePackage> packages;       ///< those with exact versions, in the file's order
  std::vector<OpenPackage> open;              ///< those with ranges
  std::vector<std::string> pin_if_installed;  ///< partners pinned at whatever version is installed
  std::vector<Dependency> requirements;       ///< checked only: must be installed, or `driver` >= a version
  std::vector<std::pair<std::string, std::string>> environment;
  Tuning tune;                          ///< how the cards are set while the profile is in force
  std::vector<std::string> removals;    ///< installed packages that a person lets go for it; no key of a file
  std::vector<std::string> unverified;  ///< what its author could not confirm, in words
  std::string origin;                   ///< the file it was read from
  std::vector<std::string> bases;       ///< files of the profiles it extends, nearest first

  const ProfilePackage* find(std::string_view package) const;
};

/// The profiles that `extends` can name.
struct ProfileLibrary {
  struct Source {
    std::string text;
    std::string origin;
  };
  /// The profile of that name; with `below`, the origin of one of the same name, the one that it hides.
  std::function<std::optional<Source>(const std::string& name, const std::string& below)> find;
  std::vector<std::string> names;
};

/// Reads a profile and those it extends; every problem of all files in one yaml::InvalidFile, each
/// `origin:line:column: …`. The keys are those of cudapin-profile(5) and of its JSON Schema.
Profile parse_profile(std::string_view text, const std::string& origin, const ProfileLibrary& library = {});

/// One Error that names every package whose version is a range: nothing chooses one yet.
void require_exact_versions(const Profile& profile);

/// The profile on a machine: without the packages that are only for machines which have them.
Profile for_installed(Profile profile, std::span<const Package> installed);

}  // namespace cudapin
