// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/keys.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/gpg.hpp"
#include "system/private_folder.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace cudapin {

using namespace gpg;

namespace {

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
  throw Error(fmt::format("'{}' {}", printable(origin), why), "gpg --armor --export KEY >FILE");
}

std::vector<Key> keys_in(const Context& context, std::string_view text) {
  const auto data = data_of(text);
  std::vector<Key> keys;
  if (gpgme_op_keylist_from_data_start(context.get(), data.get(), 0) != GPG_ERR_NO_ERROR) return keys;
  for (gpgme_key_t raw = nullptr; gpgme_op_keylist_next(context.get(), &raw) == GPG_ERR_NO_ERROR;)
    keys.emplace_back(raw, &gpgme_key_unref);
  return keys;
}

std::string all_of(const Data& data) {
  std::string text;
  std::array<char, 4096> buffer{};
  gpgme_data_seek(data.get(), 0, SEEK_SET);
  for (ssize_t got = 0; (got = gpgme_data_read(data.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

PublicKey read_public_key(std::string_view text, const std::string& origin) {
  const PrivateFolder home("gpg");
  replace_file(home.path() / "gpg.conf", options, 0600);
  const auto context = context_for(home.path());
  const auto keys = keys_in(context, text);
  if (keys.empty()) refuse(origin, tr_text("holds no public key"));
  if (keys.size() > 1) refuse(origin, tr("holds {} keys, and one is trusted at a time", keys.size()));
  const auto& key = *keys.front();
  if (key.secret) refuse(origin, tr_text("holds a secret key, which must stay with its owner"));
  if (!key.fpr) refuse(origin, tr_text("holds a key without a fingerprint"));
  return {.fingerprint = key.fpr,
          .user = key.uids && key.uids->uid ? printable(key.uids->uid) : "",
          .text = std::string(text),
          .is_revoked = key.revoked != 0,
          .is_expired = key.expired != 0};
}

std::string sign_text(std::string_view content, const std::filesystem::path& home, const std::string& key) {
  const auto context = context_for(home);
  const auto hint =
      std::string(tr_text("gpg --list-secret-keys; to make one: gpg --quick-generate-key 'NAME <ADDRESS>'"));
  if (!key.empty()) {
    gpgme_key_t raw = nullptr;
    if (gpgme_get_key(context.get(), key.c_str(), &raw, 1) != GPG_ERR_NO_ERROR)
      throw Error(tr("there is no secret key '{}' to sign with", printable(key)), hint);
    const Key signer(raw, &gpgme_key_unref);
    require(gpgme_signers_add(context.get(), signer.get()), tr_text("the key is not usable"));
  }
  const auto plain = data_of(content);
  gpgme_data_t raw = nullptr;
  require(gpgme_data_new(&raw), tr_text("no memory"));
  const Data signature(raw, &gpgme_data_release);
  const auto failure = gpgme_op_sign(context.get(), plain.get(), raw, GPGME_SIG_MODE_DETACH);
  if (gpgme_err_code(failure) != GPG_ERR_NO_ERROR)
    throw Error(tr("nothing was signed: {}", gpgme_strerror(failure)), hint);
  return all_of(signature);
}

}  // namespace cudapin
