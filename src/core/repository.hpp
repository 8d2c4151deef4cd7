// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// A package as a repository's database describes it.
struct RepositoryPackage {
  Package package;
  std::vector<Dependency> replaces;
  std::vector<std::string> optional;  ///< "gdb: for cuda-gdb"
  std::string file;                   ///< base name
  std::string sha256;
  std::uint64_t size = 0;  ///< of the file, bytes
  std::string repository;

  friend bool operator==(const RepositoryPackage& left, const RepositoryPackage& right) {
    return left.file == right.file && left.sha256 == right.sha256;
  }
};

/// The text that RepositoryIndex reads: of a name that several repositories have, the first counts, as for
/// pacman. What holds a control character, or is no package, is left out.
std::string index_text(std::span<const RepositoryPackage> packages);

/// Repositories by name and by what they provide, looked up in the text itself: fifteen thousand packages are
/// not read for the few that a plan needs.
class RepositoryIndex {
 public:
  /// Nothing when `text` is no index of this version.
  static std::optional<RepositoryIndex> parse(std::string text);

  std::optional<RepositoryPackage> find(std::string_view name) const;
  /// The package of that name when it satisfies `wanted`, then those that provide it, by name.
  std::vector<RepositoryPackage> satisfiers(const Dependency& wanted) const;
  std::vector<RepositoryPackage> all() const;

 private:
  explicit RepositoryIndex(std::string text, std::size_t packages, std::size_t provisions)
      : text_(std::move(text)), packages_(packages), provisions_(provisions) {}
  std::string_view packages() const;
  std::string_view provisions() const;

  std::string text_;
  std::size_t packages_;    ///< where the packages begin
  std::size_t provisions_;  ///< where they end and what they provide begins
};

}  // namespace cudapin
