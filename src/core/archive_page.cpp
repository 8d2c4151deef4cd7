// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/archive_page.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

namespace cudapin {

namespace {

constexpr std::string_view link_start = "href=\"";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `text` begins like `pattern`, where 0 stands for a digit and a for a letter.
bool has_shape(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  return std::equal(pattern.begin(), pattern.end(), text.begin(), [](char wanted, char c) {
    if (wanted == '0') return is_digit(c);
    if (wanted == 'a') return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return wanted == c;
  });
}

/// "14-Feb-2019 08:55" -> "2019-02-14 08:55"; empty when that is no month.
std::string from_nginx(std::string_view text) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto at = months.find(text.substr(3, 3));
  if (at == months.npos || at % 3 != 0) return {};
  const auto month = at / 3 + 1;
  return std::string(text.substr(7, 4)) + (month < 10 ? "-0" : "-") + std::to_string(month) + "-" +
         std::string(text.substr(0, 2)) + std::string(text.substr(11, 6));
}

/// Behind tags and blanks: `723K`, `1.9G`, `566`.
std::optional<std::uint64_t> size_in(std::string_view text) {
  while (!text.empty() && !is_digit(text[0])) {
    if (text[0] != '<' && text[0] != ' ' && text[0] != '\n') return std::nullopt;
    text.remove_prefix(text[0] == '<' ? std::min(text.find('>'), text.size() - 1) + 1 : 1);
  }
  double size = 0;
  double place = 1;
  bool behind_dot = false;
  std::size_t at = 0;
  for (; at < text.size() && at < 16 && (is_digit(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') behind_dot = true;
    if (text[at] == '.') continue;
    size = size * 10 + (text[at] - '0');
    if (behind_dot) place *= 10;
  }
  if (at == 0) return std::nullopt;
  constexpr std::string_view units = "KMGT";
  const auto unit = at < text.size() ? units.find(text[at]) : units.npos;
  const auto power = unit == units.npos ? 0 : static_cast<int>(unit) + 1;
  return static_cast<std::uint64_t>(std::llround(std::ldexp(size / place, 10 * power)));
}

/// Date and size from what stands between a file's link and the next file's.
void read_columns(std::string_view text, ArchivedFile& file) {
  constexpr std::size_t reach = 600;
  text = text.substr(0, reach);
  if (const auto end = text.find("</a>"); end != text.npos) text.remove_prefix(end);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    const auto rest = text.substr(i);
    if (has_shape(rest, "00-aaa-0000 00:00")) file.date = from_nginx(rest);
    if (has_shape(rest, "0000-00-00 00:00")) file.date = std::string(rest.substr(0, 16));
    if (file.date.empty()) continue;
    file.size = size_in(text.substr(i + (rest[2] == '-' ? 17 : 16)));
    return;
  }
}

/// The last part of a link's path, decoded.
std::string target_of(std::string_view link) {
  link = link.substr(0, link.find_first_of("?#"));
  const auto target = percent_decode(link);
  return target.substr(target.rfind('/') + 1);
}

/// Moves `at` to the end of the next link behind it; false when there is none.
bool next_link(std::string_view page, std::size_t& at, std::string_view& link) {
  const auto start = page.find(link_start, at);
  if (start == page.npos) return false;
  at = std::min(page.find('"', start + link_start.size()), page.size());
  link = page.substr(start + link_start.size(), at - start - link_start.size());
  return true;
}

/// Cheaply: a page has thousands of links.
bool may_be_package(std::string_view link) {
  constexpr std::string_view longest = ".pkg.tar.zst.sig";
  const auto tail = link.substr(link.size() - std::min(link.size(), longest.size()));
  return tail.find(".pkg.tar") != tail.npos || link.find_first_of("?#") != link.npos;
}

bool is_listed_package(std::string_view link) {
  return may_be_package(link) && parse_file_name(target_of(link)).has_value();
}

bool contains(std::string_view page, std::string_view text) { return page.find(text) != page.npos; }

}  // namespace

PageKind kind_of_page(std::string_view page) {
  std::string_view link;
  for (std::size_t at = 0; next_link(page, at, link);)
    if (is_listed_package(link)) return PageKind::listing;
  const bool is_list = contains(page, "href=\"../\"") || contains(page, ">Index of ") ||
                       contains(page, "directory-listing-table");
  return is_list || trim(page).empty() ? PageKind::empty : PageKind::other;
}

std::vector<ArchivedFile> files_in_page(std::string_view page, std::string_view name) {
  std::vector<ArchivedFile> files;
  std::vector<std::string> texts;
  std::set<std::string> signatures;  // of files that they do not follow
  files.reserve(page.size() / 256);
  texts.reserve(page.size() / 256);
  std::string_view last_link;
  std::size_t columns = page.npos;
  // What a file's row says lies between its link and the next link to a file.
  const auto close_row = [&](std::size_t end) {
    if (columns != page.npos) read_columns(page.substr(columns, end - columns), files.back());
    columns = page.npos;
  };
  const auto take = [&](std::string_view link, std::size_t end) {
    if (!may_be_package(link)) return;
    if (!files.empty() && link.ends_with(".sig") && link.substr(0, link.size() - 4) == last_link) {
      close_row(end);
      files.back().has_signature = true;
      return;
    }
    auto target = target_of(link);
    if (!target.starts_with(name)) return;
    if (target.ends_with(".sig")) {
      close_row(end);
      target.resize(target.size() - 4);
      signatures.insert(std::move(target));
      return;
    }
    auto file = parse_file_name(target);
    if (!file || file->name != name) return;
    close_row(end);
    files.push_back({std::move(*file), ""});
    texts.push_back(std::move(target));
    columns = end;
    last_link = link;
  };
  std::string_view link;
  for (std::size_t at = 0; next_link(page, at, link);) take(link, at);
  close_row(page.size());
  for (std::size_t i = 0; !signatures.empty() && i < files.size(); ++i)
    if (signatures.contains(texts[i])) files[i].has_signature = true;
  return files;
}

std::optional<PackageFileName> file_in_index(std::string_view line) {
  return parse_file_name(std::string(trim(line)) + ".pkg.tar.zst");
}

std::optional<PackageFileName> with_other_ending(const PackageFileName& file) {
  auto other = file;
  if (file.extension == ".pkg.tar.zst")
    other.extension = ".pkg.tar.xz";
  else if (file.extension == ".pkg.tar.xz")
    other.extension = ".pkg.tar.zst";
  else
    return std::nullopt;
  return other;
}

}  // namespace cudapin
