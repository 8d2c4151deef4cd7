// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/listing.hpp"

#include "core/archive_page.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/http.hpp"
#include "system/package_file.hpp"
#include "system/page_cache.hpp"
#include "system/pages.hpp"

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

/// The pages, from the cache where they still hold.
std::vector<Page> pages_of(const Host& host, const std::vector<std::string>& urls, bool are_large) {
  const PageCache cache(host);
  std::vector<Page> pages(urls.size());
  std::vector<std::optional<CachedPage>> cached;
  std::vector<PageRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    cached.push_back(cache.find(urls[i]));
    if (cached[i] && cached[i]->is_fresh(host)) {
      pages[i] = std::move(cached[i]->page);
      continue;
    }
    requests.push_back({.url = urls[i], .is_large = are_large});
    if (cached[i]) requests.back().etag = cached[i]->page.etag;
    if (cached[i]) requests.back().last_modified = cached[i]->page.last_modified;
    places.push_back(i);
  }
  auto received = get_pages(host, requests);
  for (std::size_t i = 0; i < received.size(); ++i) {
    const auto place = places[i];
    if (received[i].outcome == Outcome::received && (are_large || is_list(received[i])))
      cache.keep(urls[place], received[i]);
    const bool holds = received[i].outcome == Outcome::unchanged && cached[place];
    pages[place] = std::move(holds ? cached[place]->page : received[i]);
  }
  return pages;
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
  const auto pages = pages_of(host, urls, false);
  std::vector<Listing> result;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    result.push_back(judge(urls[i], pages[i], requests[i].name));
    for (auto& file : result.back().files) file.place = requests[i].archive;
  }
  return result;
}

std::vector<Listing> index_listings(const Host& host, const std::string& archive,
                                    std::span<const std::string> names) {
  const auto url = without_slashes(archive) + "/packages/.all/index.0.xz";
  const auto page = pages_of(host, {url}, true)[0];
  if (page.outcome != Outcome::received)
    return std::vector<Listing>(names.size(), judge(url, page, names[0]));
  std::vector<Listing> result(names.size(), Listing{Answer::listed, "", {}});
  const auto whole = each_line(page.body, [&](std::string_view line) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!line.starts_with(names[i])) continue;
      auto file = file_in_index(line);
      if (file && file->name == names[i]) result[i].files.push_back({std::move(*file), archive});
    }
  });
  const auto problem = tr("the index of '{}' cannot be decoded", host_of(url));
  return whole ? result : std::vector<Listing>(names.size(), Listing{Answer::no_list, problem, {}});
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
