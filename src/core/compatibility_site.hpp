// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility_data.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudapin::tables {

/// The built-in rows with a site's own put in; empty while a site has none.
template <typename Row>
std::vector<Row>& merged_rows() {
  static std::vector<Row> rows;
  return rows;
}

template <typename Row, std::size_t size>
std::span<const Row> with_site_rows(const Row (&rows)[size]) {
  const auto& merged = merged_rows<Row>();
  return merged.empty() ? std::span<const Row>(rows) : std::span<const Row>(merged);
}

/// A site's file: its text and where it stands.
using SiteFile = std::pair<std::string, std::string>;

/// Puts the rows of these files into the tables, in the place of rows that earlier calls put there. A row for
/// a version or card that is known replaces the built-in one. Throws Error with every problem of the first
/// bad file, and then the tables are the built-in ones. Rows found before are no longer valid. Format:
/// cudapin.conf(5).
void use_site_rows(const std::vector<SiteFile>& files);

}  // namespace cudapin::tables
