// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/transfer.hpp"

#include "build_info.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/download.hpp"
#include "system/http.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace cudapin {

namespace {

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

/// The proxy for a URL, as curl's own program reads the environment: plain http only from the lower-case
/// name, which no header of a web request can set.
std::string proxy_of(const Host& host, const std::string& url) {
  const auto scheme = scheme_of(url);
  const auto either = [&](const std::string& lower, const std::string& upper) {
    const auto value = host.variable(lower);
    return value.empty() ? host.variable(upper) : value;
  };
  const auto own = scheme == "https"  ? either("https_proxy", "HTTPS_PROXY")
                   : scheme == "http" ? host.variable("http_proxy")
                                      : std::string{};
  return own.empty() && scheme != "file" ? either("all_proxy", "ALL_PROXY") : own;
}

std::string certificates_of(const Host& host) {
  return host.network.certificates.empty() ? host.variable("SSL_CERT_FILE") : host.network.certificates;
}

std::string netrc_of(const Host& host) {
  return host.network.netrc.empty() ? host.variable("HOME") + "/.netrc" : host.network.netrc;
}

void set_up_network(const Host& host, CURL* handle, const std::string& url) {
  const auto set = [handle](CURLoption option, auto value) { curl_easy_setopt(handle, option, value); };
  set(CURLOPT_PROXY, proxy_of(host, url).c_str());
  const auto lower = host.variable("no_proxy");
  set(CURLOPT_NOPROXY, (lower.empty() ? host.variable("NO_PROXY") : lower).c_str());
  if (const auto file = certificates_of(host); !file.empty()) set(CURLOPT_CAINFO, file.c_str());
  using enum Network::Version;
  const auto version = host.network.version;
  set(CURLOPT_IPRESOLVE, version == four  ? CURL_IPRESOLVE_V4
                         : version == six ? CURL_IPRESOLVE_V6
                                          : CURL_IPRESOLVE_WHATEVER);
  if (host.network.use_netrc) {
    set(CURLOPT_NETRC, CURL_NETRC_OPTIONAL);
    set(CURLOPT_NETRC_FILE, netrc_of(host).c_str());
  }
}

}  // namespace

Provisions::Provisions(const Host& user) : host(user) {
  host.network.certificates = copy_of(certificates_of(user));
  if (user.network.use_netrc) host.network.netrc = copy_of(netrc_of(user));
}

/// In memory, and as long as somebody has it open.
std::string Provisions::copy_of(const std::string& file) {
  Fd copy(::memfd_create("cudapin", MFD_CLOEXEC));
  try {
    if (file.empty() || !copy || !write_all(copy.get(), read_file(file))) return file;
  } catch (const Error&) {
    return file;
  }
  files.push_back(copy.get());
  copies_.push_back(std::move(copy));
  return fmt::format("/proc/self/fd/{}", files.back());
}

void initialise_transfers() {
  [[maybe_unused]] static const auto result = curl_global_init(CURL_GLOBAL_DEFAULT);
}

long patience_of(const Host& host) {
  const auto text = host.variable("CUDAPIN_TIMEOUT");
  long seconds = 60;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp(seconds, 1l, 3600l);
}

void set_up_transfer(const Host& host, void* handle, const std::string& url, long patience) {
  const auto set = [handle](CURLoption option, auto value) { curl_easy_setopt(handle, option, value); };
#if LIBCURL_VERSION_NUM >= 0x075500
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
#else
  set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE));
#endif
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_USERAGENT, fmt::format("cudapin/{}", program_version).c_str());
  set(CURLOPT_NOSIGNAL, 1l);
  set(CURLOPT_CONNECTTIMEOUT, std::min(patience, 30l));
  set(CURLOPT_LOW_SPEED_LIMIT, 1l);
  set(CURLOPT_LOW_SPEED_TIME, patience);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1l);
  set_up_network(host, handle, url);
}

bool is_connected(void* handle) {
  double seconds = 0;
  curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME, &seconds);
  return seconds > 0;
}

std::string transfer_problem(const Host& host, void* handle, int code, const std::string& url,
                             const std::string& got, long patience) {
  const auto server = host_of(url);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return tr("the name '{}' is not resolved", server);
    case CURLE_COULDNT_RESOLVE_PROXY:
      return tr("the name of the proxy '{}' is not resolved", shown_url(proxy_of(host, url)));
    case CURLE_COULDNT_CONNECT: {
      const auto proxy = proxy_of(host, url);
      return proxy.empty()
                 ? tr("'{}' is not reachable: {}", server, connect_problem(handle))
                 : tr("the proxy '{}' is not reachable: {}", shown_url(proxy), connect_problem(handle));
    }
    case CURLE_OPERATION_TIMEDOUT:
      if (!is_connected(handle)) return tr("'{}' is not reachable: no answer in time", server);
      return tr("'{}' sent nothing for {} seconds after {}", server, patience, got);
    case CURLE_PEER_FAILED_VERIFICATION:
      return tr("the TLS certificate of '{}' is {}", server, certificate_problem(handle));
    case CURLE_SSL_CONNECT_ERROR:
      return tr("no TLS connection with '{}'", server);
    case CURLE_SSL_CACERT_BADFILE:
      return tr("the certificates in '{}' cannot be read", host.variable("SSL_CERT_FILE"));
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

std::string curl_version_text() {
  initialise_transfers();
  return curl_version_info(CURLVERSION_NOW)->version;
}

}  // namespace cudapin
