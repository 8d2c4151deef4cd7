// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/fetch.hpp"

#include "core/archive_page.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/catalog.hpp"
#include "system/http.hpp"
#include "system/listing.hpp"
#include "system/store.hpp"

#include <algorithm>
#include <list>
#include <ostream>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// One file of a batch.
struct Item {
  std::size_t number;  ///< in the order of the caller
  WantedFile wanted;
  fs::path target;
  bool had = false;                        ///< it was here before
  bool is_there = false;                   ///< it is here now
  bool is_unclear = false;                 ///< some archive gave no clear answer
  std::string served_by = {};              ///< the archive that had it
  std::vector<std::string> refusals = {};  ///< what each place said
};

/// Fetches files, and then their signatures, each under its exact name.
class Batch {
 public:
  Batch(const Host& host, const Sources& sources, const ProgressSink& sink)
      : host_(host), sources_(sources), sink_(sink) {}

  void fetch(std::vector<Item>& items);

 private:
  void lock(const std::vector<Item>& items);
  bool take_near(Item& item, const fs::path& target, const std::string& ending) const;
  DownloadJob job_of(Item& item, const fs::path& target, const std::string& ending) const;
  void take_remote(std::vector<Item*> items, const std::string& ending);
  void learn(Item& item, const DownloadJob& job, const DownloadResult& result);
  void warn_of_silence(const std::vector<Item>& items);

  const Host& host_;
  const Sources& sources_;
  const ProgressSink& sink_;
  std::list<FileLock> locks_;
  std::vector<std::string> silences_;  ///< of archives that nobody has been told of
};

fs::path with_ending(const Item& item, const std::string& ending) { return item.target.string() + ending; }

void Batch::fetch(std::vector<Item>& items) {
  lock(items);
  std::vector<Item*> missing;
  for (auto& item : items) {
    item.had = item.is_there = is_whole(item.target);
    if (item.had) continue;
    remove_stored(with_ending(item, ".sig"));  // it belonged to another file
    item.is_there = take_near(item, item.target, "");
    if (!item.is_there) missing.push_back(&item);
  }
  take_remote(missing, "");
  warn_of_silence(items);
  missing.clear();
  for (auto& item : items)
    if (item.is_there && !is_whole(with_ending(item, ".sig")) &&
        !take_near(item, with_ending(item, ".sig"), ".sig"))
      missing.push_back(&item);
  take_remote(missing, ".sig");
  locks_.clear();
}

/// In one order for all processes, so that two of them never wait for each other.
void Batch::lock(const std::vector<Item>& items) {
  std::set<fs::path> targets;
  for (const auto& item : items) targets.insert(item.target);
  for (const auto& target : targets) {
    make_store_folder(target.parent_path());
    locks_.emplace_back(host_, target);
  }
}

bool Batch::take_near(Item& item, const fs::path& target, const std::string& ending) const {
  for (const auto& place : places_of(sources_, item.wanted.name.name)) {
    if (place.folder.empty()) continue;
    host_.check_interrupt();
    if (const auto found = find_in(place, item.wanted.name, ending); found.fd) {
      copy_into_store(host_, found, target);
      return true;
    }
    if (ending.empty()) item.refusals.push_back(tr("'{}' does not have it", printable(place.name)));
  }
  return false;
}

/// From all archives that may be asked; the one that had the package first.
DownloadJob Batch::job_of(Item& item, const fs::path& target, const std::string& ending) const {
  DownloadJob job{{}, target};
  if (ending.empty()) {
    job.size = item.wanted.sha256.empty() ? 0 : item.wanted.size;
    job.sha256 = item.wanted.sha256;
  }
  for (const auto& place : places_of(sources_, item.wanted.name.name)) {
    if (!place.folder.empty()) continue;
    const auto silent = sources_.silent->find(place.name);
    if (sources_.offline)
      item.refusals.push_back(tr("'{}' was not asked: offline", shown_url(place.name)));
    else if (silent != sources_.silent->end())
      item.refusals.push_back(silent->second);
    else
      job.urls.push_back(archive_url(place.name, item.wanted.name) + ending);
    item.is_unclear |= silent != sources_.silent->end() && !sources_.offline;
  }
  const auto first = std::ranges::find(job.urls, item.served_by + ending);
  if (!item.served_by.empty() && first != job.urls.end()) std::rotate(job.urls.begin(), first, first + 1);
  return job;
}

void Batch::take_remote(std::vector<Item*> items, const std::string& ending) {
  std::vector<DownloadJob> jobs;
  for (auto* item : items) {
    item->is_unclear = false;
    jobs.push_back(job_of(*item, with_ending(*item, ending), ending));
  }
  const auto results = download(host_, jobs, sink_);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (ending.empty()) items[i]->is_there = results[i].outcome == DownloadOutcome::done;
    if (!ending.empty() && results[i].outcome == DownloadOutcome::done) items[i]->is_unclear = false;
    learn(*items[i], jobs[i], results[i]);
  }
}

void Batch::learn(Item& item, const DownloadJob& job, const DownloadResult& result) {
  const bool is_done = result.outcome == DownloadOutcome::done;
  for (const auto& refusal : result.refusals) {
    const auto places = places_of(sources_, item.wanted.name.name);
    const auto place = std::ranges::find_if(places, [&](const SourcePlace& candidate) {
      return candidate.folder.empty() &&
             refusal.url.starts_with(archive_url(candidate.name, item.wanted.name));
    });
    if (place == places.end()) continue;
    if (refusal.is_missing) {
      item.refusals.push_back(tr("'{}' does not have it", shown_url(place->name)));
      continue;
    }
    const auto text = tr("cannot download '{}': {}", shown_url(refusal.url), refusal.text);
    item.refusals.push_back(text);
    item.is_unclear |= !is_done;
    if (refusal.is_unreachable && sources_.silent->emplace(place->name, text).second)
      silences_.push_back(text);
  }
  for (const auto& url : job.urls)
    if (is_done && std::ranges::find(result.refusals, url, &Refusal::url) == result.refusals.end() &&
        item.served_by.empty())
      item.served_by = url;
}

/// Where another archive had it after all.
void Batch::warn_of_silence(const std::vector<Item>& items) {
  if (!std::ranges::any_of(items, &Item::is_there)) return;
  for (const auto& silence : silences_)
    if (host_.err) *host_.err << tr("warning: {}; another archive is asked\n", printable(silence));
  silences_.clear();
}

/// Some archive gave no clear answer, so the file may be there.
void add_unclear(std::vector<std::string>& lines, const Item& item) {
  lines.push_back(item.is_there ? tr("cannot get the signature of '{}'", item.wanted.name.text())
                                : tr("cannot find '{}'", item.wanted.name.text()));
  lines.insert(lines.end(), item.refusals.begin(), item.refusals.end());
}

/// A package that was here before stays usable when no archive gives its signature; whoever needs it says so.
void require_clear(std::span<const Item> items) {
  std::vector<std::string> lines;
  for (const auto& item : items)
    if (item.is_unclear && !item.had) add_unclear(lines, item);
  if (!lines.empty())
    throw Error(join(lines, "\n"), tr_text("run it again, or name another archive with --archive"));
}

/// With the refusals, the nearest versions that the places have.
void add_missing(std::vector<std::string>& lines, const Host& host, const Sources& sources,
                 const Item& item) {
  constexpr std::size_t most = 5;
  const auto& name = item.wanted.name;
  lines.push_back(tr("cannot find '{}'", name.text()));
  lines.insert(lines.end(), item.refusals.begin(), item.refusals.end());
  const auto catalog = catalog_of(host, sources, name.name);
  lines.insert(lines.end(), catalog.problems.begin(), catalog.problems.end());
  const auto nearest = nearest_versions(catalog.files, name.version, most);
  lines.push_back(nearest.empty()
                      ? tr("no version of '{}' is listed there", name.name)
                      : tr("the nearest versions of '{}' there: {}", name.name, join(nearest, ", ")));
}

/// Those that no place has, under the ending of the other side of January 2020.
std::vector<Item> under_other_ending(const Sources& sources, std::span<const Item> items) {
  std::vector<Item> others;
  for (const auto& item : items)
    if (const auto other = item.is_there ? std::nullopt : with_other_ending(item.wanted.name))
      others.push_back({item.number, {*other}, sources.store / archive_path(*other)});
  return others;
}

}  // namespace

std::vector<fs::path> fetch(const Host& user, const Sources& sources, std::span<const WantedFile> files,
                            const ProgressSink& sink) {
  auto host = user;
  if (host.network.connections == 0) host.network.connections = sources.connections;
  std::vector<Item> items;
  for (const auto& file : files)
    items.push_back({items.size(), file, sources.store / archive_path(file.name)});
  Batch(host, sources, sink).fetch(items);
  require_clear(items);
  auto others = under_other_ending(sources, items);
  if (!others.empty()) Batch(host, sources, sink).fetch(others);
  require_clear(others);
  std::vector<fs::path> paths;
  for (const auto& item : items) paths.push_back(item.is_there ? item.target : fs::path());
  for (const auto& other : others)
    if (other.is_there) paths[other.number] = other.target;
  std::vector<std::string> lines;
  for (const auto& item : items)
    if (paths[item.number].empty()) add_missing(lines, host, sources, item);
  if (lines.empty()) return paths;
  throw Error(
      join(lines, "\n"),
      tr_text("name another archive with --archive, or a version that is there in a profile of your own"));
}

fs::path fetch(const Host& host, const Sources& sources, const PackageFileName& file,
               const ProgressSink& sink) {
  const WantedFile wanted{file};
  return fetch(host, sources, std::span(&wanted, 1), sink)[0];
}

}  // namespace cudapin
