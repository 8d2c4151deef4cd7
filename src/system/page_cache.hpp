// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"
#include "system/pages.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace cudapin {

/// A page as it was received, and when.
struct CachedPage {
  Page page;
  std::chrono::system_clock::time_point time;

  /// Without a validator a server cannot be asked whether the page still holds: for ten minutes it does.
  bool is_fresh(const Host& host) const;
};

/// Archive pages of earlier commands: root's in /var/lib/cudapin/pages, a user's in that user's own cache
/// folder.
class PageCache {
 public:
  explicit PageCache(const Host& host);

  std::optional<CachedPage> find(const std::string& url) const;
  /// A cache that cannot be written is none.
  void keep(const std::string& url, const Page& page) const;

 private:
  std::filesystem::path file_of(const std::string& url) const;

  const Host& host_;
  std::filesystem::path folder_;  ///< empty: there is no cache
};

}  // namespace cudapin
