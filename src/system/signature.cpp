// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/signature.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/archive.hpp"
#include "system/files.hpp"
#include "system/gpg.hpp"
#include "system/private_folder.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using namespace gpg;

/// gpg writes into its home even when it only verifies (locks, a trust database brought up to date), and its
/// gpg.conf may send it to the network. So it gets a home of our own: pacman's keys by link, pacman's trust
/// as a copy, pacman's options and after them ours.
class View {
 public:
  explicit View(const fs::path& gpg_dir);
  fs::path home() const { return folder_.path(); }

 private:
  void copy(const fs::path& from, std::string_view more = {});
  PrivateFolder folder_{"gpg"};
};

void require_readable(const fs::path& path, int how) {
  if (::access(path.c_str(), how) != 0)
    fail(tr("pacman's keyring '{}' cannot be read: {}", path.string(), std::strerror(errno)),
         tr_text("run the command with sudo"));
}

/// The files of public keys in `gpg_dir`; throws Error when there is none to read.
std::vector<fs::path> key_files(const fs::path& gpg_dir) {
  std::vector<fs::path> found;
  if (::access(gpg_dir.c_str(), F_OK) == 0 || errno == EACCES) require_readable(gpg_dir, R_OK | X_OK);
  for (const auto* name : {"pubring.gpg", "pubring.kbx"}) {
    const auto file = gpg_dir / name;
    if (::access(file.c_str(), F_OK) != 0) continue;
    require_readable(file, R_OK);
    found.push_back(fs::absolute(file));
  }
  if (found.empty())
    fail(tr("there is no keyring in '{}'", gpg_dir.string()), "pacman-key --init && pacman-key --populate");
  if (const auto trust = gpg_dir / "trustdb.gpg"; ::access(trust.c_str(), F_OK) == 0)
    require_readable(trust, R_OK);
  return found;
}

View::View(const fs::path& gpg_dir) {
  for (const auto& file : key_files(gpg_dir)) fs::create_symlink(file, home() / file.filename());
  copy(gpg_dir / "trustdb.gpg");
  copy(gpg_dir / "gpg.conf", options);
}

void View::copy(const fs::path& from, std::string_view more) {
  const auto text = read_file_if_exists(from);
  if (!text.empty() || !more.empty()) replace_file(home() / from.filename(), text + std::string(more), 0600);
}

struct KeyFlags {
  bool revoked = false;
  bool disabled = false;
  bool expired = false;
};

/// Of the key and of the subkey that signed: a valid key may have signed with a subkey that is none any more.
KeyFlags flags_of(const Key& key, std::string_view signer) {
  KeyFlags flags{key->revoked != 0, key->disabled != 0, key->expired != 0};
  for (auto subkey = key->subkeys; subkey; subkey = subkey->next) {
    if (!subkey->fpr || signer != subkey->fpr) continue;
    flags.revoked |= subkey->revoked != 0;
    flags.disabled |= subkey->disabled != 0;
    flags.expired |= subkey->expired != 0;
  }
  return flags;
}

/// How far a key counts: as gpg's trust in it says, or as it is in the keyring at all.
enum class Measure { trust, presence };

SignatureState state_of(const _gpgme_signature& signature, const Key& key, Measure measure) {
  using enum SignatureState;
  const auto code = gpgme_err_code(signature.status);
  if (code == GPG_ERR_BAD_SIGNATURE) return tampered;
  if (code == GPG_ERR_NO_PUBKEY || !key) return unknown_key;
  const auto flags = flags_of(key, signature.fpr);
  if (flags.revoked || code == GPG_ERR_CERT_REVOKED || (signature.summary & GPGME_SIGSUM_KEY_REVOKED))
    return key_revoked;
  if (flags.disabled) return key_disabled;
  if (flags.expired || code == GPG_ERR_KEY_EXPIRED || (signature.summary & GPGME_SIGSUM_KEY_EXPIRED))
    return key_expired;
  if (code == GPG_ERR_SIG_EXPIRED || (signature.summary & GPGME_SIGSUM_SIG_EXPIRED)) return signature_expired;
  if (code != GPG_ERR_NO_ERROR)
    fail(tr("gpg does not understand this one: {}", gpgme_strerror(signature.status)));
  if (measure == Measure::presence) return good;
  if (signature.validity == GPGME_VALIDITY_FULL || signature.validity == GPGME_VALIDITY_ULTIMATE) return good;
  return signature.validity == GPGME_VALIDITY_MARGINAL ? marginal : untrusted;
}

SignatureReport report_of(const Context& context, const _gpgme_signature& signature, Measure measure) {
  const std::string signer = signature.fpr ? signature.fpr : "";
  const auto key = signer.empty() ? Key(nullptr, &gpgme_key_unref) : key_of(context, signer.c_str());
  SignatureReport report{
      state_of(signature, key, measure), signer, {}, static_cast<std::time_t>(signature.timestamp)};
  if (key && key->uids && key->uids->uid) report.signer = printable(key->uids->uid);
  if (key && key->fpr) report.key = key->fpr;
  return report;
}

/// The worst that gpg says of any signature in `signature`.
SignatureReport verify(const Context& context, const Data& signature, const Data& content, Measure measure) {
  const auto failure = gpgme_op_verify(context.get(), signature.get(), content.get(), nullptr);
  const auto code = gpgme_err_code(failure);
  const bool no_signature = code == GPG_ERR_NO_DATA || code == GPG_ERR_BAD_DATA;
  if (!no_signature) require(failure, tr_text("gpg failed"));
  const auto* result = no_signature ? nullptr : gpgme_op_verify_result(context.get());
  if (!result || !result->signatures) return {.state = SignatureState::tampered};
  auto worst = report_of(context, *result->signatures, measure);
  for (auto next = result->signatures->next; next; next = next->next)
    worst = std::max(worst, report_of(context, *next, measure),
                     [](const auto& left, const auto& right) { return left.state < right.state; });
  return worst;
}

/// The fingerprints of all keys and subkeys in a file of exported keys; none when gpg cannot read it.
std::vector<std::string> keys_in(const fs::path& file) {
  std::vector<std::string> fingerprints;
  const PrivateFolder home("gpg");
  const auto context = context_for(home.path());
  const auto fd = open_file(file, O_RDONLY);
  const auto data = data_of(fd);
  if (gpgme_op_keylist_from_data_start(context.get(), data.get(), 0) != GPG_ERR_NO_ERROR) return {};
  for (gpgme_key_t raw = nullptr; gpgme_op_keylist_next(context.get(), &raw) == GPG_ERR_NO_ERROR;) {
    const Key key(raw, &gpgme_key_unref);
    for (auto subkey = key->subkeys; subkey; subkey = subkey->next)
      if (subkey->fpr) fingerprints.emplace_back(subkey->fpr);
  }
  return fingerprints;
}

}  // namespace

std::string remedy_for(SignatureState state, const fs::path& file) {
  switch (state) {
    case SignatureState::marginal:
    case SignatureState::untrusted:
    case SignatureState::key_expired:
    case SignatureState::unknown_key:
      return "pacman -Sy archlinux-keyring";
    case SignatureState::tampered:
    case SignatureState::signature_expired:
      return fmt::format("rm '{0}' '{0}.sig'", file.string());
    case SignatureState::missing:
      if (const auto name = parse_file_name(file.filename().string()))
        return fmt::format("curl -fLo '{}.sig' '{}.sig'", file.string(),
                           archive_url("https://archive.archlinux.org", *name));
      return {};
    case SignatureState::key_revoked:
    case SignatureState::key_disabled:
      return "cudapin list";  // another version, by another packager
    case SignatureState::good:
      break;
  }
  return {};
}

SignatureReport check_signature(const fs::path& file, const fs::path& gpg_dir) {
  const View view(gpg_dir);
  const fs::path signature_file = file.string() + ".sig";
  if (::access(signature_file.c_str(), F_OK) != 0) return {.state = SignatureState::missing};
  const auto context = context_for(view.home());
  const auto signature_fd = open_file(signature_file, O_RDONLY);
  const auto file_fd = open_file(file, O_RDONLY);
  const auto signature = data_of(signature_fd);
  const auto content = data_of(file_fd);
  return verify(context, signature, content, Measure::trust);
}

SignatureReport check_signature(std::string_view content, std::string_view signature,
                                std::span<const std::string> keys) {
  if (signature.empty()) return {.state = SignatureState::missing};
  const PrivateFolder home("gpg");
  replace_file(home.path() / "gpg.conf", options, 0600);
  const auto context = context_for(home.path());
  for (const auto& key : keys) {
    const auto data = data_of(std::string_view(key));
    require(gpgme_op_import(context.get(), data.get()), tr_text("gpg cannot read a key"));
  }
  return verify(context, data_of(signature), data_of(content), Measure::presence);
}

std::map<std::string, std::string> shipped_keys(const fs::path& folder) {
  std::map<std::string, std::string> keyrings;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".gpg")
      for (const auto& fingerprint : keys_in(entry.path()))
        keyrings.emplace(fingerprint, entry.path().stem().string());
  return keyrings;
}

void require_good_signature(const fs::path& file, const fs::path& gpg_dir) {
  const auto report = check_signature(file, gpg_dir);
  if (report.state == SignatureState::good) return;
  throw Error(tr("'{}' is not accepted: {}", file.string(), sentence_of(report)),
              remedy_for(report.state, file));
}

}  // namespace cudapin
