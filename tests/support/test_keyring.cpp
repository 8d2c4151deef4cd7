// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_keyring.hpp"

#include "system/child.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Everything that must not depend on the day of the test happens on 2020-01-01, with the clock standing
/// still: else a key made a second late would be too young for its first signature.
constexpr const char* then = "20200101T000000!";

std::string gpg(const fs::path& home, std::vector<std::string> arguments) {
  std::vector<std::string> argv{"gpg",   "--homedir", home.string(),   "--batch",
                                "--yes", "--quiet",   "--no-autostart"};
  if (arguments.front() == "autostart") {
    argv.pop_back();
    arguments.erase(arguments.begin());
  }
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto result = run_child(argv);
  if (result.status != 0)
    throw std::runtime_error(fmt::format("gpg {}: {}", fmt::join(arguments, " "), result.err));
  return result.out;
}

std::string make_key(const fs::path& home, const std::string& user, const std::string& expires) {
  gpg(home, {"autostart", "--faked-system-time", then, "--passphrase", "", "--quick-gen-key", user, "ed25519",
             "cert,sign", expires});
  const auto listing = gpg(home, {"--with-colons", "--list-keys", "=" + user});
  const auto line = listing.find("\nfpr:");
  return listing.substr(line + std::string_view("\nfpr:::::::::").size(), 40);
}

std::string user_of(TestKey key) {
  static const std::map<TestKey, std::string> names{
      {TestKey::trusted, "Trusted"}, {TestKey::untrusted, "Untrusted"}, {TestKey::expired, "Expired"},
      {TestKey::revoked, "Revoked"}, {TestKey::retired, "Retired"},     {TestKey::absent, "Absent"}};
  return fmt::format("{0} Packager <{0}@example.org>", names.at(key));
}

}  // namespace

TestKeyring::TestKeyring() {
  for (const auto& home : {gpg_dir(), signer()}) {
    fs::create_directories(home);
    fs::permissions(home, fs::perms::owner_all);
    write_text(home / "gpg.conf", "no-greeting\nno-permission-warning\nlock-never\n");
    write_text(home / "pubring.gpg", "");
  }
  const auto master = make_key(gpg_dir(), "Pacman Keyring Master Key <pacman@localhost>", "never");
  write_text(gpg_dir() / "ownertrust", master + ":6:\n");
  gpg(gpg_dir(), {"--import-ownertrust", gpg_dir() / "ownertrust"});
}

TestKeyring::~TestKeyring() {
  for (const auto& home : {gpg_dir(), signer()}) {
    try {
      run_child({"gpgconf", "--homedir", home, "--kill", "all"});
    } catch (const std::exception&) {  // a leftover agent ends by itself when its folder is gone
    }
  }
}

void TestKeyring::make(TestKey key) {
  const auto fingerprint = make_key(signer(), user_of(key), key == TestKey::expired ? "1y" : "never");
  fingerprints_[key] = fingerprint;
  if (key == TestKey::absent) return;
  const auto exported = folder_ / (fingerprint + ".gpg");
  gpg(signer(), {"--output", exported, "--export", fingerprint});
  gpg(gpg_dir(), {"--import", exported});
  if (key != TestKey::untrusted)
    gpg(gpg_dir(), {"autostart", "--faked-system-time", then, "--quick-lsign-key", fingerprint});
  if (key == TestKey::revoked) {
    const auto certificate = read_text(signer() / "openpgp-revocs.d" / (fingerprint + ".rev"));
    write_text(exported, certificate.substr(certificate.find("-----BEGIN")));
    gpg(gpg_dir(), {"--import", exported});
  }
  if (key == TestKey::retired)
    run_child(
        {"sh", "-c",
         fmt::format("printf 'disable\\nquit\\n' | gpg --homedir '{}' --command-fd 0 --batch --edit-key {}",
                     gpg_dir().string(), fingerprint)});
  gpg(gpg_dir(), {"--check-trustdb"});
}

std::string TestKeyring::fingerprint(TestKey key) {
  if (!fingerprints_.contains(key)) make(key);
  return fingerprints_.at(key);
}

void TestKeyring::sign(const fs::path& file, TestKey key) {
  const auto signer_key = fingerprint(key);
  gpg(signer(), {"autostart", "--faked-system-time", then, "--local-user", signer_key, "--no-armor",
                 "--output", file.string() + ".sig", "--detach-sign", file});
}

}  // namespace cudapin
