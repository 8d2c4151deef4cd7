// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ranges.hpp"
#include "system/host.hpp"
#include "system/http.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cudapin {

/// What is asked of a server.
struct RequestOptions {
  std::string url;
  std::optional<Range> range = {};  ///< without one the whole
  std::string validator = {};       ///< a part only of the file that has this one
};

/// How a request ended.
struct RequestEnd {
  enum class Kind { whole, stopped, failed };
  Kind kind = Kind::whole;
  int code = 0;
  std::string redirect = {};    ///< why a redirect was not followed
  bool is_transient = false;    ///< another try may do better
  bool is_unreachable = false;  ///< the server gave no sign, or does not keep a connection
  bool is_missing = false;      ///< a file:// address with nothing behind it
};

/// One request on its way, with its redirects: they are followed within http(s) only, and never from https to
/// http.
class Request {
 public:
  /// Takes the next bytes of a body that is no redirect's; false ends the request.
  using Taker = std::function<bool(std::string_view bytes)>;

  Request(const Host& host, RequestOptions options, Taker take);
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  const HttpResponse& response() const;
  /// The address that answers, after redirects.
  const std::string& at() const;
  /// Of the body; 0 when it is not said.
  std::uint64_t content_length() const;
  std::chrono::seconds retry_after() const;
  /// Why it failed, in words, `got` ("17 of 20 bytes") having come.
  std::string problem(const RequestEnd& end, const std::string& got) const;
  /// Bytes a second from now on; 0: no limit.
  void limit_rate(std::uint64_t rate);

 private:
  friend class Requests;
  struct Transfer;
  std::unique_ptr<Transfer> transfer_;
};

/// The requests that are on their way at the same time.
class Requests {
 public:
  Requests();
  ~Requests();
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  /// The request outlives its being here, which ends with `remove` or when it is told of as ended.
  void add(Request& request);
  void remove(Request& request);
  /// Lets them go on, waits for `wait` at most, and tells of those that have ended. Throws what a Taker has
  /// thrown.
  void go_on(std::chrono::milliseconds wait, const std::function<void(Request&, RequestEnd)>& ended);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace cudapin
