// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profile.hpp"
#include "core/yaml.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// What one file says, before it is joined with the profile that it extends: not yet a set of packages.
struct ProfileDraft {
  explicit ProfileDraft(const std::string& origin) : problems(origin) { profile.origin = origin; }

  /// One line of `packages`. With neither version nor range it was wrong, and that is noted.
  struct Pin {
    std::string name;
    std::optional<Version> version;
    std::optional<VersionRange> range;
    int line;
    int column;
  };
  /// One entry of `files`.
  struct File {
    ProfilePackage package;
    int line;
    int column;
  };

  yaml::Problems problems;
  Profile profile;  ///< all but its packages
  std::vector<Pin> pins;
  std::vector<File> files;
  bool has_files = false;     ///< the key is there
  bool has_bad_file = false;  ///< an entry could not be read, so that missing ones mean nothing
  std::string base;           ///< the name that it extends, or empty
  int base_line = 0;
  int base_column = 0;

  const Pin* find_pin(std::string_view name) const;
  const File* find_file(std::string_view name) const;
};

/// Throws only when the text is no YAML; all else is noted in the draft's problems.
ProfileDraft read_profile_draft(std::string_view text, const std::string& origin);

/// The keys that a profile and an entry of its `files` and its `tune` may have.
std::vector<std::string> profile_keys();
std::vector<std::string> profile_file_keys();
std::vector<std::string> profile_tune_keys();

}  // namespace cudapin
