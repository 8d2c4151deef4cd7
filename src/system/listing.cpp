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
#include <charconv>
#include <iterator>
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

std::vector<Listing> read_index(const std::string& text, const std::string& url,
                                std::span<const std::string> names) {
  std::vector<Listing> result(names.size(), Listing{Answer::listed, "", {}});
  const auto is_whole = each_line(text, [&](std::string_view line) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!line.starts_with(names[i])) continue;
      auto file = file_in_index(line);
      if (file && file->name == names[i]) result[i].files.push_back({std::move(*file), {}});
    }
  });
  const auto problem = tr("the index of '{}' cannot be decoded", host_of(url));
  return is_whole ? result : std::vector<Listing>(names.size(), Listing{Answer::no_list, problem, {}});
}

/// A line for each file: name, size or nothing, whether it has a signature, date. There may be many.
Message message_of(const Listing& listing) {
  std::string files;
  for (const auto& each : listing.files)
    fmt::format_to(std::back_inserter(files), "{}\t{}\t{:d}\t{}\n", each.file.text(),
                   each.size ? std::to_string(*each.size) : "", each.has_signature, each.date);
  return {{"answer", listing.answer}, {"problem", listing.problem}, {"files", std::move(files)}};
}

/// What is up to the next `end`, taken off `text`.
std::string_view take_until(std::string_view& text, char end) {
  const auto found = std::min(text.find(end), text.size());
  const auto part = text.substr(0, found);
  text.remove_prefix(std::min(found + 1, text.size()));
  return part;
}

std::optional<ArchivedFile> file_of(std::string_view line) {
  auto name = parse_file_name(take_until(line, '\t'));
  if (!name) return std::nullopt;
  ArchivedFile file{.file = std::move(*name), .place = {}};
  std::uint64_t size = 0;
  const auto number = take_until(line, '\t');
  if (std::from_chars(number.data(), number.data() + number.size(), size).ec == std::errc{}) file.size = size;
  file.has_signature = take_until(line, '\t') == "1";
  file.date = line;
  return file;
}

Listing listing_of(const Message& message) {
  Listing listing{message.at("answer"), message.at("problem"), {}};
  const auto& files = message.at("files").get_ref<const std::string&>();
  for (std::string_view rest = files; !rest.empty();)
    if (auto file = file_of(take_until(rest, '\n'))) listing.files.push_back(std::move(*file));
  return listing;
}

using PageReader = std::function<std::vector<Listing>(const Wanted&, std::span<const Page>)>;
using PageKeeper = std::function<void(std::size_t place, const Page& page)>;

/// Receives and reads the pages; what is new is kept by who may.
std::vector<Listing> read_pages(const Host& host, const Wanted& wanted, const PageReader& read,
                                const PageKeeper& keep) {
  const auto received = receive(host, wanted);
  for (std::size_t i = 0; i < received.pages.size(); ++i)
    if (received.are_new[i]) keep(i, received.pages[i]);
  return read(wanted, received.pages);
}

/// The same, unprivileged.
std::vector<Listing> read_unprivileged(const Host& host, const Wanted& wanted, const PageReader& read,
                                       const PageKeeper& keep) {
  if (!makes_child()) return read_pages(host, wanted, read, keep);
  const Provisions provisions(host);
  const auto work = [&](const Host& own, const Tell& tell) -> Message {
    const auto pass = [&](std::size_t place, const Page& page) { tell({{"place", place}, {"page", page}}); };
    auto listings = Message::array();
    for (const auto& listing : read_pages(own, wanted, read, pass)) listings.push_back(message_of(listing));
    return listings;
  };
  const auto take = [&](const Message& told) { keep(told.at("place"), told.at("page").get<Page>()); };
  std::vector<Listing> listings;
  for (const auto& each : run_unprivileged(provisions.host, provisions.files, work, take))
    listings.push_back(listing_of(each));
  return listings;
}

std::vector<Listing> read_lists(const Host& host, std::vector<std::string> urls, bool are_large,
                                const PageReader& read) {
  const PageCache cache(host);
  const Wanted wanted(cache, std::move(urls), are_large);
  return read_unprivileged(host, wanted, read, [&](std::size_t place, const Page& page) {
    cache.keep(wanted.urls.at(place), page);
  });
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
  const auto read = [&](const Wanted& wanted, std::span<const Page> pages) {
    std::vector<Listing> result;
    for (std::size_t i = 0; i < pages.size(); ++i)
      result.push_back(judge(wanted.urls[i], pages[i], requests[i].name));
    return result;
  };
  auto result = read_lists(host, std::move(urls), false, read);
  for (std::size_t i = 0; i < result.size(); ++i)
    for (auto& file : result[i].files) file.place = requests[i].archive;
  return result;
}

std::vector<Listing> index_listings(const Host& host, const std::string& archive,
                                    std::span<const std::string> names) {
  const auto read = [&](const Wanted& wanted, std::span<const Page> pages) {
    return pages[0].outcome == Outcome::received
               ? read_index(pages[0].body, wanted.urls[0], names)
               : std::vector<Listing>(names.size(), judge(wanted.urls[0], pages[0], names[0]));
  };
  auto result = read_lists(host, {without_slashes(archive) + "/packages/.all/index.0.xz"}, true, read);
  for (auto& listing : result)
    for (auto& file : listing.files) file.place = archive;
  return result;
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
