// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What a profile may say in place of an exact version: a wildcard (`8.0.*`, `11.1.0-*`) or bounds that must
/// all hold (`>=455.23 <460`).
class VersionRange {
 public:
  /// Nothing when range_problem has something to say.
  static std::optional<VersionRange> parse(const std::string& text);

  const std::string& text() const { return text_; }
  bool holds(const Version& version) const;

  friend bool operator==(const VersionRange& left, const VersionRange& right) {
    return left.text_ == right.text_;
  }

 private:
  std::string text_;
  std::string start_;               ///< of a wildcard, up to its dot or dash
  std::vector<Dependency> bounds_;  ///< without names
};

/// Whether `text` means a range rather than an exact version.
bool is_range(std::string_view text);

/// Why `text` is no range, in words; empty when it is one that some version can meet.
std::string range_problem(const std::string& text);

/// The versions that a range or an exact version names, without operators and wildcards.
std::vector<std::string> versions_in(std::string_view text);

}  // namespace cudapin
