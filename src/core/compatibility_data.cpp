// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_data.hpp"

#include "core/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

namespace cudapin::tables {

namespace {

/// Cuts the piece before the next `separator` off the front of `text`.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto piece = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return piece;
}

/// The first row whose `column` is `value`, or null.
template <typename Row, typename Column, typename Value>
const Row* find_row(std::span<const Row> rows, Column column, const Value& value) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& row) { return std::invoke(column, row) == value; });
  return found == rows.end() ? nullptr : &*found;
}

/// The first `count` numbers of a dotted version; what follows ("2.40+r16") is no part of it.
std::string_view leading_numbers(std::string_view version, int count) {
  std::size_t end = 0;
  for (; end < version.size(); ++end) {
    const bool dot = version[end] == '.';
    if (dot && --count == 0) break;
    if (!dot && (version[end] < '0' || version[end] > '9')) break;
  }
  return version.substr(0, end);
}

bool is_hexadecimal(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == text.npos; }

}  // namespace

bool names(std::string_view cells, std::string_view cell) {
  while (!cells.empty()) {
    const auto named = take(cells, ' ');
    if (named == cell || named == "row") return true;
  }
  return false;
}

std::string_view value_of(std::string_view pairs, std::string_view key) {
  while (!pairs.empty()) {
    auto value = take(pairs, ' ');
    if (take(value, ':') == key) return value;
  }
  return {};
}

std::string_view series(std::string_view version) { return leading_numbers(version, 2); }

int major(std::string_view version) {
  int number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

int sm(std::string_view capability) {
  const auto dot = capability.find('.');
  if (dot == capability.npos || dot + 2 != capability.size() || dot == 0 || dot > 2) return 0;
  const auto digits = std::string(capability.substr(0, dot)) + capability[dot + 1];
  return std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) ? major(digits) : 0;
}

std::string capability_text(int sm) { return fmt::format("{}.{}", sm / 10, sm % 10); }

const Toolkit* find_toolkit(std::string_view version) {
  const Toolkit* nearest = nullptr;
  for (const auto& row : toolkits()) {
    if (series(version).empty() || series(row.version) != series(version)) continue;
    if (row.version == version || row.nvcc == version) return &row;
    if (!nearest || compare_versions(row.version, version) <= 0) nearest = &row;
  }
  return nearest;
}

const Cudnn* find_cudnn(std::string_view version) {
  const auto* row = find_row(cudnns(), &Cudnn::version, version);
  const auto release = [](const Cudnn& cudnn) { return leading_numbers(cudnn.version, 3); };
  return row ? row : find_row(cudnns(), release, leading_numbers(version, 3));
}

const DriverBranch* find_driver_branch(std::string_view driver) {
  return find_row(driver_branches(), &DriverBranch::branch, major(driver));
}

const Generation* find_generation(std::string_view id) {
  return find_row(generations(), &Generation::id, id);
}

const Capability* find_capability(int sm) { return find_row(capabilities(), &Capability::sm, sm); }

const Chip* find_chip(std::string_view id) {
  if (id.size() != 4 || !is_hexadecimal(id)) return nullptr;
  const auto has_id = [&](const Chip& chip) { return chip.ids.find(id) != chip.ids.npos; };
  return find_row(chips(), has_id, true);
}

const Product* find_product(std::string_view id) { return find_row(products(), &Product::id, id); }

const KernelLimit* find_kernel_limit(std::string_view driver) {
  const KernelLimit* nearest = nullptr;
  for (const auto& row : kernel_limits())
    if (major(row.driver) == major(driver) && compare_versions(row.driver, driver) <= 0) nearest = &row;
  return nearest;
}

const FrameworkBuild* find_framework_build(std::string_view framework, std::string_view version,
                                           std::string_view cuda) {
  const auto same = [&](const FrameworkBuild& build) {
    return build.framework == framework && build.version == version && build.cuda == series(cuda);
  };
  return find_row(framework_builds(), same, true);
}

const BinaryCode* find_binary_code(int sm, int capability) {
  const auto runs = [&](const BinaryCode& code) {
    return code.sm == sm && code.from <= capability && capability < code.below && code.except != capability;
  };
  return find_row(binary_codes(), runs, true);
}

}  // namespace cudapin::tables
