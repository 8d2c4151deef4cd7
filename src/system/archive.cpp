// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/archive.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "system/http.hpp"
#include "system/listing.hpp"
#include "system/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Where a file may be: a folder, laid out like the archive or flat, or the base URL of a remote archive.
struct Place {
  std::string name;  ///< as the user wrote it
  fs::path folder;   ///< empty: remote
};

std::string folder_of(const PackageFileName& file) {
  const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(file.name[0])));
  return fmt::format("packages/{}/{}/", letter, file.name);
}

std::string without_slash(std::string base) {
  while (base.size() > 1 && base.ends_with('/')) base.pop_back();
  return base;
}

Place place_of(const std::string& archive) {
  const auto scheme = scheme_of(archive);
  if (scheme == "file") return {archive, percent_decode(archive.substr(7))};
  return {archive, scheme.empty() ? fs::path(archive) : fs::path{}};
}

std::vector<Place> places_of(const Sources& sources) {
  std::vector<Place> places;
  for (const auto& cache : sources.caches) places.push_back({cache.string(), cache});
  for (const auto& archive : sources.archives) places.push_back(place_of(archive));
  std::stable_partition(places.begin(), places.end(),
                        [](const Place& place) { return !place.folder.empty(); });
  return places;
}

/// The file in a folder, by either layout; an Fd on it that no symbolic link led to, and its path.
FoundFile find_in(const Place& place, const PackageFileName& file, const std::string& ending) {
  auto found = open_below(place.folder, folder_of(file) + file.text() + ending);
  return found.fd ? std::move(found) : open_below(place.folder, file.text() + ending);
}

/// Takes one file (the package, or with `ending` its signature) from the places in turn.
class Search {
 public:
  Search(const Host& host, const Sources& sources, const PackageFileName& file, const ProgressSink& sink)
      : host_(host), sources_(sources), file_(file), sink_(sink), places_(places_of(sources)) {}

  /// Whether `target` could be filled. The place that had it is asked first the next time.
  bool fill(const fs::path& target, const std::string& ending);
  bool failed() const { return failed_; }
  /// `error` with the refusals, the nearest versions that the places have, and what to do.
  Error failure(const std::string& error) const;

 private:
  bool take(const Place& place, const fs::path& target, const std::string& ending);
  bool take_remote(const Place& place, const fs::path& target, const std::string& ending);
  std::vector<PackageFileName> others() const;

  const Host& host_;
  const Sources& sources_;
  const PackageFileName& file_;
  const ProgressSink& sink_;
  std::vector<Place> places_;
  std::vector<std::string> refusals_;
  bool failed_ = false;  ///< some archive gave no clear answer
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
  refusals_.push_back(fmt::format("'{}' does not have it", printable(place.name)));
  return false;
}

bool Search::take_remote(const Place& place, const fs::path& target, const std::string& ending) {
  const auto shown = shown_url(place.name);
  if (sources_.offline) {
    refusals_.push_back(fmt::format("'{}' was not asked: offline", shown));
    return false;
  }
  try {
    if (download(host_, archive_url(place.name, file_) + ending, target, sink_) == DownloadOutcome::done)
      return true;
    refusals_.push_back(fmt::format("'{}' does not have it", shown));
  } catch (const Error& error) {
    // A failure of this machine, which has a hint of its own, no other archive would help.
    if (error.status == ExitStatus::interrupted || !error.hint.empty()) throw;
    failed_ = true;
    refusals_.push_back(error.what());
  }
  return false;
}

/// What the places have of the package in other versions.
std::vector<PackageFileName> Search::others() const {
  std::vector<PackageFileName> files;
  for (const auto& place : places_) {
    if (place.folder.empty() && !sources_.offline) {
      const auto scratch = (sources_.store / archive_path(file_)).parent_path() / ".listing";
      const auto listed = listed_files(host_, place.name, file_.name, scratch);
      files.insert(files.end(), listed.begin(), listed.end());
    }
    std::error_code missing;
    for (const auto& folder : {place.folder, place.folder / folder_of(file_)})
      for (const auto& entry : fs::directory_iterator(folder, missing))
        if (auto name = parse_file_name(entry.path().filename().string()); name && name->name == file_.name)
          files.push_back(std::move(*name));
  }
  return files;
}

Error Search::failure(const std::string& error) const {
  auto lines = refusals_;
  lines.insert(lines.begin(), error);
  if (failed_) return Error(join(lines, "\n"), "run it again, or name another archive with --archive");
  constexpr std::size_t most = 5;
  const auto nearest = nearest_versions(others(), file_.version, most);
  lines.push_back(nearest.empty() ? fmt::format("no version of '{}' is listed there", file_.name)
                                  : fmt::format("the nearest versions of '{}' there: {}", file_.name,
                                                join(nearest, ", ")));
  return Error(join(lines, "\n"),
               "name another archive with --archive, or a version that is there in a profile of your own");
}

}  // namespace

fs::path archive_path(const PackageFileName& file) { return folder_of(file) + file.text(); }

std::string archive_url(const std::string& base, const PackageFileName& file) {
  const auto path = archive_path(file).string();
  const auto start = without_slash(base);
  if (scheme_of(base).empty()) return fmt::format("{}/{}", start == "/" ? "" : start, path);
  std::string url = start;
  for (const auto& part : split(path, "/")) url += "/" + percent_encode(part);
  return url;
}

std::string locate(const Sources& sources, const PackageFileName& file) {
  if (const auto stored = sources.store / archive_path(file); is_whole(stored)) return stored.string();
  for (const auto& place : places_of(sources)) {
    if (place.folder.empty()) return sources.offline ? std::string{} : archive_url(place.name, file);
    if (const auto found = find_in(place, file, ""); found.fd) return found.path.string();
  }
  return {};
}

fs::path fetch(const Host& host, const Sources& sources, const PackageFileName& file,
               const ProgressSink& sink) {
  const auto target = sources.store / archive_path(file);
  const auto signature = fs::path(target.string() + ".sig");
  make_store_folder(target.parent_path());
  const FileLock lock(host, target);
  Search search(host, sources, file, sink);
  const bool had = is_whole(target);
  if (!had) {
    remove_stored(signature);  // it belonged to another file
    if (!search.fill(target, "")) throw search.failure(fmt::format("cannot find '{}'", file.text()));
  }
  // A package that was here before stays usable when no archive answers; whoever needs the signature says so.
  if (!is_whole(signature) && !search.fill(signature, ".sig") && search.failed() && !had)
    throw search.failure(fmt::format("cannot get the signature of '{}'", file.text()));
  return target;
}

}  // namespace cudapin
