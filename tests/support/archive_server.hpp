// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cudapin {

/// What goes wrong with the files whose path ends in a given text.
struct Fault {
  enum class Kind {
    cut,            ///< the connection ends after `amount` bytes of the body
    stall,          ///< silence after `amount` bytes, until the client gives up
    slow,           ///< `amount` bytes a second
    busy,           ///< 503 with `Retry-After: amount`
    page,           ///< 200 with a page of HTML titled "Sign in"
    wrong_length,   ///< announces `amount` bytes more than there are
    flip,           ///< the byte at offset `amount` is another one
    no_ranges,      ///< 200 with the whole file, whatever range was asked for
    changing_etag,  ///< another ETag and date each time
    redirect_loop,  ///< 302 to itself
    redirect_to,    ///< 302 to `location`
    forbidden,      ///< 403
    shifted_range,  ///< 206 that starts one byte too late
    status,         ///< an answer of status `amount`
    chunked         ///< the whole without its length, whatever range was asked for
  };
  Kind kind;
  std::uint64_t amount = 0;
  int times = -1;  ///< how often; always when negative
  std::string location = {};
};

/// How one of the three hosts speaks. The last one is the Internet Archive's: no validator at all.
struct Manners {
  bool etag = true;
  bool last_modified = true;
  bool ranges = true;
  bool weak_etag = false;
  bool dates_pages = false;  ///< lists of folders have ETag and Last-Modified; nginx gives them none
};

struct LoggedRequest {
  std::string host;  ///< "archive", "items" or "node"
  std::string method;
  std::string path;    ///< decoded
  std::string target;  ///< as sent
  std::string range;   ///< the Range header
  std::string agent;
  std::string condition;  ///< the If-None-Match header
  int status = 0;
};

/// The Arch Linux Archive on loopback: `packages/<c>/<name>/<file>` and plain folders as nginx serves them.
/// Any package or .sig under packages/ that `folder` has not answers 302 to a second host, which answers 302
/// to a third, which alone knows (from `moved`, laid out alike or flat) whether it exists. That one lists the
/// files of a package as the Internet Archive lists an item.
class ArchiveServer {
 public:
  explicit ArchiveServer(std::filesystem::path folder, std::filesystem::path moved = {}, int port = 0);
  ~ArchiveServer();
  ArchiveServer(const ArchiveServer&) = delete;
  ArchiveServer& operator=(const ArchiveServer&) = delete;

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  std::string url() const;
  /// The collection of items on the second host: `http://127.0.0.2:PORT/download`.
  std::string collection_url() const;
  void set_fault(const std::string& path_end, Fault fault);
  void clear_faults();
  Manners& archive_manners();
  Manners& node_manners();
  /// Each request so far, in order of arrival.
  std::vector<LoggedRequest> requests() const;
  void forget_requests();
  /// Appends a line for every request to `file`.
  void log_to(const std::filesystem::path& file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudapin
