// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/gpg_home.hpp"
#include "support/lab.hpp"

#include <filesystem>
#include <string>

namespace cudapin {

/// Somebody with a key of their own who shares profiles.
class Publisher {
 public:
  explicit Publisher(const std::string& name = "Lab Admin", const std::string& expires = "never");

  const std::string& key() const { return key_; }
  /// The exported public key; with `is_revoked`, revoked since.
  std::filesystem::path key_file(bool is_revoked = false);
  /// Signs as of 2020 whatever the key's state now is: writes FILE.sig.
  void sign(const std::filesystem::path& file) const;
  /// `cudapin profile WORDS` with this person's keys.
  RunResult profile(Lab& lab, std::vector<std::string> words) const;
  /// Lets the lab's machine trust the key, as a role of profiles only or to vouch.
  RunResult trust_at(Lab& lab, bool vouches = false);

 private:
  GpgHome home_;
  TestFolder folder_;
  std::string key_;
};

/// The built-in ampere-11.1 under another name, with `more` at its end.
std::string lab_profile(const std::string& name, const std::string& more = "");

}  // namespace cudapin
