// SPDX-License-Identifier: GPL-3.0-or-later
// list_versions ARCHIVE NAME...: the versions that the archive lists of each package, newest first. Keeps no
// pages.
#include "system/catalog.hpp"

#include <algorithm>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  using namespace cudapin;
  if (argc < 3) return 2;
  auto host = Host::from_process();
  host.privileged = false;
  host.environment.clear();
  const std::vector<std::string> names(argv + 2, argv + argc);
  for (auto& catalog : catalogs_of(host, Sources{.archives = {argv[1]}}, names)) {
    for (const auto& problem : catalog.problems) std::cerr << problem << '\n';
    std::vector<const Version*> versions;
    for (const auto& each : catalog.files) versions.push_back(&each.file.version);
    std::ranges::stable_sort(versions,
                             [](const Version* left, const Version* right) { return *left > *right; });
    for (const auto* version : versions) std::cout << version->text() << '\n';
  }
  return 0;
}
