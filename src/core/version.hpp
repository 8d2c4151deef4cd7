// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace cudapin {

/// libalpm's own, "13.0.2".
std::string alpm_version_text();

/// The one version comparison: libalpm's. Negative, zero or positive. Also right for dotted versions without
/// a pkgrel (drivers, toolkits): 455.23 < 455.23.04, 11.1 < 11.10.
int compare_versions(std::string_view left, std::string_view right);

/// A package version, `[epoch:]pkgver-pkgrel`; always has a pkgrel, because libalpm does not order those
/// without.
class Version {
 public:
  /// Nothing when `text` is not of that form.
  static std::optional<Version> parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Without epoch and pkgrel: what upstream calls the version.
  std::string upstream() const;

  friend std::strong_ordering operator<=>(const Version& left, const Version& right) {
    return compare(left, right) <=> 0;
  }
  friend bool operator==(const Version& left, const Version& right) { return (left <=> right) == 0; }

 private:
  static int compare(const Version& left, const Version& right);
  explicit Version(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace cudapin
