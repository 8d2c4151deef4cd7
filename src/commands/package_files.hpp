// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/locks.hpp"
#include "core/package.hpp"
#include "core/profile.hpp"
#include "system/fetch.hpp"
#include "system/pacman_conf.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// A package file that is here, and what was found about it.
struct CheckedFile {
  PackageFileName name;
  std::filesystem::path path;
  std::uint64_t size = 0;
  std::string sha256;
  SignatureReport signature;
  std::string keyring;   ///< the package that ships the signing key, where that is known
  std::string vouching;  ///< the lock that lets it in though its signature is not good, or empty
};

/// What package files are checked with.
struct Checks {
  const Host& host;
  const PacmanConf& conf;
  bool quiet = false;
  const LockFile* exact = nullptr;      ///< the bytes that the files must have
  std::span<const Lock> vouching = {};  ///< locks that may let in what pacman refuses
};

/// Those of a profile's lock, which outlives them.
Checks checks_with(const Host& host, const PacmanConf& conf, const std::optional<Lock>& lock, bool quiet);

/// The file of a profile's package.
WantedFile wanted_file(const ProfilePackage& package);

/// Brings the files into the store, all at once, and returns where they are there, in order. Throws Error
/// before anything is fetched where the disk has no room for those whose size is known.
std::vector<std::filesystem::path> fetch_files(const Host& host, const Sources& sources,
                                               const std::vector<WantedFile>& files, bool quiet);

/// Size and SHA-256 of each file against the lock, and what gpg says of its signature. One Error names every
/// file that has other bytes than the lock says.
std::vector<CheckedFile> check_files(const Checks& checks, const std::vector<std::filesystem::path>& files);

/// Whether a good signature or a lock lets it in.
bool is_accepted(const CheckedFile& file);

/// One Error with every file that neither a good signature nor a lock lets in, the case of each and the
/// remedy; `profile` as the person wrote it, or empty.
void require_accepted(const Checks& checks, std::span<const CheckedFile> files, const std::string& profile);

/// Decodes every file against its .MTREE. Throws Error at the first that is damaged, or holds another package
/// than its name says, or is built for another system. Returns what the packages say of themselves.
std::vector<Package> check_archives(const Checks& checks, std::span<const CheckedFile> files);

/// Fills `keyring` of each file.
void find_keyrings(const Host& host, const PacmanConf& conf, std::vector<CheckedFile>& files);

/// A table: package, state of its signature, day, signer, fingerprint and keyring.
std::string signatures_text(std::span<const CheckedFile> files, const Host& host);

/// The same as JSON text, with paths, sizes and hashes.
std::string signatures_json(std::span<const CheckedFile> files);

}  // namespace cudapin
