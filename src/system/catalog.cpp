// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/catalog.hpp"

#include "system/listing.hpp"
#include "system/store.hpp"

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Catalogs = std::vector<Catalog>;
using Names = std::span<const std::string>;

void append(std::vector<ArchivedFile>& files, std::vector<ArchivedFile>&& more) {
  if (files.empty())
    files = std::move(more);
  else
    std::ranges::move(more, std::back_inserter(files));
}

/// The packages that lie in a folder, whoever of `names` they are of.
void add_folder(const fs::path& folder, const std::string& place, Names names, Catalogs& catalogs) {
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    auto file = parse_file_name(entry.path().filename().string());
    const auto name = file ? std::ranges::find(names, file->name) : names.end();
    if (name == names.end() || !is_whole(entry.path())) continue;
    ArchivedFile found{std::move(*file), place, true};
    found.size = entry.file_size(missing);
    found.has_signature = is_whole(entry.path().string() + ".sig");
    catalogs[static_cast<std::size_t>(name - names.begin())].files.push_back(std::move(found));
  }
}

/// A folder laid out like the archive, flat, or both.
void add_place(const fs::path& folder, const std::string& place, Names names, Catalogs& catalogs) {
  for (const auto& name : names) add_folder(folder / folder_in("", name), place, names, catalogs);
  add_folder(folder, place, names, catalogs);
}

/// The archives to be asked for lists, and the collections that keep what they have moved away.
std::vector<std::string> asked_for_lists(const std::vector<SourcePlace>& places) {
  std::vector<std::string> bases;
  for (const auto& place : places)
    if (place.folder.empty()) bases.push_back(place.name);
  for (std::size_t i = 0, count = bases.size(); i < count; ++i)
    if (const auto moved = collection_of(bases[i]);
        !moved.empty() && std::ranges::find(bases, moved) == bases.end())
      bases.push_back(moved);
  return bases;
}

/// What the archives answered: one row an archive, one column a name.
class Lists {
 public:
  Lists(const Host& host, std::vector<std::string> archives, Names names)
      : host_(host), archives_(std::move(archives)), names_(names) {
    std::vector<ListingRequest> requests;
    for (const auto& archive : archives_)
      for (const auto& name : names_) requests.push_back({archive, name});
    lists_ = listings(host_, requests);
  }

  /// Where an archive has no list for a name, its flat index may have the name: asked for once.
  void look_into_indexes() {
    for (std::size_t row = 0; row < archives_.size(); ++row) {
      std::vector<std::string> names;
      std::vector<std::size_t> columns;
      for (std::size_t column = 0; column < names_.size(); ++column)
        if (!is_item_collection(archives_[row]) && needs_index(row, column)) {
          names.push_back(names_[column]);
          columns.push_back(column);
        }
      if (names.empty()) continue;
      auto found = index_listings(host_, archives_[row], names);
      for (std::size_t i = 0; i < names.size(); ++i)
        if (found[i].answer == Answer::listed) at(row, columns[i]) = std::move(found[i]);
    }
  }

  void move_to(Catalogs& catalogs) {
    for (std::size_t row = 0; row < archives_.size(); ++row)
      for (std::size_t column = 0; column < names_.size(); ++column) {
        auto& list = at(row, column);
        append(catalogs[column].files, std::move(list.files));
        if (!list.problem.empty()) catalogs[column].problems.push_back(std::move(list.problem));
      }
  }

 private:
  Listing& at(std::size_t row, std::size_t column) { return lists_[row * names_.size() + column]; }

  bool needs_index(std::size_t row, std::size_t column) {
    const auto answer = at(row, column).answer;
    if (answer == Answer::empty || answer == Answer::no_list) return true;
    if (answer != Answer::no_folder) return false;
    for (std::size_t other = 0; other < archives_.size(); ++other)
      if (!at(other, column).files.empty()) return false;
    return true;
  }

  const Host& host_;
  std::vector<std::string> archives_;
  Names names_;
  std::vector<Listing> lists_;
};

}  // namespace

std::vector<Catalog> catalogs_of(const Host& host, const Sources& sources, Names names) {
  Catalogs catalogs(names.size());
  if (names.empty()) return catalogs;
  add_place(sources.store, sources.store.string(), names, catalogs);
  for (const auto& cache : sources.caches) add_folder(cache, cache.string(), names, catalogs);
  std::vector<std::string> open_names;  // those that archives may be asked for
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!may_be_archived(sources, names[i])) continue;
    open_names.push_back(names[i]);
    columns.push_back(i);
  }
  Catalogs archived(open_names.size());
  const auto places = archive_places(sources);
  for (const auto& place : places)
    if (!place.folder.empty()) add_place(place.folder, place.name, open_names, archived);
  if (!sources.offline) {
    Lists lists(host, asked_for_lists(places), open_names);
    lists.look_into_indexes();
    lists.move_to(archived);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& catalog = catalogs[columns[i]];
    append(catalog.files, std::move(archived[i].files));
    catalog.problems = std::move(archived[i].problems);
  }
  return catalogs;
}

Catalog catalog_of(const Host& host, const Sources& sources, std::string_view name) {
  const std::vector<std::string> names{std::string(name)};
  return std::move(catalogs_of(host, sources, names)[0]);
}

}  // namespace cudapin
