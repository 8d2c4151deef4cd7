// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/pages.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/http.hpp"
#include "system/transfer.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cudapin {

namespace {

constexpr long most_redirects = 10;
constexpr long most_connections = 6;  // to one host, as browsers do

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using Lines = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// One page on its way.
class Transfer {
 public:
  Transfer(const Host& host, const PageRequest& request);
  CURL* handle() const { return curl_.get(); }
  /// What came of it.
  Page finish(CURLcode code);

 private:
  void add_header(const char* name, const std::string& value);
  void judge_failure(CURLcode code);
  void judge_status();
  std::string refused_redirect() const;
  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self);

  const Host& host_;
  const std::string url_;
  const long patience_;
  const std::size_t limit_;
  bool is_too_long_ = false;
  Easy curl_{curl_easy_init(), &curl_easy_cleanup};
  Lines headers_{nullptr, curl_slist_free_all};
  HttpResponse response_;
  Page page_;
};

Transfer::Transfer(const Host& host, const PageRequest& request)
    : host_(host),
      url_(request.url),
      patience_(std::max(1l, patience_of(host) / 2) * (request.is_large ? 10 : 1)),
      limit_(request.limit) {
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(curl_.get(), option, value); };
  set_up_transfer(host, curl_.get(), url_, patience_);
  const bool is_secure = scheme_of(url_) == "https";  // a redirect stays so
#if LIBCURL_VERSION_NUM >= 0x075500
  set(CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
#else
  set(CURLOPT_REDIR_PROTOCOLS,
      static_cast<long>(is_secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  set(CURLOPT_FOLLOWLOCATION, 1l);
  set(CURLOPT_MAXREDIRS, most_redirects);
  set(CURLOPT_TIMEOUT, patience_);
  set(CURLOPT_CONNECTTIMEOUT, std::min(patience_, 10l));
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  add_header("If-None-Match", request.etag);
  add_header("If-Modified-Since", request.last_modified);
  if (headers_) set(CURLOPT_HTTPHEADER, headers_.get());
}

void Transfer::add_header(const char* name, const std::string& value) {
  if (value.empty()) return;
  const auto line = fmt::format("{}: {}", name, value);
  headers_.reset(curl_slist_append(headers_.release(), line.c_str()));
}

Page Transfer::finish(CURLcode code) {
  const char* last = nullptr;
  curl_easy_getinfo(curl_.get(), CURLINFO_EFFECTIVE_URL, &last);
  page_.final_url = last ? last : url_;
  page_.etag = response_.header("etag");
  page_.last_modified = response_.header("last-modified");
  if (code == CURLE_OK)
    judge_status();
  else
    judge_failure(code);
  return std::move(page_);
}

void Transfer::judge_status() {
  using enum Page::Outcome;
  const auto status = response_.status();
  if (status == 200) {
    page_.outcome = received;
  } else if (status == 304) {
    page_.outcome = unchanged;
  } else if (status == 404 || status == 410) {
    page_.outcome = not_found;
  } else {
    page_.outcome = status >= 500 || status == 429 ? unreachable : refused;
    page_.problem = tr("'{}' answered {}", host_of(page_.final_url), response_.status_text());
  }
}

std::string Transfer::refused_redirect() const {
  const char* next = nullptr;
  curl_easy_getinfo(curl_.get(), CURLINFO_REDIRECT_URL, &next);
  return tr("'{}' redirects to '{}', which is not followed", host_of(page_.final_url),
            shown_url(next ? next : response_.header("location")));
}

void Transfer::judge_failure(CURLcode code) {
  const auto server = host_of(page_.final_url);
  page_.outcome = Page::Outcome::unreachable;
  if (is_too_long_) {
    page_.problem = tr("the page of '{}' is longer than {}", server, human_size(limit_));
  } else if (code == CURLE_TOO_MANY_REDIRECTS) {
    page_.outcome = Page::Outcome::refused;
    page_.problem = tr("'{}' answered with more than {} redirects", host_of(url_), most_redirects);
  } else if (code == CURLE_UNSUPPORTED_PROTOCOL && !response_.header("location").empty()) {
    page_.outcome = Page::Outcome::refused;
    page_.problem = refused_redirect();
  } else if (code == CURLE_OPERATION_TIMEDOUT && !page_.body.empty()) {
    page_.problem = tr("'{}' is too slow: {} bytes in {} seconds", server, page_.body.size(), patience_);
  } else {
    page_.problem = transfer_problem(host_, curl_.get(), code, page_.final_url,
                                     tr("{} bytes", page_.body.size()), patience_);
  }
  page_.body.clear();
}

std::size_t Transfer::on_header(char* data, std::size_t, std::size_t size, void* self) {
  static_cast<Transfer*>(self)->response_.take({data, size});
  return size;
}

std::size_t Transfer::on_body(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (transfer.response_.status() != 200) return size;  // an error's page is not what was asked for
  transfer.is_too_long_ = transfer.page_.body.size() + size > transfer.limit_;
  if (transfer.is_too_long_) return 0;
  transfer.page_.body.append(data, size);
  return size;
}

/// The transfers that are over since the last call go to `pages`, by their place in `transfers`.
void collect(CURLM* multi, std::vector<std::unique_ptr<Transfer>>& transfers, std::vector<Page>& pages) {
  int left = 0;
  while (const auto* message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const auto code = message->data.result;
    const auto found = std::ranges::find(transfers, message->easy_handle, &Transfer::handle);
    curl_multi_remove_handle(multi, message->easy_handle);
    pages[static_cast<std::size_t>(found - transfers.begin())] = (*found)->finish(code);
  }
}

std::vector<Page> receive(const Host& host, std::span<const PageRequest> requests) {
  std::vector<Page> pages(requests.size());
  initialise_transfers();
  std::vector<std::unique_ptr<Transfer>> transfers;
  const Multi multi(curl_multi_init(), &curl_multi_cleanup);
  curl_multi_setopt(multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, most_connections);
  for (const auto& request : requests) {
    transfers.push_back(std::make_unique<Transfer>(host, request));
    curl_multi_add_handle(multi.get(), transfers.back()->handle());
  }
  for (int running = 1; running > 0;) {
    host.check_interrupt();
    curl_multi_perform(multi.get(), &running);
    collect(multi.get(), transfers, pages);
    if (running > 0) curl_multi_poll(multi.get(), nullptr, 0, 200, nullptr);
  }
  return pages;
}

}  // namespace

std::vector<Page> get_pages(const Host& host, std::span<const PageRequest> requests) {
  if (requests.empty()) return {};
  const Provisions provisions(host);
  const auto pages =
      run_unprivileged(provisions.host, provisions.files,
                       [&](const Host& own, const Tell&) -> Message { return receive(own, requests); });
  return pages.get<std::vector<Page>>();
}

}  // namespace cudapin
