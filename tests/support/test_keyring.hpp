// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/test_folder.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace cudapin {

enum class TestKey {
  trusted,    ///< in the keyring and signed by its master key
  untrusted,  ///< in the keyring, signed by nobody
  expired,    ///< trusted, but expired in 2021; signs in 2020
  revoked,    ///< trusted, but revoked since
  retired,    ///< trusted, but disabled since, as pacman-key does with those that a keyring package retires
  absent      ///< not in the keyring
};

/// A throwaway signer and the keyring that pacman-key would have made for it. Keys come into being when first
/// asked for; the agents are ended with it.
class TestKeyring {
 public:
  TestKeyring();
  ~TestKeyring();

  /// The verifying keyring: what pacman.conf calls GPGDir.
  std::filesystem::path gpg_dir() const { return folder_ / "gpg"; }
  /// Fingerprint of the key.
  std::string fingerprint(TestKey key);
  /// Writes FILE.sig.
  void sign(const std::filesystem::path& file, TestKey key = TestKey::trusted);

 private:
  void make(TestKey key);
  std::filesystem::path signer() const { return folder_ / "signer"; }

  TestFolder folder_;
  std::map<TestKey, std::string> fingerprints_;
};

}  // namespace cudapin
