// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudapin {

/// A public key as its owner exported it.
struct PublicKey {
  std::string fingerprint;
  std::string user;  ///< fit for a terminal
  std::string text;  ///< the export itself
  bool is_revoked = false;
  bool is_expired = false;
};

/// Throws Error, naming `origin`, unless `text` is exactly one public key.
PublicKey read_public_key(std::string_view text, const std::string& origin);

/// A detached signature of `content` by a secret key in the gpg home `home`: the one that `key` names, or
/// gpg's default.
std::string sign_text(std::string_view content, const std::filesystem::path& home, const std::string& key);

}  // namespace cudapin
