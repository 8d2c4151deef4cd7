// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/reply.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cudapin {

/// `https` of `HTTPS://host/path`, or empty.
std::string scheme_of(std::string_view url);

/// `host:port` of a URL.
std::string host_of(std::string_view url);

/// A URL fit for a message: without user name and password.
std::string shown_url(std::string_view url);

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// Of a Content-Range header.
std::optional<ContentRange> parse_content_range(const std::string& text);

/// The text of a page's <title>, cut to 100 bytes, or empty.
std::string title_of(const std::string& page);

/// Status line and headers of one answer.
class HttpResponse {
 public:
  /// Takes a line of the head; a status line starts a new answer.
  void take(std::string_view line);

  long status() const { return status_; }
  /// "503 Service Unavailable"
  std::string status_text() const;
  /// `name` in lower case; empty when there is none.
  std::string header(const std::string& name) const;
  /// What If-Range may carry: a strong ETag (a weak one promises no equal bytes), or the date of change.
  std::string validator() const;

 private:
  long status_ = 0;
  std::string reason_;
  std::map<std::string, std::string> headers_;
};

}  // namespace cudapin
