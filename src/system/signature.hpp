// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ctime>
#include <filesystem>
#include <string>

namespace cudapin {

/// What gpg says of a detached signature, each case told apart.
enum class SignatureState {
  good,         ///< valid, key fully trusted by pacman's keyring
  untrusted,    ///< valid, but the key is not certified by enough main keys
  key_expired,  ///< valid, but the key or subkey has expired since
  signature_expired,
  key_revoked,
  key_disabled,
  unknown_key,  ///< the key is not in the keyring
  missing,      ///< there is no .sig file
  tampered      ///< does not match the file: never acceptable
};

struct SignatureReport {
  SignatureState state;
  std::string fingerprint;  ///< of the signing key, or the key id when the key is unknown
  std::string signer;       ///< user id as the keyring has it, or empty
  std::time_t made = 0;
};

/// Checks FILE.sig against FILE with the keyring in `gpg_dir`. No network, no change to the keyring.
/// Throws Error only when gpg itself cannot work (keyring missing or unreadable).
SignatureReport check_signature(const std::filesystem::path& file, const std::filesystem::path& gpg_dir);

/// Throws unless the signature is good: says which case it is, who signed and the one safe remedy.
void require_good_signature(const std::filesystem::path& file, const std::filesystem::path& gpg_dir);

}  // namespace cudapin
