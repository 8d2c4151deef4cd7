// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/listing.hpp"

#include "core/archive_page.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/http.hpp"
#include "system/package_file.hpp"
#include "system/page_cache.hpp"
#include "system/pages.hpp"
#include "system/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace cudapin {

namespace {

using Outcome = Page::Outcome;

std::string without_slashes(std::string_view base) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base);
}

bool is_list(const Page& page) { return kind_of_page(page.body) == PageKind::listing; }

/// The pages that are wanted, and what the cache has of them.
struct Wanted {
  Wanted(const PageCache& cache, std::vector<std::string> pages_of, bool large)
      : urls(std::move(pages_of)), are_large(large) {
    for (const auto& url : urls) cached.push_back(cache.find(url));
  }

  std::vector<std::string> urls;
  bool are_large;
  std::vector<std::optional<CachedPage>> cached;
};

/// What came of them, and which of the pages the cache is to keep.
struct Received {
  std::vector<Page> pages;
  std::vector<bool> are_new;
};

Received receive(const Host& host, const Wanted& wanted) {
  const auto count = wanted.urls.size();
  Received all{std::vector<Page>(count), std::vector<bool>(count)};
  std::vector<PageRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& cached = wanted.cached[i];
    if (cached) all.pages[i] = cached->page;
    if (cached && cached->is_fresh(host)) continue;
    requests.push_back({.url = wanted.urls[i], .is_large = wanted.are_large});
    if (cached) requests.back().etag = cached->page.etag;
    if (cached) requests.back().last_modified = cached->page.last_modified;
    places.push_back(i);
  }
  auto received = get_pages(host, requests);
  for (std::size_t i = 0; i < received.size(); ++i) {
    auto& page = received[i];
    const auto place = places[i];
    all.are_new[place] = page.outcome == Outcome::received && (wanted.are_large || is_list(page));
    if (page.outcome != Outcome::unchanged || !wanted.cached[place]) all.pages[place] = std::move(page);
  }
  return all;
}

std::string titled(const std::string& page) {
  const auto title = title_of(page);
  return title.empty() ? "" : fmt::format(" ('{}')", title);
}

/// A page that came, told apart from a list of packages.
Listing judge_page(const std::string& url, const Page& page, const std::string& name) {
  const auto server = host_of(url);
  const auto last = host_of(page.final_url);
  const auto kind = kind_of_page(page.body);
  if (kind == PageKind::listing) return {Answer::listed, "", files_in_page(page.body, name)};
  if (kind == PageKind::empty)
    return {Answer::empty, tr("'{}' lists nothing at all for '{}': its list is empty", last, name)};
  if (last != server)
    return {Answer::redirected,
            tr("'{}' led to '{}'{}, which is no list of packages", server, last, titled(page.body))};
  return {Answer::no_list,
          tr("'{}' answered with a page{} that is no list of packages", server, titled(page.body))};
}

Listing judge(const std::string& url, const Page& page, const std::string& name) {
  if (page.outcome == Outcome::received) return judge_page(url, page, name);
  if (page.outcome == Outcome::not_found) return {Answer::no_folder, ""};
  if (page.outcome == Outcome::unreachable) return {Answer::unreachable, page.problem};
  const bool led_away =
      host_of(page.final_url) != host_of(url) || page.problem.find("redirect") != std::string::npos;
  return {led_away ? Answer::redirected : Answer::no_list, page.problem};
}

std::vector<Listing> read_index(const std::string& text, const std::string& archive,
                                std::span<const std::string> names) {
  std::vector<Listing> result(names.size(), Listing{Answer::listed, "", {}});
  const auto is_whole = each_line(text, [&](std::string_view line) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!line.starts_with(names[i])) continue;
      auto file = file_in_index(line);
      if (file && file->name == names[i]) result[i].files.push_back({std::move(*file), archive});
    }
  });
  const auto problem = tr("the index of '{}' cannot be decoded", host_of(archive));
  return is_whole ? result : std::vector<Listing>(names.size(), Listing{Answer::no_list, problem, {}});
}

Message message_of(const Listing& listing) {
  auto files = Message::array();
  for (const auto& each : listing.files) {
    Message file{{"file", each.file.text()}, {"place", each.place}, {"date", each.date}};
    if (each.size) file["size"] = *each.size;
    file["has_signature"] = each.has_signature;
    files.push_back(std::move(file));
  }
  return {{"answer", listing.answer}, {"problem", listing.problem}, {"files", std::move(files)}};
}

Listing listing_of(const Message& message) {
  Listing listing{message.at("answer"), message.at("problem"), {}};
  for (const auto& each : message.at("files")) {
    auto name = parse_file_name(each.at("file").get<std::string>());
    if (!name) continue;
    ArchivedFile file{.file = std::move(*name), .place = each.at("place"), .date = each.at("date")};
    if (each.contains("size")) file.size = each["size"].get<std::uint64_t>();
    file.has_signature = each.at("has_signature");
    listing.files.push_back(std::move(file));
  }
  return listing;
}

using PageReader = std::function<std::vector<Listing>(const Wanted&, std::span<const Page>)>;

/// Receives and reads the pages, unprivileged; what is new is kept by us, who may.
std::vector<Listing> read_unprivileged(const Host& host, std::vector<std::string> urls, bool are_large,
                                       const PageReader& read) {
  const PageCache cache(host);
  const Wanted wanted(cache, std::move(urls), are_large);
  const Provisions provisions(host);
  const auto work = [&](const Host& own, const Tell& tell) -> Message {
    const auto received = receive(own, wanted);
    for (std::size_t i = 0; i < received.pages.size(); ++i)
      if (received.are_new[i]) tell({{"place", i}, {"page", received.pages[i]}});
    auto listings = Message::array();
    for (const auto& listing : read(wanted, received.pages)) listings.push_back(message_of(listing));
    return listings;
  };
  const auto keep = [&](const Message& told) {
    cache.keep(wanted.urls.at(told.at("place")), told.at("page").get<Page>());
  };
  std::vector<Listing> listings;
  for (const auto& each : run_unprivileged(provisions.host, provisions.files, work, keep))
    listings.push_back(listing_of(each));
  return listings;
}

}  // namespace

bool is_item_collection(std::string_view archive) { return without_slashes(archive).ends_with("/download"); }

std::string collection_of(std::string_view archive) {
  constexpr std::array<std::string_view, 2> official{"archive.archlinux.org", "umea.archive.pkgbuild.com"};
  const bool known = std::ranges::find(official, host_of(archive)) != official.end();
  return known ? "https://archive.org/download" : std::string{};
}

std::string folder_in(std::string_view archive, std::string_view name) {
  if (!is_item_collection(archive)) {
    const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    return fmt::format("packages/{}/{}", letter, name);
  }
  auto item = fmt::format("archlinux_pkg_{}", name);
  std::ranges::replace_if(
      item, [](char c) { return c == '@' || c == '.' || c == '+'; }, '_');
  return item;
}

std::vector<Listing> listings(const Host& host, std::span<const ListingRequest> requests) {
  std::vector<std::string> urls;
  for (const auto& request : requests) {
    auto url = without_slashes(request.archive);
    for (const auto& part : split(folder_in(request.archive, request.name), "/"))
      url += "/" + percent_encode(part);
    urls.push_back(url + "/");
  }
  return read_unprivileged(host, std::move(urls), false,
                           [&](const Wanted& wanted, std::span<const Page> pages) {
                             std::vector<Listing> result;
                             for (std::size_t i = 0; i < pages.size(); ++i) {
                               result.push_back(judge(wanted.urls[i], pages[i], requests[i].name));
                               for (auto& file : result.back().files) file.place = requests[i].archive;
                             }
                             return result;
                           });
}

std::vector<Listing> index_listings(const Host& host, const std::string& archive,
                                    std::span<const std::string> names) {
  const auto index = without_slashes(archive) + "/packages/.all/index.0.xz";
  return read_unprivileged(host, {index}, true, [&](const Wanted& wanted, std::span<const Page> pages) {
    if (pages[0].outcome != Outcome::received)
      return std::vector<Listing>(names.size(), judge(wanted.urls[0], pages[0], names[0]));
    return read_index(pages[0].body, archive, names);
  });
}

std::vector<std::string> nearest_versions(std::span<const ArchivedFile> files, const Version& wanted,
                                          std::size_t count) {
  std::vector<Version> versions;
  for (const auto& each : files) versions.push_back(each.file.version);
  std::ranges::sort(versions);
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  const auto place = static_cast<std::size_t>(std::ranges::lower_bound(versions, wanted) - versions.begin());
  // As many older ones as newer ones, and what one side lacks from the other.
  const auto most_first = versions.size() - std::min(versions.size(), count);
  const auto first = std::min(place - std::min(place, (count + 1) / 2), most_first);
  std::vector<std::string> nearest;
  for (auto i = first; i < std::min(versions.size(), first + count); ++i)
    nearest.push_back(versions[i].text());
  return nearest;
}

}  // namespace cudapin
