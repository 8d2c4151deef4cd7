// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/signature_report.hpp"
#include "system/host.hpp"
#include "system/keys.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What the word of a key counts for. A key that vouches signs profiles too.
enum class Role { profile, vouch };

/// A key under /etc/cudapin/trusted/ROLE. pacman's keyring has no part in it, and its keys none in pacman's.
struct TrustedKey {
  PublicKey key;
  Role role = Role::profile;
  std::filesystem::path path;
  std::string objection;  ///< why it does not count, or empty
};

/// "profile" or "vouch": also the name of the folder.
std::string_view word_of(Role role);

/// All of them, by fingerprint.
std::vector<TrustedKey> trusted_keys(const Host& host);

/// Lets the key count for that role and for no more.
void trust_key(const Host& host, const PublicKey& key, Role role);

/// False when it was not trusted.
bool distrust_key(const Host& host, const std::string& fingerprint);

/// What the trusted keys of that role say of a detached signature.
SignatureReport check_trusted(const Host& host, std::string_view content, std::string_view signature,
                              Role role);

/// One sentence on such a signature of `what`: which case, made when and by whom.
std::string trust_sentence(const SignatureReport& report);

}  // namespace cudapin
