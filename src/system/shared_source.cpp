// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/shared_source.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/http.hpp"
#include "system/pages.hpp"
#include "system/store.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool is_this_machine(const std::string& url) {
  auto server = host_of(url);
  if (server.starts_with('[')) return server.starts_with("[::1]");
  server = server.substr(0, server.find(':'));
  return server == "localhost" || server == "127.0.0.1";
}

/// Profiles are signed, but who listens on the way must not learn or choose which of them a machine sees.
void require_private_way(const std::string& url) {
  const auto scheme = scheme_of(url);
  if (scheme == "https" || (scheme == "http" && is_this_machine(url))) return;
  if (scheme == "http")
    throw Error(tr("'{}' is not encrypted: profiles come by https", shown_url(url)),
                tr("use 'https{}'", shown_url(url).substr(4)));
  throw Error(tr("'{}' is neither an https URL nor a folder", shown_url(url)));
}

}  // namespace

bool is_remote_place(const std::string& word) {
  const auto scheme = scheme_of(word);
  return !scheme.empty() && scheme != "file";
}

SharedSource::SharedSource(const Host& host, const std::string& where)
    : host_(host), is_remote_(is_remote_place(where)) {
  if (is_remote_) {
    require_private_way(where);
    place_ = where;
    while (place_.ends_with('/')) place_.pop_back();
    return;
  }
  const auto path = scheme_of(where) == "file" ? percent_decode(where.substr(7)) : where;
  place_ = fs::absolute(path).lexically_normal().string();
  while (place_.size() > 1 && place_.ends_with('/')) place_.pop_back();
}

std::string SharedSource::shown(const std::string& name) const { return shown_url(place_ + "/" + name); }

std::optional<std::string> SharedSource::read(const std::string& name, std::size_t limit) const {
  const Wanted wanted{name, limit};
  return is_remote_ ? get({&wanted, 1}).front() : open(wanted);
}

std::vector<std::optional<std::string>> SharedSource::read_all(std::span<const Wanted> wanted) const {
  if (is_remote_) return get(wanted);
  std::vector<std::optional<std::string>> texts;
  for (const auto& one : wanted) texts.push_back(open(one));
  return texts;
}

std::vector<std::optional<std::string>> SharedSource::get(std::span<const Wanted> wanted) const {
  std::vector<PageRequest> requests;
  for (const auto& one : wanted)
    requests.push_back({.url = place_ + "/" + percent_encode(one.name), .limit = one.limit});
  std::vector<std::optional<std::string>> texts;
  for (auto& page : get_pages(host_, requests)) {
    if (page.outcome == Page::Outcome::not_found) {
      texts.emplace_back();
      continue;
    }
    if (page.outcome != Page::Outcome::received)
      throw Error(tr("cannot get '{}': {}", shown(wanted[texts.size()].name), page.problem));
    require_private_way(page.final_url);
    texts.emplace_back(std::move(page.body));
  }
  return texts;
}

std::optional<std::string> SharedSource::open(const Wanted& wanted) const {
  std::error_code ignored;
  if (fs::symlink_status(fs::path(place_) / wanted.name, ignored).type() == fs::file_type::not_found)
    return {};
  const auto file = open_below(place_, wanted.name);
  if (!file.fd)
    throw Error(tr("'{}' is a symbolic link, empty, or no file", printable(shown(wanted.name))),
                fmt::format("ls -l '{}'", printable(place_)));
  return read_file(fmt::format("/proc/self/fd/{}", file.fd.get()), wanted.limit);
}

}  // namespace cudapin
