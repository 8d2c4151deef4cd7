// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/listing.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "system/download.hpp"
#include "system/files.hpp"

#include <algorithm>
#include <cctype>

namespace cudapin {

namespace fs = std::filesystem;

std::vector<PackageFileName> files_in_page(std::string_view page, std::string_view name) {
  constexpr std::string_view link = "href=\"";
  std::vector<PackageFileName> files;
  for (auto at = page.find(link); at != page.npos; at = page.find(link, at)) {
    at += link.size();
    const auto target = percent_decode(page.substr(at, page.find('"', at) - at));
    auto file = parse_file_name(target.substr(target.rfind('/') + 1));
    if (file && file->name == name) files.push_back(std::move(*file));
  }
  return files;
}

std::vector<PackageFileName> listed_files(const Host& host, const std::string& archive, std::string_view name,
                                          const fs::path& scratch) {
  constexpr std::size_t page_limit = 16u << 20;
  auto base = archive;
  while (base.ends_with('/')) base.pop_back();
  const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  const auto url = base + "/packages/" + letter + "/" + percent_encode(name) + "/";
  std::vector<PackageFileName> files;
  try {
    if (download(host, url, scratch, {}) == DownloadOutcome::done)
      files = files_in_page(read_file(scratch, page_limit), name);
  } catch (const Error& error) {
    if (error.status == ExitStatus::interrupted) throw;
  }
  std::error_code ignored;
  fs::remove(scratch, ignored);
  fs::remove(scratch.string() + ".part", ignored);
  return files;
}

std::vector<std::string> nearest_versions(std::span<const PackageFileName> files, const Version& wanted,
                                          std::size_t count) {
  std::vector<Version> versions;
  for (const auto& file : files) versions.push_back(file.version);
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
