// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// One file that an index names.
struct IndexedFile {
  std::string name;  ///< PROFILE.yaml or PROFILE.lock.yaml, or one of these with .sig
  std::uint64_t size = 0;
  std::string sha256;

  friend bool operator==(const IndexedFile&, const IndexedFile&) = default;
};

/// index.yaml: what a subscription consists of at one time. See cudapin-index(5).
struct Index {
  std::uint64_t serial = 0;  ///< grows with every edition
  std::string made;          ///< ISO 8601 in UTC, as `expires`: texts that compare as the moments do
  std::string expires;
  std::vector<IndexedFile> files;

  const IndexedFile* find(std::string_view name) const;
};

/// Reads an index; all its problems in one yaml::InvalidFile. No name in it leads out of a folder.
Index parse_index(std::string_view text, const std::string& origin);

/// The text that parse_index reads as `index`.
std::string index_text(const Index& index);

/// Whether an index may name a file so: a profile or a lock, called like a profile, or the signature of one.
bool is_shared_name(std::string_view name);

}  // namespace cudapin
