// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/gpg_home.hpp"

#include "system/child.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> fingerprints_in(const fs::path& file) {
  std::vector<std::string> found;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);)
    if (line.size() >= 40 && line[0] != '#') found.push_back(line.substr(0, 40));
  return found;
}

}  // namespace

GpgHome::GpgHome() {
  fs::permissions(folder_.path(), fs::perms::owner_all);
  write_text(folder_ / "gpg.conf", "no-greeting\nno-permission-warning\nlock-never\n");
  write_text(folder_ / "pubring.gpg", "");
}

GpgHome::~GpgHome() { run_child({"gpgconf", "--homedir", folder_.path(), "--kill", "all"}); }

std::string GpgHome::gpg(std::vector<std::string> arguments) const {
  std::vector<std::string> argv{
      "gpg", "--homedir", path(), "--batch", "--yes", "--quiet", "--no-auto-check-trustdb"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto result = run_child(argv, 120);
  if (result.status != 0)
    throw std::runtime_error(fmt::format("{}: {}", fmt::join(arguments, " "), result.err));
  return result.out;
}

std::string GpgHome::make_key(const std::string& user, const std::string& usage,
                              const std::string& expires) const {
  gpg({"--faked-system-time", year_2020, "--passphrase", "", "--quick-gen-key", user, "ed25519", usage,
       expires});
  const auto listing = gpg({"--with-colons", "--list-keys", "=" + user});
  return listing.substr(listing.find("\nfpr:::::::::") + 14 - 1, 40);
}

void GpgHome::trust(const std::string& fingerprint, char how) const {
  write_text(folder_ / "trust", fmt::format("{}:{}:\n", fingerprint, how));
  gpg({"--import-ownertrust", folder_ / "trust"});
}

Populated::Populated(const fs::path& keys, const std::vector<std::string>& main_keys,
                     const std::vector<std::string>& retired) {
  const auto master = home_.make_key("Pacman Keyring Master Key <pacman@localhost>", "cert,sign", "never");
  home_.trust(master, '6');
  home_.gpg({"--import", keys});
  for (const auto& key : main_keys) {
    home_.gpg({"--quick-lsign-key", key});
    home_.trust(key, '4');
  }
  for (const auto& key : retired)
    run_child({"sh", "-c",
               fmt::format("printf 'disable\\nquit\\n' | gpg --homedir '{}' --command-fd 0 "
                           "--no-auto-check-trustdb --batch --edit-key {}",
                           path().string(), key)});
  home_.gpg({"--check-trustdb"});
}

Populated populated_2017() {
  const TestFolder unpacked;
  const auto package = fs::path(REAL_INPUTS) / "packages/archlinux-keyring-20171213-1-any.pkg.tar.xz";
  if (run_child({"tar", "-C", unpacked.path(), "-xf", package}).status != 0)
    throw std::runtime_error("cannot unpack the keyring of 2017");
  const auto keyrings = unpacked / "usr/share/pacman/keyrings";
  return Populated(keyrings / "archlinux.gpg", fingerprints_in(keyrings / "archlinux-trusted"),
                   fingerprints_in(keyrings / "archlinux-revoked"));
}

/// The main keys in force at archlinux-keyring's tag 20230320: its folders keyring/main/NAME/FINGERPRINT
/// without a revocation.
Populated populated_2023() {
  return Populated(fs::path(REAL_INPUTS) / "keyring/archlinux-keyring-20230320.gpg",
                   {"D8AFDDA07A5B6EDFA7D8CCDAD6D055F927843F1C", "69E6471E3AE065297529832E6BA0F5A2037F4F41",
                    "75BD80E4D834509F6E740257B1B73B02CC52A02A", "2AC0A42EFB0B5CBC7A0402ED4DC95B6D7BE9892E",
                    "91FFE0700E80619CEB73235CA88E23E377514E00"},
                   {});
}

}  // namespace cudapin
