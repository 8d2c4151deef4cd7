// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/archive.hpp"

#include "core/archive_page.hpp"
#include "core/error.hpp"
#include "core/manjaro.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/catalog.hpp"
#include "system/http.hpp"
#include "system/listing.hpp"
#include "system/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Place = SourcePlace;

std::string without_slash(std::string base) {
  while (base.size() > 1 && base.ends_with('/')) base.pop_back();
  return base;
}

Place place_of(const std::string& archive) {
  const auto scheme = scheme_of(archive);
  if (scheme == "file") return {archive, percent_decode(archive.substr(7))};
  return {archive, scheme.empty() ? fs::path(archive) : fs::path{}};
}

}  // namespace

std::vector<SourcePlace> archive_places(const Sources& sources) {
  std::vector<Place> places;
  for (const auto& archive : sources.archives) places.push_back(place_of(archive));
  std::stable_partition(places.begin(), places.end(),
                        [](const Place& place) { return !place.folder.empty(); });
  return places;
}

bool may_be_archived(const Sources& sources, std::string_view name) {
  return !sources.is_manjaro || !is_manjaro_build(name);
}

fs::path archive_path(const PackageFileName& file) {
  return fs::path(folder_in("", file.name)) / file.text();
}

std::string archive_url(const std::string& base, const PackageFileName& file) {
  const auto path = folder_in(base, file.name) + "/" + file.text();
  const auto start = without_slash(base);
  if (scheme_of(base).empty()) return fmt::format("{}/{}", start == "/" ? "" : start, path);
  std::string url = start;
  for (const auto& part : split(path, "/")) url += "/" + percent_encode(part);
  return url;
}

std::string locate(const Sources& sources, const PackageFileName& file) {
  const auto here = [&](const PackageFileName& name) -> std::string {
    if (const auto stored = sources.store / archive_path(name); is_whole(stored)) return stored.string();
    for (const auto& place : places_of(sources, name.name))
      if (const auto found = place.folder.empty() ? FoundFile{} : find_in(place, name, ""); found.fd)
        return found.path.string();
    return {};
  };
  if (auto path = here(file); !path.empty()) return path;
  const auto other = with_other_ending(file);
  if (auto path = other ? here(*other) : std::string{}; !path.empty()) return path;
  for (const auto& place : places_of(sources, file.name))
    if (place.folder.empty() && !sources.offline) return archive_url(place.name, file);
  return {};
}

std::vector<Place> places_of(const Sources& sources, std::string_view name) {
  std::vector<Place> places;
  for (const auto& cache : sources.caches) places.push_back({cache.string(), cache});
  if (may_be_archived(sources, name)) std::ranges::move(archive_places(sources), std::back_inserter(places));
  return places;
}

FoundFile find_in(const Place& place, const PackageFileName& file, const std::string& ending) {
  auto found = open_below(place.folder, archive_path(file).string() + ending);
  return found.fd ? std::move(found) : open_below(place.folder, file.text() + ending);
}

}  // namespace cudapin
