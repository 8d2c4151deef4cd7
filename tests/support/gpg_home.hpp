// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/test_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cudapin {

/// A clock that stands still on 2020-01-01, as gpg takes it.
inline const std::string year_2020 = "20200101T000000!";

/// A GnuPG home; its agent ends with it.
class GpgHome {
 public:
  GpgHome();
  ~GpgHome();
  GpgHome(const GpgHome&) = delete;
  GpgHome& operator=(const GpgHome&) = delete;

  const std::filesystem::path& path() const { return folder_.path(); }
  /// Runs gpg and returns its output; throws when it fails.
  std::string gpg(std::vector<std::string> arguments) const;
  /// Makes a key on 2020-01-01 and returns its fingerprint.
  std::string make_key(const std::string& user, const std::string& usage, const std::string& expires) const;
  /// Imports ownertrust: 6 ultimate, 4 marginal, 2 none.
  void trust(const std::string& fingerprint, char how) const;

 private:
  TestFolder folder_;
};

/// What pacman-key --init and --populate do: a local master key signs the main keys, their ownertrust is
/// imported, retired keys are disabled.
class Populated {
 public:
  Populated(const std::filesystem::path& keys, const std::vector<std::string>& main_keys,
            const std::vector<std::string>& retired);
  const std::filesystem::path& path() const { return home_.path(); }

 private:
  GpgHome home_;
};

/// The real keyrings of December 2017 and March 2023, from REAL_INPUTS.
Populated populated_2017();
Populated populated_2023();

}  // namespace cudapin
