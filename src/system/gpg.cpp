// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/gpg.hpp"

#include "core/error.hpp"
#include "core/words.hpp"

namespace cudapin::gpg {

void fail(const std::string& reason, std::string hint) {
  throw Error(tr("cannot check signatures: {}", reason), std::move(hint));
}

void require(gpgme_error_t failure, std::string_view act) {
  if (gpgme_err_code(failure) != GPG_ERR_NO_ERROR) fail(fmt::format("{}: {}", act, gpgme_strerror(failure)));
}

Context context_for(const std::filesystem::path& home) {
  gpgme_check_version(nullptr);
  require(gpgme_engine_check_version(GPGME_PROTOCOL_OpenPGP), tr_text("gpg is not usable"));
  gpgme_ctx_t raw = nullptr;
  require(gpgme_new(&raw), tr_text("no context"));
  Context context(raw, &gpgme_release);
  require(gpgme_set_protocol(raw, GPGME_PROTOCOL_OpenPGP), tr_text("gpg is not usable"));
  require(gpgme_ctx_set_engine_info(raw, GPGME_PROTOCOL_OpenPGP, nullptr, home.c_str()),
          tr_text("gpg is not usable"));
  gpgme_set_offline(raw, 1);
  return context;
}

Data data_of(const Fd& fd) {
  gpgme_data_t raw = nullptr;
  require(gpgme_data_new_from_fd(&raw, fd.get()), tr_text("no memory"));
  return {raw, &gpgme_data_release};
}

Data data_of(std::string_view text) {
  gpgme_data_t raw = nullptr;
  require(gpgme_data_new_from_mem(&raw, text.data(), text.size(), 0), tr_text("no memory"));
  return {raw, &gpgme_data_release};
}

Key key_of(const Context& context, const char* fingerprint) {
  gpgme_key_t raw = nullptr;
  if (gpgme_get_key(context.get(), fingerprint, &raw, 0) != GPG_ERR_NO_ERROR) raw = nullptr;
  return {raw, &gpgme_key_unref};
}

}  // namespace cudapin::gpg
