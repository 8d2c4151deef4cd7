// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/trusted_keys.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/owned_file.hpp"
#include "system/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view site_folder = "/etc/cudapin";
constexpr std::array<Role, 2> all_roles{Role::vouch, Role::profile};

fs::path place_of(Role role, const std::string& fingerprint) {
  return fs::path("trusted") / word_of(role) / (fingerprint + ".asc");
}

/// A key whose file another than root can have written is no key of this system's.
TrustedKey read_trusted(const Host& host, Role role, const fs::path& file) {
  const auto folder = host.at(site_folder);
  const auto owned = read_owned(folder, file.lexically_relative(folder));
  TrustedKey trusted{.key = {}, .role = role, .path = file, .objection = owned.objection};
  try {
    trusted.key = read_public_key(owned.text, file.string());
  } catch (const Error& error) {
    trusted.objection = error.what();
  }
  if (trusted.objection.empty() && file.stem() != trusted.key.fingerprint)
    trusted.objection = tr("it is the key {}, not the one its name says", trusted.key.fingerprint);
  if (trusted.key.fingerprint.empty()) trusted.key.fingerprint = file.stem().string();
  return trusted;
}

bool counts_for(const TrustedKey& trusted, Role role) {
  return trusted.objection.empty() && (role == Role::profile || trusted.role == Role::vouch);
}

}  // namespace

std::string_view word_of(Role role) { return role == Role::vouch ? "vouch" : "profile"; }

std::vector<TrustedKey> trusted_keys(const Host& host) {
  std::vector<TrustedKey> keys;
  for (const auto role : all_roles) {
    std::error_code missing;
    const auto folder = host.at(site_folder) / "trusted" / word_of(role);
    for (const auto& entry : fs::directory_iterator(folder, missing))
      if (entry.path().extension() == ".asc") keys.push_back(read_trusted(host, role, entry.path()));
  }
  std::ranges::stable_sort(keys, {}, [](const TrustedKey& trusted) { return trusted.key.fingerprint; });
  return keys;
}

void trust_key(const Host& host, const PublicKey& key, Role role) {
  const auto path = host.at(site_folder) / place_of(role, key.fingerprint);
  make_folders(path.parent_path());
  std::error_code ignored;
  if (fs::is_symlink(path)) fs::remove(path, ignored);
  replace_file(path, key.text);
  const auto other = role == Role::vouch ? Role::profile : Role::vouch;
  fs::remove(host.at(site_folder) / place_of(other, key.fingerprint), ignored);
  if (const auto written = read_trusted(host, role, path); !written.objection.empty())
    throw Error(tr("the key is written, but does not count: {}", written.objection),
                fmt::format("sudo chown -R root:root '{0}' && sudo chmod -R go-w '{0}'",
                            (host.at(site_folder) / "trusted").string()));
}

bool distrust_key(const Host& host, const std::string& fingerprint) {
  bool was_there = false;
  for (const auto role : all_roles)
    was_there |= fs::remove(host.at(site_folder) / place_of(role, fingerprint));
  return was_there;
}

SignatureReport check_trusted(const Host& host, std::string_view content, std::string_view signature,
                              Role role) {
  std::vector<std::string> keys;
  for (const auto& trusted : trusted_keys(host))
    if (counts_for(trusted, role)) keys.push_back(trusted.key.text);
  return check_signature(content, signature, keys);
}

std::string trust_sentence(const SignatureReport& report) {
  switch (report.state) {
    case SignatureState::key_disabled:
    case SignatureState::unknown_key:
      return tr("it is signed by the key {}, which is not trusted here", report.fingerprint);
    case SignatureState::missing:
      return tr_text("it is not signed");
    default:
      return sentence_of(report);
  }
}

}  // namespace cudapin
