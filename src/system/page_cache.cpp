// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/page_cache.hpp"

#include "core/error.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view format = "cudapin page 1";
constexpr std::size_t page_limit = 64u << 20;

/// The next line of `text`, taken off it.
std::string take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string line(text.substr(0, end));
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

std::int64_t number(const std::string& text) {
  std::int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void write(const fs::path& file, const std::string& head, const std::string& body) {
  const auto fd = open_file(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!write_all(fd.get(), head) || !write_all(fd.get(), body)) throw Error("the cache is full");
}

}  // namespace

bool CachedPage::is_fresh(const Host& host) const {
  const auto age = host.now() - time;
  return page.etag.empty() && page.last_modified.empty() && age >= 0s && age < 10min;
}

PageCache::PageCache(const Host& host) : host_(host), folder_(host.cache_folder("pages")) {}

fs::path PageCache::file_of(const std::string& url) const { return folder_ / sha256_text(url); }

std::optional<CachedPage> PageCache::find(const std::string& url) const {
  if (folder_.empty() || ::access(file_of(url).c_str(), R_OK) != 0) return std::nullopt;
  const auto text = read_file(file_of(url), page_limit + 4096);
  std::string_view rest = text;
  if (take_line(rest) != format || take_line(rest) != url) return std::nullopt;
  CachedPage cached;
  cached.time = std::chrono::system_clock::from_time_t(number(take_line(rest)));
  cached.page.etag = take_line(rest);
  cached.page.last_modified = take_line(rest);
  cached.page.final_url = take_line(rest);
  const auto size = number(take_line(rest));
  // Nothing is synced here, so a machine that lost its power may have kept a piece.
  if (size != static_cast<std::int64_t>(rest.size())) return std::nullopt;
  cached.page.outcome = Page::Outcome::received;
  cached.page.body = rest;
  return cached;
}

void PageCache::keep(const std::string& url, const Page& page) const {
  if (folder_.empty() || !host_.keeps_caches) return;
  const auto file = file_of(url);
  const auto growing = fs::path(fmt::format("{}.{}", file.string(), ::getpid()));
  try {
    make_folders(folder_);
    const auto head = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", format, url,
                                  std::chrono::system_clock::to_time_t(host_.now()), page.etag,
                                  page.last_modified, page.final_url, page.body.size());
    write(growing, head, page.body);
    fs::rename(growing, file);
  } catch (const std::exception&) {
    ::unlink(growing.c_str());
  }
}

}  // namespace cudapin
