// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profile.hpp"
#include "core/signature_report.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// One package file that a lock names: these bytes and no others.
struct LockedFile {
  ProfilePackage package;
  std::uint64_t size = 0;
  std::string sha256;  ///< lower-case hexadecimal
  std::string mtree;   ///< SHA-256 of its .MTREE: what an installed package still shows of its file
  std::string signer;  ///< the signing key's fingerprint
  std::string found;   ///< the path or URL it was taken from, as a record only
  std::optional<SignatureState> vouched = {};  ///< what pacman refused it for, where the lock lets it in
};

/// NAME.lock.yaml: what a profile came to, byte for byte. See cudapin-lock(5).
struct LockFile {
  std::string profile;
  std::string profile_sha256;  ///< of the profile's text and, after it, those of the profiles it extends
  std::vector<LockedFile> files;
  std::string origin;  ///< the file it was read from

  /// By package name, or by the file's full base name.
  const LockedFile* find(std::string_view package) const;
  const LockedFile* find_file(std::string_view file) const;
  bool has_vouches() const;
};

/// Reads a lock; all its problems in one yaml::InvalidFile, each `origin:line:column: …`.
LockFile parse_lock(std::string_view text, const std::string& origin);

/// The text that parse_lock reads as `lock`.
std::string lock_text(const LockFile& lock);

/// The profile with exactly the lock's files: in the place of its ranges too, and with what the lock names
/// besides, where `installed` has no package of that name. One Error for every package on which both differ.
Profile with_lock(Profile profile, const LockFile& lock, std::span<const Package> installed);

/// The keys that a lock and an entry of its `files` may have.
std::vector<std::string> lock_keys();
std::vector<std::string> lock_file_keys();

}  // namespace cudapin
