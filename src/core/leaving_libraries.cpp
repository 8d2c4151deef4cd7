// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/leaving_libraries.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>

namespace cudapin {

namespace {

/// The package that the library leaves with, or null.
const ChangedLibraries* leaves_with(std::span<const ChangedLibraries> changed, const std::string& library) {
  const auto has_after = [&](const ChangedLibraries& one) { return one.after.count(library) != 0; };
  if (std::ranges::any_of(changed, has_after)) return nullptr;
  const auto found = std::ranges::find_if(
      changed, [&](const ChangedLibraries& one) { return one.before.count(library) != 0; });
  return found == changed.end() ? nullptr : &*found;
}

/// "13" of "1:13.1.1-1" and of "13.1".
std::string_view first_number(std::string_view version) {
  if (const auto colon = version.find(':'); colon != version.npos) version.remove_prefix(colon + 1);
  return version.substr(0, version.find_first_not_of("0123456789"));
}

}  // namespace

std::set<std::string> library_names(std::span<const std::string> paths) {
  std::set<std::string> names;
  for (const auto& path : paths) {
    auto name = path.substr(path.rfind('/') + 1);
    if (name.starts_with("lib") && name.find(".so.") != name.npos) names.insert(std::move(name));
  }
  return names;
}

void keep_those_of_the_version(std::set<std::string>& names, std::string_view from, std::string_view to) {
  const auto first = first_number(from);
  const bool stays = first == first_number(to);
  std::erase_if(names, [&](const std::string& name) {
    return stays || first_number(std::string_view(name).substr(name.find(".so.") + 4)) != first;
  });
}

std::vector<Finding> judge_leaving(std::span<const ChangedLibraries> changed,
                                   std::span<const LibraryUser> users) {
  std::vector<Finding> findings;
  for (const auto& user : users) {
    std::vector<std::string> lost;
    const ChangedLibraries* first = nullptr;
    for (const auto& library : user.needs)
      if (const auto* with = user.own.count(library) ? nullptr : leaves_with(changed, library)) {
        lost.push_back(library);
        if (!first) first = with;
      }
    if (!first) continue;
    findings.push_back(
        {Severity::warning,
         tr("{} {} will {}stop working: it loads {}, which leaves with {}", user.name, user.version,
            first->is_certain ? "" : tr_text("probably "), join(lost, ", "), first->package),
         "", tr("a build of it for the profile's versions, or --remove {}", user.name)});
  }
  return findings;
}

}  // namespace cudapin
