// SPDX-License-Identifier: GPL-3.0-or-later
// A package that the archive has moved comes after two redirects from a machine that is slow, cuts
// connections and gives neither ETag nor Last-Modified. So a cut is the ordinary case here: every attempt
// resumes what is on disk, and only attempts that bring nothing new count against the limit. What may be
// resumed: a part whose whole the server names by the same validator, or, where there is none, by the same
// length.
#include "system/download.hpp"

#include "build_info.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/http.hpp"
#include "system/part_file.hpp"
#include "system/transfer.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int most_redirects = 10;
constexpr std::uint64_t fruit = 64 << 10;  // bytes that make an attempt worth another one
constexpr std::size_t page_limit = 64 << 10;

/// Whether a partial answer is the rest of this part.
bool continues(const HttpResponse& response, const PartFile& part) {
  const auto range = parse_content_range(response.header("content-range"));
  const auto validator = response.validator();
  const bool same = validator.empty() || part.validator().empty() || validator == part.validator();
  return same && range && range->first == part.size() && range->last + 1 == range->total &&
         (part.total() == 0 || range->total == part.total());
}

bool is_connected(CURL* curl) {
  double seconds = 0;
  curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME, &seconds);
  return seconds > 0;
}

/// A server that never answered is gone; one that has sent something may come back.
bool may_be_transient(CURL* curl, CURLcode code, bool arrived) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return arrived;
    case CURLE_OPERATION_TIMEDOUT:
      return arrived || is_connected(curl);
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

/// By X.509's verify results, the same numbers in every TLS library that reports them.
std::string certificate_problem(CURL* curl) {
  long result = 0;
  curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &result);
  if (result == 9) return tr_text("not valid yet (is the clock right?)");
  if (result == 10) return tr_text("expired (or the clock is wrong)");
  if (result == 18 || result == 19) return tr_text("self-signed");
  if (result == 2 || result == 20 || result == 21) return tr_text("of an unknown issuer");
  return tr_text("not valid for that name");
}

std::string connect_problem(CURL* curl) {
  long reason = 0;
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &reason);
  return reason ? lower_case(std::strerror(static_cast<int>(reason))) : tr_text("no connection");
}

/// Why an attempt failed and whether another one may do better.
struct Failure {
  std::string reason;
  bool transient = false;
  bool is_silence = false;  ///< no connection, or none that lasts
  milliseconds wait{0};     ///< what the server asked for
};

class Download {
 public:
  Download(const Host& host, const std::string& url, const fs::path& target, const ProgressSink& sink);
  DownloadOutcome run(int attempts);

 private:
  using Attempt = std::optional<DownloadOutcome>;

  Attempt attempt();
  CURLcode perform();
  void follow();
  Attempt judge(CURLcode code);
  Attempt judge_status();
  Failure explain(CURLcode code) const;
  bool is_redirect() const;
  void set_up();
  void ask_for_the_rest();

  void begin_body(std::string_view first);
  std::size_t take_body(std::string_view bytes);
  void report(bool final);
  void pause(milliseconds length) const;
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void give_up() const;

  template <class Act>
  std::size_t guarded(Act act);
  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  enum class Body { none, part, page, other, mismatch };

  const Host& host_;
  const std::string url_;
  const fs::path target_;
  const ProgressSink& sink_;
  const long patience_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_{nullptr, curl_slist_free_all};
  PartFile part_;
  std::string at_;  ///< the URL of the present redirect
  HttpResponse response_;
  Body body_ = Body::none;
  std::string page_;
  bool arrived_ = false;  ///< whether this call has got any byte
  Failure failure_;
  std::exception_ptr thrown_;
  DownloadProgress progress_;
  Clock::time_point measured_ = Clock::now();
  std::uint64_t measured_size_ = 0;
};

Download::Download(const Host& host, const std::string& url, const fs::path& target, const ProgressSink& sink)
    : host_(host),
      url_(url),
      target_(target),
      sink_(sink),
      patience_(patience_of(host)),
      curl_(curl_easy_init(), &curl_easy_cleanup),
      part_(target) {
  progress_.file = target.filename().string();
  measured_size_ = part_.size();
  set_up();
}

void Download::set_up() {
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(curl_.get(), option, value); };
  set_up_transfer(curl_.get(), patience_);
  set(CURLOPT_FOLLOWLOCATION, 0l);  // `follow` does, and says why not
  set(CURLOPT_BUFFERSIZE, 128l << 10);
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_NOPROGRESS, 0l);
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
}

DownloadOutcome Download::run(int attempts) {
  std::uint64_t furthest = part_.size();
  auto delay = milliseconds(patience_ * 1000 / 60);
  for (int fruitless = 0;; delay = std::min<milliseconds>(delay * 2, 30s)) {
    if (const auto outcome = attempt()) return *outcome;
    if (part_.size() >= furthest + fruit) {
      fruitless = 0;
      delay = milliseconds(patience_ * 1000 / 60);
    }
    furthest = std::max(furthest, part_.size());
    if (!failure_.transient || ++fruitless >= attempts) give_up();
    pause(std::max(delay, failure_.wait));
  }
}

Download::Attempt Download::attempt() {
  at_ = url_;
  failure_ = {};
  for (int redirects = 0; redirects <= most_redirects; ++redirects) {
    const auto code = perform();
    if (code != CURLE_OK || !is_redirect()) return judge(code);
    follow();
  }
  fail(tr("more than {} redirects", most_redirects));
}

CURLcode Download::perform() {
  response_ = {};
  body_ = Body::none;
  page_.clear();
  thrown_ = nullptr;
  curl_easy_setopt(curl_.get(), CURLOPT_URL, at_.c_str());
  ask_for_the_rest();
  const auto code = curl_easy_perform(curl_.get());
  if (thrown_) std::rethrow_exception(thrown_);
  host_.check_interrupt();
  return code;
}

void Download::ask_for_the_rest() {
  const auto from = scheme_of(at_) == "file" ? 0 : part_.prepare_resume();
  const auto range = fmt::format("{}-", from);
  headers_.reset();
  if (from > 0 && !part_.validator().empty())
    headers_.reset(curl_slist_append(nullptr, ("If-Range: " + part_.validator()).c_str()));
  curl_easy_setopt(curl_.get(), CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(curl_.get(), CURLOPT_RANGE, from > 0 ? range.c_str() : nullptr);
}

bool Download::is_redirect() const {
  const auto status = response_.status();
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

void Download::follow() {
  const char* location = nullptr;
  curl_easy_getinfo(curl_.get(), CURLINFO_REDIRECT_URL, &location);
  if (!location) fail(tr("'{}' redirects to nowhere", host_of(at_)));
  const std::string next = location;
  const auto scheme = scheme_of(next);
  const bool web = scheme == "http" || scheme == "https";
  if (!web || (scheme == "http" && scheme_of(at_) == "https"))
    fail(tr("'{}' redirects to '{}', which is not followed", host_of(at_), shown_url(next)));
  at_ = next;
}

Download::Attempt Download::judge(CURLcode code) {
  if (body_ == Body::page) {
    const auto title = title_of(page_);
    fail(tr("'{}' answered with a web page{} instead of the file", host_of(at_),
            title.empty() ? "" : fmt::format(" ('{}')", title)));
  }
  if (body_ == Body::mismatch) {
    part_.restart(0, {});
    failure_ = {tr("'{}' sends the rest of another file", host_of(at_)), true};
    return std::nullopt;
  }
  if (code == CURLE_FILE_COULDNT_READ_FILE && !fs::exists(percent_decode(at_.substr(7))))
    return DownloadOutcome::not_found;
  if (code != CURLE_OK) {
    failure_ = explain(code);
    return std::nullopt;
  }
  return judge_status();
}

Download::Attempt Download::judge_status() {
  const auto status = response_.status();
  if (status == 404 || status == 410) return DownloadOutcome::not_found;
  if (body_ == Body::part) {
    report(true);
    part_.finish();
    return DownloadOutcome::done;
  }
  failure_.reason = tr("'{}' answered {}", host_of(at_), response_.status_text());
  if (status == 200 || status == 206 || status == 0) failure_.reason = tr("'{}' sent nothing", host_of(at_));
  if (status == 416 && part_.size() > 0) {
    part_.restart(0, {});
    failure_.transient = true;
  }
  if (status == 408 || status == 429 || (status >= 500 && status <= 504 && status != 501)) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RETRY_AFTER, &seconds);
    failure_.transient = true;
    failure_.wait = std::chrono::seconds(std::clamp<curl_off_t>(seconds, 0, 2 * patience_));
  }
  return std::nullopt;
}

Failure Download::explain(CURLcode code) const {
  const auto got =
      part_.total() ? tr("{} of {} bytes", part_.size(), part_.total()) : tr("{} bytes", part_.size());
  return {transfer_problem(curl_.get(), code, host_of(at_), got, patience_),
          may_be_transient(curl_.get(), code, arrived_), true};
}

void Download::begin_body(std::string_view first) {
  const auto status = scheme_of(at_) == "file" ? 200 : response_.status();
  const auto start = trim(first);
  const bool is_folder = url_.ends_with('/');  // its page is what is asked for
  if (status == 200 && !is_folder &&
      (start.starts_with('<') || response_.header("content-type").starts_with("text/html"))) {
    body_ = Body::page;
  } else if (status == 200) {
    curl_off_t total = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &total);
    part_.restart(total > 0 ? static_cast<std::uint64_t>(total) : 0, response_.validator());
    measured_size_ = 0;
    body_ = Body::part;
  } else if (status == 206) {
    body_ = continues(response_, part_) ? Body::part : Body::mismatch;
  } else {
    body_ = Body::other;
  }
}

std::size_t Download::take_body(std::string_view bytes) {
  if (body_ == Body::none) begin_body(bytes);
  if (body_ == Body::mismatch) return 0;
  if (body_ == Body::page) {
    page_.append(bytes.substr(0, page_limit - std::min(page_limit, page_.size())));
    return page_.size() < page_limit ? bytes.size() : 0;
  }
  if (body_ != Body::part) return bytes.size();
  part_.append(bytes);
  arrived_ = true;
  return bytes.size();
}

void Download::report(bool final) {
  const std::chrono::duration<double> passed = Clock::now() - measured_;
  if (!sink_ || body_ != Body::part || (passed < 200ms && !final)) return;
  const auto rate = static_cast<double>(part_.size() - std::min(part_.size(), measured_size_)) /
                    std::max(passed.count(), 0.001);
  if (!final || progress_.rate <= 0)
    progress_.rate = progress_.rate > 0 ? 0.7 * progress_.rate + 0.3 * rate : rate;
  progress_.received = part_.size();
  progress_.total = part_.total();
  measured_ = Clock::now();
  measured_size_ = part_.size();
  sink_(progress_);
}

void Download::pause(milliseconds length) const {
  for (const auto end = Clock::now() + length; Clock::now() < end;) {
    host_.check_interrupt();
    std::this_thread::sleep_for(std::min<milliseconds>(length, 50ms));
  }
}

void Download::fail(const std::string& reason) const {
  throw Error(tr("cannot download '{}': {}", shown_url(url_), reason));
}

void Download::give_up() const {
  const auto message = tr("cannot download '{}': {}", shown_url(url_), failure_.reason);
  if (failure_.is_silence) throw NoAnswer(message);
  throw Error(message);
}

/// An exception must not pass through C: it is kept, the transfer aborted, and thrown again by `perform`.
template <class Act>
std::size_t Download::guarded(Act act) {
  try {
    return act();
  } catch (...) {
    thrown_ = std::current_exception();
    return static_cast<std::size_t>(-1);
  }
}

std::size_t Download::on_header(char* data, std::size_t, std::size_t size, void* self) {
  auto& download = *static_cast<Download*>(self);
  return download.guarded([&] {
    download.response_.take({data, size});
    return size;
  });
}

std::size_t Download::on_body(char* data, std::size_t, std::size_t size, void* self) {
  auto& download = *static_cast<Download*>(self);
  return download.guarded([&] { return download.take_body({data, size}); });
}

int Download::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& download = *static_cast<Download*>(self);
  return static_cast<int>(download.guarded([&] {
    download.host_.check_interrupt();
    download.report(false);
    return std::size_t{0};
  }));
}

}  // namespace

void initialise_transfers() {
  [[maybe_unused]] static const auto result = curl_global_init(CURL_GLOBAL_DEFAULT);
}

long patience_of(const Host& host) {
  const auto text = host.variable("CUDAPIN_TIMEOUT");
  long seconds = 60;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp(seconds, 1l, 3600l);
}

void set_up_transfer(void* handle, long patience) {
  const auto set = [handle](CURLoption option, auto value) { curl_easy_setopt(handle, option, value); };
#if LIBCURL_VERSION_NUM >= 0x075500
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
#else
  set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE));
#endif
  set(CURLOPT_USERAGENT, fmt::format("cudapin/{}", program_version).c_str());
  set(CURLOPT_NOSIGNAL, 1l);
  set(CURLOPT_CONNECTTIMEOUT, std::min(patience, 30l));
  set(CURLOPT_LOW_SPEED_LIMIT, 1l);
  set(CURLOPT_LOW_SPEED_TIME, patience);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1l);
}

std::string transfer_problem(void* handle, int code, const std::string& server, const std::string& got,
                             long patience) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return tr("the name '{}' is not resolved", server);
    case CURLE_COULDNT_RESOLVE_PROXY:
      return tr_text("the name of the proxy is not resolved");
    case CURLE_COULDNT_CONNECT:
      return tr("'{}' is not reachable: {}", server, connect_problem(handle));
    case CURLE_OPERATION_TIMEDOUT:
      if (!is_connected(handle)) return tr("'{}' is not reachable: no answer in time", server);
      return tr("'{}' sent nothing for {} seconds after {}", server, patience, got);
    case CURLE_PEER_FAILED_VERIFICATION:
      return tr("the TLS certificate of '{}' is {}", server, certificate_problem(handle));
    case CURLE_SSL_CONNECT_ERROR:
      return tr("no TLS connection with '{}'", server);
    case CURLE_GOT_NOTHING:
      return tr("'{}' closed the connection without an answer", server);
    case CURLE_PARTIAL_FILE:
      return tr("'{}' ended the file after {}", server, got);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return tr("the connection to '{}' was cut after {}", server, got);
    case CURLE_UNSUPPORTED_PROTOCOL:
      return tr_text("only http, https and file addresses are fetched");
    case CURLE_URL_MALFORMAT:
      return tr_text("this is no address");
    case CURLE_FILE_COULDNT_READ_FILE:
      return tr_text("the file cannot be read");
    default:
      return tr("the transfer from '{}' failed: {}", server,
                lower_case(curl_easy_strerror(static_cast<CURLcode>(code))));
  }
}

DownloadOutcome download(const Host& host, const std::string& url, const fs::path& target,
                         const ProgressSink& sink, int attempts) {
  initialise_transfers();
  return Download(host, url, target, sink).run(attempts);
}

std::string curl_version_text() {
  initialise_transfers();
  return curl_version_info(CURLVERSION_NOW)->version;
}

}  // namespace cudapin
