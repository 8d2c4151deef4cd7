// SPDX-License-Identifier: GPL-3.0-or-later
// What completion scripts ask: names that lie on this machine, mostly those of files, without opening one.
#include "commands/commands.hpp"
#include "commands/profiles.hpp"
#include "system/subscriptions.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

Names names_in(const fs::path& folder) {
  Names names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) names.push_back(entry.path().filename());
  return names;
}

Names profile_names(const Host& host) {
  Names names;
  for (const auto& entry : known_profiles(host)) names.push_back(entry.name);
  return names;
}

/// Those that `profile add` has put there.
Names added_names(const Host& host) {
  Names names;
  for (const auto& entry : known_profiles(host))
    if (entry.layer == "site") names.push_back(entry.name);
  return names;
}

Names subscription_names(const Host& host) {
  Names names;
  for (const auto& subscription : subscriptions(host)) names.push_back(subscription.place);
  return names;
}

Names key_names(const Host& host) {
  Names names;
  for (const auto* role : {"profile", "vouch"})
    for (const auto& file : names_in(host.at("/etc/cudapin/trusted") / role))
      if (file.ends_with(".asc")) names.push_back(fs::path(file).stem());
  return names;
}

/// The local database has a folder NAME-VERSION-RELEASE for each package.
Names package_names(const Host& host) {
  Names names;
  for (const auto& entry : names_in(host.at("/var/lib/pacman/local"))) {
    const auto release = entry.rfind('-');
    const auto version = release == entry.npos || release == 0 ? entry.npos : entry.rfind('-', release - 1);
    if (version != entry.npos) names.push_back(entry.substr(0, version));
  }
  return names;
}

Names names_of(const std::string& kind, const Host& host) {
  if (kind == "profiles") return profile_names(host);
  if (kind == "added") return added_names(host);
  if (kind == "packages") return package_names(host);
  if (kind == "keys") return key_names(host);
  if (kind == "subscriptions") return subscription_names(host);
  return {};
}

}  // namespace

ExitStatus complete(const CompleteRequest& request, const Host& host) {
  auto names = names_of(request.kind, host);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const auto& name : names)
    if (name.starts_with(request.start)) *host.out << name << '\n';
  return ExitStatus::done;
}

}  // namespace cudapin
