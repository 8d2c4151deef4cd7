// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lock_file.hpp"
#include "system/host.hpp"
#include "system/pacman_conf.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// A lock and whether it may vouch: a lock with a signature beside it may when a key signed it that is
/// trusted to vouch; one without when root alone can have written it and it lies below /etc/cudapin or beside
/// the built-in profiles.
struct Lock {
  LockFile file;
  std::string objection;  ///< why it may not vouch, or empty

  /// Whether it lets in the file of that name and SHA-256 although pacman refuses its signature.
  bool vouches_for(const std::string& name, const std::string& sha256) const;
};

/// What the name of a lock ends with.
inline constexpr std::string_view lock_ending = ".lock.yaml";

/// What the name of a detached signature ends with.
inline constexpr std::string_view signature_ending = ".sig";

/// Why a lock of that text may not vouch by that signature, or empty.
std::string vouching_objection(const Host& host, std::string_view text, std::string_view signature);

/// Throws yaml::InvalidFile for a lock with mistakes, Error for one that cannot be read.
Lock read_lock(const Host& host, const std::filesystem::path& path);

/// Where the lock of a profile is written: beside it, for a built-in or subscribed one among the profiles of
/// this site.
std::filesystem::path lock_path(const Host& host, const Profile& profile);

/// SHA-256 of the profile's text and, after it, those of the profiles it extends.
std::string profile_sha256(const Profile& profile);

/// The lock of a profile as it stands, at `lock_path` or beside the profile; a subscribed profile's own
/// first.
std::optional<Lock> find_lock(const Host& host, const Profile& profile);

/// The same; throws Error when it was made of another text of the profile, or is `required` and missing.
std::optional<Lock> lock_of(const Host& host, const Profile& profile, bool required = false);

/// One Error with every package that is installed at the lock's version but came from another file than the
/// lock's.
void require_installed_as_locked(const Host& host, const PacmanConf& conf, const LockFile& lock);

/// Every lock below /etc/cudapin and beside the built-in and subscribed profiles.
std::vector<Lock> system_locks(const Host& host);

/// Why a lock at `path` could never vouch, whoever writes it, or empty.
std::string place_objection(const Host& host, const std::filesystem::path& path);

}  // namespace cudapin
