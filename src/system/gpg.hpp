// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The door to gpg: for signature.cpp and keys.cpp alone.

#include "system/files.hpp"

#include <gpgme.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cudapin::gpg {

using Context = std::unique_ptr<gpgme_context, decltype(&gpgme_release)>;
using Data = std::unique_ptr<gpgme_data, decltype(&gpgme_data_release)>;
using Key = std::unique_ptr<_gpgme_key, decltype(&gpgme_key_unref)>;

/// What every home of ours is told: no network, no locks that a killed command would leave behind.
inline constexpr std::string_view options =
    "\nlock-never\nno-permission-warning\nno-auto-key-retrieve\nno-auto-key-locate\ndisable-dirmngr\n";

[[noreturn]] void fail(const std::string& reason, std::string hint = {});
/// Throws Error unless it went well; `act` says what gpg was to do.
void require(gpgme_error_t failure, std::string_view act);

/// OpenPGP, offline, with that home; an empty one is the person's own.
Context context_for(const std::filesystem::path& home);
Data data_of(const Fd& fd);
/// Of a text that outlives it.
Data data_of(std::string_view text);
/// Null when the home does not have it.
Key key_of(const Context& context, const char* fingerprint);

}  // namespace cudapin::gpg
