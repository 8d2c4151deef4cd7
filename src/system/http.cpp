// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/http.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace cudapin {

namespace {

/// HTTP/2 sends no phrase.
std::string_view phrase(long status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 416:
      return "Range Not Satisfiable";
    case 429:
      return "Too Many Requests";
    case 451:
      return "Unavailable For Legal Reasons";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (auto& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string scheme_of(std::string_view url) {
  const auto at = url.find("://");
  return at == url.npos ? std::string{} : lower_case(url.substr(0, at));
}

std::string shown_url(std::string_view url) {
  const auto start = url.find("://");
  if (start == url.npos) return printable(url);
  const auto end = std::min(url.find_first_of("/?#", start + 3), url.size());
  const auto at = url.substr(0, end).rfind('@');
  if (at == url.npos) return printable(url);
  return printable(fmt::format("{}{}", url.substr(0, start + 3), url.substr(at + 1)));
}

std::string host_of(std::string_view url) {
  const auto text = shown_url(url);
  const auto scheme = text.find("://");
  const auto start = scheme == text.npos ? 0 : scheme + 3;
  return text.substr(start, text.find_first_of("/?#", start) - start);
}

std::optional<ContentRange> parse_content_range(const std::string& text) {
  unsigned long long first = 0, last = 0, total = 0;
  if (std::sscanf(text.c_str(), "bytes %llu-%llu/%llu", &first, &last, &total) != 3) return std::nullopt;
  return ContentRange{first, last, total};
}

std::string title_of(const std::string& page) {
  const auto text = lower_case(page);
  const auto start = text.find("<title>");
  const auto end = text.find("</title>", start);
  if (start == text.npos || end == text.npos) return {};
  return printable(trim(std::string_view(page).substr(start + 7, end - start - 7)).substr(0, 100));
}

void HttpResponse::take(std::string_view line) {
  line = trim(line);
  if (line.starts_with("HTTP/")) {
    *this = {};
    const auto words = trim(line.substr(std::min(line.find(' '), line.size())));
    std::from_chars(words.data(), words.data() + words.size(), status_);
    reason_ = printable(trim(words.substr(std::min<std::size_t>(3, words.size()))));
  } else if (const auto colon = line.find(':'); colon != line.npos) {
    headers_[lower_case(line.substr(0, colon))] = trim(line.substr(colon + 1));
  }
}

std::string HttpResponse::status_text() const {
  return fmt::format("{} {}", status_, reason_.empty() ? phrase(status_) : std::string_view(reason_));
}

std::string HttpResponse::header(const std::string& name) const {
  const auto found = headers_.find(name);
  return found == headers_.end() ? std::string{} : found->second;
}

std::string HttpResponse::validator() const {
  const auto tag = header("etag");
  return tag.starts_with('"') ? tag : header("last-modified");
}

}  // namespace cudapin
