// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/version.hpp"

#include <alpm.h>

#include <algorithm>

namespace cudapin {

std::string alpm_version_text() { return alpm_version(); }

int compare_versions(std::string_view left, std::string_view right) {
  return alpm_pkg_vercmp(std::string(left).c_str(), std::string(right).c_str());
}

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_pkgrel(std::string_view text) {
  const auto dot = text.find('.');
  return is_number(text.substr(0, dot)) && (dot == text.npos || is_number(text.substr(dot + 1)));
}

/// makepkg's rule: no white space, slash, colon or dash; printable ASCII.
bool is_pkgver(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7F && c != '/' && c != ':' && c != '-';
  });
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != text.npos && !is_number(text.substr(0, colon))) return std::nullopt;
  const auto rest = colon == text.npos ? text : text.substr(colon + 1);
  const auto dash = rest.rfind('-');
  if (dash == rest.npos || !is_pkgver(rest.substr(0, dash)) || !is_pkgrel(rest.substr(dash + 1)))
    return std::nullopt;
  return Version(std::string(text));
}

int Version::compare(const Version& left, const Version& right) {
  return alpm_pkg_vercmp(left.text_.c_str(), right.text_.c_str());
}

std::string Version::upstream() const {
  const auto start = text_.find(':') + 1;  // npos + 1 is 0
  return text_.substr(start, text_.rfind('-') - start);
}

}  // namespace cudapin
