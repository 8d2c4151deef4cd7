// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/package_class.hpp"

#include "guard_targets.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace cudapin {

namespace {

struct Module {
  std::string_view name;
  std::string_view kernel;
};

constexpr std::array modules{Module{"nvidia", "linux"},         Module{"nvidia-open", "linux"},
                             Module{"nvidia-lts", "linux-lts"}, Module{"nvidia-open-lts", "linux-lts"},
                             Module{"nvidia-390xx", "linux"},   Module{"nvidia-390xx-lts", "linux-lts"}};

/// As fnmatch, which is asked only when the literal beginning is right: a transaction has thousands of names.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t stem = 0;
  while (stem < pattern.size() && pattern[stem] != '*' && pattern[stem] != '[' && pattern[stem] != '?') {
    if (stem >= name.size() || name[stem] != pattern[stem]) return false;
    ++stem;
  }
  if (stem == pattern.size()) return name.size() == stem;
  return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

PackageClass class_of(std::string_view package) {
  const auto found = std::find_if(std::rbegin(guard_targets), std::rend(guard_targets),
                                  [&](const TargetPattern& row) { return matches(row.pattern, package); });
  return found == std::rend(guard_targets) ? PackageClass::none : found->package_class;
}

bool is_watched(std::string_view package) { return class_of(package) != PackageClass::none; }

std::string_view kernel_of_module(std::string_view package) {
  const auto known =
      std::find_if(modules.begin(), modules.end(), [&](const Module& row) { return row.name == package; });
  if (known != modules.end()) return known->kernel;
  const auto nvidia = package.find("-nvidia");
  const bool is_numbered = package.starts_with("linux") && package.size() > 5 && is_digit(package[5]);
  return is_numbered && nvidia != package.npos ? package.substr(0, nvidia) : std::string_view{};
}

}  // namespace cudapin
