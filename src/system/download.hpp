// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"
#include "system/host.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace cudapin {

struct DownloadProgress {
  std::string file;
  std::uint64_t received = 0;  ///< bytes on disk, resumed ones included
  std::uint64_t total = 0;     ///< 0 when the server does not say
  double rate = 0;             ///< bytes a second, smoothed
};

using ProgressSink = std::function<void(const DownloadProgress&)>;

enum class DownloadOutcome { done, not_found };

/// The server cannot be reached, or does not keep a connection: asking it for something else is in vain.
struct NoAnswer : Error {
  using Error::Error;
};

/// Fetches `url` (http, https or file) to `target`: into `target.part`, resumed with the server's validator
/// when a part is there, synced and renamed when whole. Redirects are followed within http(s), never from
/// https to http. The final status counts: 404 and 410 give not_found. Throws Error for: unreachable, other
/// statuses, a body shorter than announced (the part is kept), a page of HTML unless the URL ends in a slash,
/// a full disk, an interrupt (part kept); NoAnswer for the first. Gives up after `attempts` in a row that
/// bring nothing. CUDAPIN_TIMEOUT in the environment: seconds of silence that end an
/// attempt (60).
DownloadOutcome download(const Host& host, const std::string& url, const std::filesystem::path& target,
                         const ProgressSink& sink, int attempts = 5);

/// "7.88.1"
std::string curl_version_text();

}  // namespace cudapin
