// SPDX-License-Identifier: GPL-3.0-or-later
// What completion scripts ask: names that lie in folders of this machine, without reading a file.
#include "commands/commands.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) names.push_back(entry.path().filename());
  return names;
}

std::vector<std::string> profile_names(const Host& host) {
  std::vector<std::string> names;
  for (const auto& folder : {host.at("/etc/cudapin/profiles"), host.profiles})
    for (const auto& file : names_in(folder))
      if (file.ends_with(".yaml") && !file.ends_with(".lock.yaml"))
        names.push_back(file.substr(0, file.size() - 5));
  return names;
}

/// The local database has a folder NAME-VERSION-RELEASE for each package.
std::vector<std::string> package_names(const Host& host) {
  std::vector<std::string> names;
  for (const auto& entry : names_in(host.at("/var/lib/pacman/local"))) {
    const auto release = entry.rfind('-');
    const auto version = release == entry.npos || release == 0 ? entry.npos : entry.rfind('-', release - 1);
    if (version != entry.npos) names.push_back(entry.substr(0, version));
  }
  return names;
}

}  // namespace

ExitStatus complete(const CompleteRequest& request, const Host& host) {
  auto names = request.kind == "profiles"   ? profile_names(host)
               : request.kind == "packages" ? package_names(host)
                                            : std::vector<std::string>{};
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const auto& name : names)
    if (name.starts_with(request.start)) *host.out << name << '\n';
  return ExitStatus::done;
}

}  // namespace cudapin
