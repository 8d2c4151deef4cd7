// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profile.hpp"
#include "system/host.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cudapin {

/// A profile that a name can mean. Subscribed profiles hide those of this site (/etc/cudapin/profiles below
/// root), and these the built-in ones of the same name.
struct ProfileEntry {
  std::string name;
  std::filesystem::path path;
  std::string layer;                    ///< "built-in", "site" or "subscribed"
  std::string source = {};              ///< the subscription it came by
  std::vector<std::string> hides = {};  ///< the layers of those of the same name that it hides
};

/// All profiles in force, by name.
std::vector<ProfileEntry> known_profiles(const Host& host);

/// Those of them that can be read, by name; `list` tells what is wrong with the others.
std::vector<Profile> readable_profiles(const Host& host);

/// Reads a file; `extends` names the known profiles, and one of the file's own name means the one it hides.
/// With `edition`, the profiles in that folder count as subscribed, in the place of what lies beside it.
Profile read_profile_file(const Host& host, const std::filesystem::path& path,
                          const std::filesystem::path& edition = {});

/// `word` is a name, or a path when it holds a slash or ends in .yaml. Throws Error with the closest name.
Profile load_profile(const Host& host, const std::string& word);

}  // namespace cudapin
