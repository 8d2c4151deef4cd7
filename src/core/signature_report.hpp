// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace cudapin {

/// What gpg says of a detached signature, each case told apart; the worse, the later.
enum class SignatureState {
  good,         ///< valid, key fully trusted by pacman's keyring
  marginal,     ///< valid, certified by main keys, but by fewer than pacman wants
  untrusted,    ///< valid, but no main key that counts certifies the key
  key_expired,  ///< valid, but the key or subkey has expired since
  signature_expired,
  key_revoked,
  key_disabled,
  unknown_key,  ///< the key is not in the keyring, so nobody can tell
  missing,      ///< there is no .sig file
  tampered      ///< does not match the file: never acceptable
};

struct SignatureReport {
  SignatureState state = SignatureState::missing;
  std::string fingerprint = {};  ///< of the signing key, or the key id when the key is unknown
  std::string signer = {};       ///< user id as the keyring has it, or empty
  std::time_t made = 0;
  std::string key =
      {};  ///< fingerprint of the primary key that the signing one belongs to, where it is known
};

/// "good", "key revoked", …: what a table and a lock call it.
std::string_view word_of(SignatureState state);

/// The same for people, in their language.
std::string word_text(SignatureState state);

/// The state that word_of calls so.
std::optional<SignatureState> signature_state(std::string_view word);

/// Whether it was made for this very file, whatever the keyring thinks of its key.
bool matches_file(SignatureState state);

/// Whether pacman refuses it although it matches: a lock may vouch for the file's bytes.
bool may_be_vouched(SignatureState state);

/// "2017-12-13", or empty.
std::string day_made(const SignatureReport& report);

/// One sentence on a signature: which case, made when and by whom, as far as it is known.
std::string sentence_of(const SignatureReport& report);

}  // namespace cudapin
