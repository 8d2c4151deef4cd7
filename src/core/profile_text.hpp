// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profile.hpp"

#include <map>
#include <string>
#include <vector>

namespace cudapin {

/// A text that stands alone: parse_profile reads it as `profile`, whatever that one extended.
std::string profile_text(const Profile& profile);

/// One thing in which two profiles differ: a package's version, or another part of the profile. Empty: not
/// there.
struct Difference {
  std::string part;
  std::string from;
  std::string to;
  bool is_package = true;

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Packages first; empty when both come to the same.
std::vector<Difference> differences(const Profile& from, const Profile& to);

/// The packages whose `installed` version (by name) is not the profile's.
std::vector<Difference> differences(const std::map<std::string, std::string>& installed, const Profile& to);

}  // namespace cudapin
