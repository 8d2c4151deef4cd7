// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/signature_report.hpp"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace cudapin {

/// Checks FILE.sig against FILE with the keyring in `gpg_dir`. No network, no change to the keyring.
/// Throws Error only when gpg itself cannot work (keyring missing or unreadable).
SignatureReport check_signature(const std::filesystem::path& file, const std::filesystem::path& gpg_dir);

/// Checks a detached signature of `content` with these exported public keys alone: each of them counts.
SignatureReport check_signature(std::string_view content, std::string_view signature,
                                std::span<const std::string> keys);

/// Throws unless the signature is good: says which case it is, who signed and the one safe remedy.
void require_good_signature(const std::filesystem::path& file, const std::filesystem::path& gpg_dir);

/// The one safe thing to type about a signature of `file` that is not good.
std::string remedy_for(SignatureState state, const std::filesystem::path& file);

/// The keys in the keyrings of `folder` (NAME.gpg, as keyring packages install them): the fingerprint of each
/// key and subkey, and NAME.
std::map<std::string, std::string> shipped_keys(const std::filesystem::path& folder);

}  // namespace cudapin
