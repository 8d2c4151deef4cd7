// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"
#include "support/archive_server.hpp"
#include "support/test_keyring.hpp"
#include "support/test_root.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cudapin {

/// What one run of a command left on the streams.
struct RunResult {
  ExitStatus status;
  std::string out;
  std::string err;
};

/// A machine with the rolling world's current packages, the archive with the old ones on a loopback port, and
/// a keyring that trusts their signer: what every command test starts from. Commands run whole, in this
/// process.
class Lab {
 public:
  Lab();

  /// Runs a command line with --root, and for `use` with this lab's archive and an RTX 3090 unless told
  /// otherwise.
  RunResult cudapin(std::vector<std::string> args);
  /// `use PROFILE --noconfirm` on an RTX 3090.
  RunResult use(const std::string& profile, std::vector<std::string> more = {});
  /// Builds a stand-in into the archive, signed; returns its path there.
  std::filesystem::path add_to_archive(const StandIn& package, TestKey key = TestKey::trusted);
  /// Signs a file of the archive anew; the machine's keyring gets to know the key as far as it is to be
  /// known.
  void sign(const std::filesystem::path& file, TestKey key = TestKey::trusted);
  /// The file of that name in the archive or among the moved ones.
  std::filesystem::path archived(const std::string& file) const;
  /// Puts the package files of what is installed into pacman's cache, as on a machine whose cache is kept.
  void fill_cache() const;
  /// Installed version, or empty.
  std::string version(const std::string& name) const { return root.installed(name).value_or(""); }
  std::string pacman_conf() const;
  /// Every path below the root with type, size, mode, modification time; equal texts mean that nothing was
  /// touched. Without cudapin's own state folder unless `with_state`.
  std::string fingerprint(bool with_state = true) const;

  TestRoot root;
  TestFolder archive_folder;
  TestFolder moved_folder;
  TestKeyring& keyring;
  ArchiveServer server;
  std::filesystem::path proc;  ///< a folder of our own with a 590.48.01 driver loaded
  std::atomic<int> interrupt{0};
  std::string answers;    ///< what the person types
  bool terminal = false;  ///< whether the streams are terminals
  bool privileged = true;
  std::function<void(std::string_view)> on_step;  ///< told of every step of a change
  std::string card_library = {};                  ///< the management library through which cards are set
  std::map<std::string, std::string> environment = {};  ///< variables that commands see
  std::string now = {};    ///< the moment of the clock, seconds since 1970; empty: TestHost's own
  bool find_card = false;  ///< look for the card in /sys instead of naming one

 private:
  void copy_keyring() const;
};

}  // namespace cudapin
