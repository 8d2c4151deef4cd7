// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// What a package gives and wants, now or in a sync database; dependency and provision texts as in `desc`.
struct PackageLinks {
  std::string version;
  std::vector<std::string> depends;
  std::vector<std::string> provides;
};

/// An installed package and what the sync databases would make of it (empty version: nothing).
struct UpgradablePackage {
  PackageLinks now;
  PackageLinks next;
};

/// `names` and all that must stay with them so that an upgrade of everything else resolves: the whole driver
/// family with the kernels it is built for, toolkit and frameworks together, and whatever their exact
/// dependencies tie to them. Sorted; only names that are installed or in `names`. Where an order of
/// versions would have to be known it rather keeps one package more.
std::vector<std::string> close_over_partners(std::span<const std::string> names,
                                             const std::map<std::string, UpgradablePackage>& installed);

}  // namespace cudapin
