// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.hpp"
#include "system/host.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

struct DownloadProgress {
  std::string file;
  std::uint64_t received = 0;  ///< bytes on disk, resumed ones included
  std::uint64_t total = 0;     ///< 0 when the server does not say
  double rate = 0;             ///< bytes a second, smoothed
  bool is_over = false;
  std::string note = {};  ///< something to tell of this file, once; the figures are then as before
};

using ProgressSink = std::function<void(const DownloadProgress&)>;

enum class DownloadOutcome { done, not_found, failed };

/// One file and where it is to be had.
struct DownloadJob {
  std::vector<std::string> urls;  ///< http, https or file; the first that answers begins, all may carry
  std::filesystem::path target;
  std::uint64_t size = 0;  ///< 0: not known
  std::string sha256 = {};
};

/// What one server said in the place of the file.
struct Refusal {
  std::string url;
  std::string text;
  bool is_missing = false;      ///< it has no such file
  bool is_unreachable = false;  ///< asking it for something else is in vain
};

struct DownloadResult {
  DownloadOutcome outcome = DownloadOutcome::failed;
  std::vector<Refusal> refusals;  ///< of those servers that were given up
};

/// Fetches all files at once, each into `target.part` by several connections to its servers, at most
/// `host.network.connections` to one (4), and renames each when it is whole, synced and has its SHA-256.
/// What an earlier call has left is taken up where the servers still have the same file. Redirects are
/// followed within http(s), never from https to http. A server that fails is given up after `attempts` in a
/// row that bring nothing, after two where another one may have the file. not_found: all servers say so, by
/// 404 or 410 at the end of redirects. Throws Error for a full disk or an interrupt; the parts are kept.
/// All of it but the renaming happens unprivileged (system/unprivileged.hpp).
/// CUDAPIN_TIMEOUT in the environment: seconds of silence that end an attempt (60).
std::vector<DownloadResult> download(const Host& host, std::span<const DownloadJob> jobs,
                                     const ProgressSink& sink, int attempts = 5);

/// The server cannot be reached, or does not keep a connection: asking it for something else is in vain.
struct NoAnswer : Error {
  using Error::Error;
};

/// The same for one file of one server. Throws Error for everything but the two outcomes; NoAnswer for a
/// server that cannot be reached.
DownloadOutcome download(const Host& host, const std::string& url, const std::filesystem::path& target,
                         const ProgressSink& sink, int attempts = 5);

/// "7.88.1"
std::string curl_version_text();

}  // namespace cudapin
