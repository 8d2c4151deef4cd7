// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/unprivileged.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// A page to get, unless it still is the one with these validators (empty: none is known).
struct PageRequest {
  std::string url;
  std::string etag = {};
  std::string last_modified = {};
  bool is_large = false;          ///< a whole index: it may take ten times as long
  std::size_t limit = 64u << 20;  ///< bytes; a longer page is not received
};

struct Page {
  enum class Outcome {
    received,
    unchanged,   ///< 304
    not_found,   ///< 404 or 410
    refused,     ///< any other status, or a redirect that is not followed
    unreachable  ///< no answer, none in time, or one that broke off
  };
  Outcome outcome = Outcome::unreachable;
  std::string body;
  std::string etag;
  std::string last_modified;
  std::string final_url;  ///< where redirects led
  std::string problem;    ///< why it was refused or is unreachable, in words
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Page, outcome, body, etag, last_modified, final_url, problem)

/// Gets all pages at once, six connections a host at most, each page asked for one time. A page that is not
/// there within half of CUDAPIN_TIMEOUT counts as unreachable. Redirects are followed, never from https to
/// http. All that happens unprivileged. Throws Error on an interrupt only.
std::vector<Page> get_pages(const Host& host, std::span<const PageRequest> requests);

}  // namespace cudapin
