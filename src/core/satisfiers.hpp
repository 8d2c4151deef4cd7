// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cudapin {

/// Packages by what they are and what they provide: find_satisfier for many questions to the same packages,
/// which have to outlive this.
class Satisfiers {
 public:
  explicit Satisfiers(std::span<const Package> packages);

  /// The first of the packages that satisfies `wanted`, or null.
  const Package* find(const Dependency& wanted) const;

 private:
  std::unordered_map<std::string_view, std::vector<const Package*>> by_name_;
};

}  // namespace cudapin
