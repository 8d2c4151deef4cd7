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

/// Caches and archives that may have the package, in the order they are asked.
std::vector<Place> places_of(const Sources& sources, std::string_view name) {
  std::vector<Place> places;
  for (const auto& cache : sources.caches) places.push_back({cache.string(), cache});
  if (may_be_archived(sources, name)) std::ranges::move(archive_places(sources), std::back_inserter(places));
  return places;
}

/// The file in a folder, by either layout; an Fd on it that no symbolic link led to, and its path.
FoundFile find_in(const Place& place, const PackageFileName& file, const std::string& ending) {
  auto found = open_below(place.folder, archive_path(file).string() + ending);
  return found.fd ? std::move(found) : open_below(place.folder, file.text() + ending);
}

/// Takes one file (the package, or with `ending` its signature) from the places in turn.
class Search {
 public:
  Search(const Host& host, const Sources& sources, const PackageFileName& file, const ProgressSink& sink)
      : host_(host), sources_(sources), file_(file), sink_(sink), places_(places_of(sources, file.name)) {}

  /// Whether `target` could be filled. The place that had it is asked first the next time.
  bool fill(const fs::path& target, const std::string& ending);
  bool failed() const { return failed_; }
  /// Tells of the archives that were passed over because they did not answer.
  void warn_of_silence() const;
  /// What each place said, one line each.
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  bool take(const Place& place, const fs::path& target, const std::string& ending);
  bool take_remote(const Place& place, const fs::path& target, const std::string& ending);

  const Host& host_;
  const Sources& sources_;
  const PackageFileName& file_;
  const ProgressSink& sink_;
  std::vector<Place> places_;
  std::vector<std::string> refusals_;
  std::vector<std::string> silences_;  ///< those of this search that nobody has been told of
  bool failed_ = false;                ///< some archive gave no clear answer
};

bool Search::fill(const fs::path& target, const std::string& ending) {
  refusals_.clear();
  failed_ = false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    host_.check_interrupt();
    if (!take(places_[i], target, ending)) continue;
    std::rotate(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(i),
                places_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

bool Search::take(const Place& place, const fs::path& target, const std::string& ending) {
  if (place.folder.empty()) return take_remote(place, target, ending);
  const auto found = find_in(place, file_, ending);
  if (found.fd) {
    copy_into_store(host_, found, target);
    return true;
  }
  refusals_.push_back(tr("'{}' does not have it", printable(place.name)));
  return false;
}

bool Search::take_remote(const Place& place, const fs::path& target, const std::string& ending) {
  const auto shown = shown_url(place.name);
  if (sources_.offline) {
    refusals_.push_back(tr("'{}' was not asked: offline", shown));
    return false;
  }
  if (const auto silent = sources_.silent->find(place.name); silent != sources_.silent->end()) {
    failed_ = true;
    refusals_.push_back(silent->second);
    return false;
  }
  const bool is_last = place.name == places_.back().name;
  try {
    const auto url = archive_url(place.name, file_) + ending;
    if (download(host_, url, target, sink_, is_last ? 5 : 2) == DownloadOutcome::done) return true;
    refusals_.push_back(tr("'{}' does not have it", shown));
  } catch (const NoAnswer& silence) {
    failed_ = true;
    refusals_.push_back(silence.what());
    silences_.push_back(silence.what());
    sources_.silent->emplace(place.name, silence.what());
  } catch (const Error& error) {
    // A failure of this machine, which has a hint of its own, no other archive would help.
    if (error.status == ExitStatus::interrupted || !error.hint.empty()) throw;
    failed_ = true;
    refusals_.push_back(error.what());
  }
  return false;
}

void Search::warn_of_silence() const {
  for (const auto& silence : silences_)
    if (host_.err) *host_.err << tr("warning: {}; another archive is asked\n", printable(silence));
}

/// Some archive gave no clear answer, so the file may be there.
Error no_answer(const std::string& error, std::vector<std::string> lines) {
  lines.insert(lines.begin(), error);
  return Error(join(lines, "\n"), tr_text("run it again, or name another archive with --archive"));
}

/// With the refusals, the nearest versions that the places have, and what to do.
Error no_such_file(const Host& host, const Sources& sources, const PackageFileName& file,
                   std::vector<std::string> lines) {
  constexpr std::size_t most = 5;
  lines.insert(lines.begin(), tr("cannot find '{}'", file.text()));
  const auto catalog = catalog_of(host, sources, file.name);
  lines.insert(lines.end(), catalog.problems.begin(), catalog.problems.end());
  const auto nearest = nearest_versions(catalog.files, file.version, most);
  lines.push_back(nearest.empty()
                      ? tr("no version of '{}' is listed there", file.name)
                      : tr("the nearest versions of '{}' there: {}", file.name, join(nearest, ", ")));
  return Error(
      join(lines, "\n"),
      tr_text("name another archive with --archive, or a version that is there in a profile of your own"));
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

namespace {

/// Under its own name; without a value where every place says that it has no such file, and `refusals` says
/// so.
std::optional<fs::path> fetch_named(const Host& host, const Sources& sources, const PackageFileName& file,
                                    const ProgressSink& sink, std::vector<std::string>& refusals) {
  const auto target = sources.store / archive_path(file);
  const auto signature = fs::path(target.string() + ".sig");
  make_store_folder(target.parent_path());
  const FileLock lock(host, target);
  Search search(host, sources, file, sink);
  const bool had = is_whole(target);
  if (!had) {
    remove_stored(signature);  // it belonged to another file
    if (!search.fill(target, "")) {
      if (search.failed()) throw no_answer(tr("cannot find '{}'", file.text()), search.refusals());
      refusals = search.refusals();
      return std::nullopt;
    }
  }
  search.warn_of_silence();
  // A package that was here before stays usable when no archive answers; whoever needs the signature says so.
  if (!is_whole(signature) && !search.fill(signature, ".sig") && search.failed() && !had)
    throw no_answer(tr("cannot get the signature of '{}'", file.text()), search.refusals());
  return target;
}

}  // namespace

fs::path fetch(const Host& host, const Sources& sources, const PackageFileName& file,
               const ProgressSink& sink) {
  std::vector<std::string> refusals;
  if (const auto path = fetch_named(host, sources, file, sink, refusals)) return *path;
  std::vector<std::string> others;
  if (const auto other = with_other_ending(file))
    if (const auto path = fetch_named(host, sources, *other, sink, others)) return *path;
  throw no_such_file(host, sources, file, std::move(refusals));
}

}  // namespace cudapin
