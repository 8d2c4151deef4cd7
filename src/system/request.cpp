// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/request.hpp"

#include "core/text.hpp"
#include "core/words.hpp"
#include "system/transfer.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <list>

namespace cudapin {

namespace {

constexpr int most_redirects = 10;
constexpr long buffer = 256 << 10;

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using Lines = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// A server that never answered is gone; one that has sent something may come back.
bool may_pass(CURL* curl, CURLcode code, std::uint64_t got) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return got > 0;
    case CURLE_OPERATION_TIMEDOUT:
      return got > 0 || is_connected(curl);
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct Request::Transfer {
  Transfer(const Host& h, RequestOptions o, Taker t);
  void prepare();
  bool is_redirect() const;
  /// Goes to where the redirect leads, or says why not.
  std::optional<RequestEnd> follow();
  RequestEnd end(CURLcode code) const;
  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self);

  const Host& host;
  const RequestOptions options;
  const Taker take;
  const long patience;
  std::string at;
  int redirects = 0;
  Easy curl{curl_easy_init(), &curl_easy_cleanup};
  Lines headers{nullptr, &curl_slist_free_all};
  HttpResponse response;
  std::uint64_t got = 0;
  bool is_stopped = false;
  std::exception_ptr thrown;
};

Request::Transfer::Transfer(const Host& h, RequestOptions o, Taker t)
    : host(h), options(std::move(o)), take(std::move(t)), patience(patience_of(h)), at(options.url) {
  prepare();
}

void Request::Transfer::prepare() {
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
  set_up_transfer(host, curl.get(), at, patience);
  set(CURLOPT_FOLLOWLOCATION, 0l);  // `follow` does, and says why not
  set(CURLOPT_BUFFERSIZE, buffer);
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  response = {};
  headers.reset();
  const bool has_range = options.range && scheme_of(at) != "file";
  if (has_range && !options.validator.empty())
    headers.reset(curl_slist_append(nullptr, ("If-Range: " + options.validator).c_str()));
  std::string range;
  if (has_range && options.range->end == ~std::uint64_t{0})
    range = fmt::format("{}-", options.range->first);
  else if (has_range)
    range = fmt::format("{}-{}", options.range->first, options.range->end - 1);
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_RANGE, has_range ? range.c_str() : nullptr);
}

bool Request::Transfer::is_redirect() const {
  const auto status = response.status();
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

std::optional<RequestEnd> Request::Transfer::follow() {
  using enum RequestEnd::Kind;
  if (++redirects > most_redirects)
    return RequestEnd{failed, 0, tr("more than {} redirects", most_redirects)};
  const char* location = nullptr;
  curl_easy_getinfo(curl.get(), CURLINFO_REDIRECT_URL, &location);
  if (!location) return RequestEnd{failed, 0, tr("'{}' redirects to nowhere", host_of(at))};
  const std::string next = location;
  const auto scheme = scheme_of(next);
  const bool web = scheme == "http" || scheme == "https";
  if (!web || (scheme == "http" && scheme_of(at) == "https"))
    return RequestEnd{failed, 0,
                      tr("'{}' redirects to '{}', which is not followed", host_of(at), shown_url(next))};
  at = next;
  prepare();
  return std::nullopt;
}

RequestEnd Request::Transfer::end(CURLcode code) const {
  using enum RequestEnd::Kind;
  if (is_stopped) return {stopped};
  if (code == CURLE_OK) return {whole};
  RequestEnd end{failed, code};
  end.is_transient = may_pass(curl.get(), code, got);
  end.is_unreachable = true;
  std::error_code unreadable;
  const auto file = percent_decode(at.substr(std::min<std::size_t>(7, at.size())));
  end.is_missing =
      code == CURLE_FILE_COULDNT_READ_FILE && !std::filesystem::exists(file, unreadable) && !unreadable;
  return end;
}

std::size_t Request::Transfer::on_header(char* data, std::size_t, std::size_t size, void* self) {
  static_cast<Transfer*>(self)->response.take({data, size});
  return size;
}

/// An exception must not pass through C: it is kept, and thrown again by `go_on`.
std::size_t Request::Transfer::on_body(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (transfer.is_redirect()) return size;
  transfer.got += size;
  try {
    if (transfer.take({data, size})) return size;
    transfer.is_stopped = true;
  } catch (...) {
    transfer.thrown = std::current_exception();
  }
  return size + 1;  // which ends it
}

Request::Request(const Host& host, RequestOptions options, Taker take)
    : transfer_(std::make_unique<Transfer>(host, std::move(options), std::move(take))) {}
Request::~Request() = default;

const HttpResponse& Request::response() const { return transfer_->response; }

const std::string& Request::at() const { return transfer_->at; }

std::uint64_t Request::content_length() const {
  curl_off_t length = 0;
  curl_easy_getinfo(transfer_->curl.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return length > 0 ? static_cast<std::uint64_t>(length) : 0;
}

std::chrono::seconds Request::retry_after() const {
  curl_off_t seconds = 0;
  curl_easy_getinfo(transfer_->curl.get(), CURLINFO_RETRY_AFTER, &seconds);
  return std::chrono::seconds(std::clamp<curl_off_t>(seconds, 0, 2 * transfer_->patience));
}

std::string Request::problem(const RequestEnd& end, const std::string& got) const {
  if (!end.redirect.empty()) return end.redirect;
  return transfer_problem(transfer_->host, transfer_->curl.get(), end.code, at(), got, transfer_->patience);
}

void Request::limit_rate(std::uint64_t rate) {
  curl_easy_setopt(transfer_->curl.get(), CURLOPT_MAX_RECV_SPEED_LARGE, static_cast<curl_off_t>(rate));
}

struct Requests::Pool {
  Multi multi{curl_multi_init(), &curl_multi_cleanup};
  std::list<Request*> requests;
};

/// A connection for each request: with HTTP/2 too, where one that is slow is all the server gives.
Requests::Requests() : pool_(std::make_unique<Pool>()) {
  initialise_transfers();
  curl_multi_setopt(pool_->multi.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
}

Requests::~Requests() {
  while (!pool_->requests.empty()) remove(*pool_->requests.front());
}

void Requests::add(Request& request) {
  pool_->requests.push_back(&request);
  curl_easy_setopt(request.transfer_->curl.get(), CURLOPT_PRIVATE, static_cast<void*>(&request));
  curl_multi_add_handle(pool_->multi.get(), request.transfer_->curl.get());
}

void Requests::remove(Request& request) {
  if (pool_->requests.remove(&request) > 0)
    curl_multi_remove_handle(pool_->multi.get(), request.transfer_->curl.get());
}

void Requests::go_on(std::chrono::milliseconds wait, const std::function<void(Request&, RequestEnd)>& ended) {
  auto* multi = pool_->multi.get();
  int left = 0;
  curl_multi_poll(multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  curl_multi_perform(multi, &left);
  while (const auto* message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* known = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &known);
    auto& request = *reinterpret_cast<Request*>(known);
    const auto code = message->data.result;
    remove(request);
    auto& transfer = *request.transfer_;
    if (transfer.thrown) std::rethrow_exception(transfer.thrown);
    std::optional<RequestEnd> end;
    if (code != CURLE_OK || !transfer.is_redirect())
      end = transfer.end(code);
    else if (!(end = transfer.follow()))
      add(request);
    if (end) ended(request, std::move(*end));
  }
}

}  // namespace cudapin
