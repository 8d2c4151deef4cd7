// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/satisfiers.hpp"

#include <algorithm>

namespace cudapin {

Satisfiers::Satisfiers(std::span<const Package> packages) {
  for (const auto& package : packages) {
    by_name_[package.name].push_back(&package);
    for (const auto& provision : package.provides) by_name_[provision.name].push_back(&package);
  }
}

const Package* Satisfiers::find(const Dependency& wanted) const {
  const auto named = by_name_.find(wanted.name);
  if (named == by_name_.end()) return nullptr;
  const auto found =
      std::ranges::find_if(named->second, [&](const Package* one) { return satisfies(*one, wanted); });
  return found == named->second.end() ? nullptr : *found;
}

}  // namespace cudapin
