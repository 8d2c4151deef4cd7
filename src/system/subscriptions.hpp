// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cudapin {

/// Where editions of profiles come from, and which of them is here.
struct Subscription {
  std::string place;         ///< a URL or a folder
  std::string key;           ///< fingerprint of the key that signs its index; no other will do
  std::uint64_t serial = 0;  ///< of the edition that is here
  std::string index_sha256;
  std::string expires;  ///< ISO 8601, UTC
  std::string updated;  ///< when it was last seen to be the newest
};

/// All of them, in a fixed order. Throws Error for a record that is damaged.
std::vector<Subscription> subscriptions(const Host& host);

/// The folder with the files of the edition that is here.
std::filesystem::path edition_folder(const Host& host, const Subscription& subscription);

/// Puts that edition in force, in one step, and removes the others' folders.
void write_subscription(const Host& host, const Subscription& subscription);
void remove_subscription(const Host& host, const Subscription& subscription);

}  // namespace cudapin
