// SPDX-License-Identifier: GPL-3.0-or-later
// server FILE [address=127.0.0.1] [rate=BYTES] [limit=N] [cut=BYTES] [die=BYTES] [silent=BYTES] [port=N]
// Serves one file under every name, with ranges: `rate` bytes a second for each connection, 503 beyond
// `limit` connections, each connection reset after `cut` bytes on average (exponential, seeded), and after
// `die` bytes in all no connection any more, or after `silent` bytes not a byte more. Prints its port. GET
// /stats answers "BODY_BYTES REQUESTS REFUSALS".
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string address = "127.0.0.1";
  std::uint64_t rate = 0, cut = 0, die = 0, silent = 0;
  int limit = 0, port = 0;
} options;

int file = -1;
std::uint64_t file_size = 0;
std::atomic<std::uint64_t> body_bytes{0}, requests{0}, refusals{0};
std::atomic<int> serving{0};
std::mutex random_lock;
std::mt19937_64 random_source(7);

std::uint64_t next_cut() {
  if (options.cut == 0) return ~std::uint64_t{0};
  const std::lock_guard lock(random_lock);
  return static_cast<std::uint64_t>(
      std::exponential_distribution<>(1.0 / static_cast<double>(options.cut))(random_source));
}

void reset(int client) {
  const linger hard{1, 0};
  ::setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

bool send_text(int client, const std::string& text) {
  return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// One client, from its first request to its last.
class Connection {
 public:
  explicit Connection(int client) : client_(client) {}
  void serve() {
    for (std::string head; read_head(head);)
      if (!answer(head)) break;
    if (counted_) --serving;
  }

 private:
  bool read_head(std::string& head) {
    head.clear();
    char c = 0;
    while (!head.ends_with("\r\n\r\n"))
      if (::recv(client_, &c, 1, 0) != 1)
        return false;
      else
        head += c;
    return true;
  }

  bool answer(const std::string& head) {
    if (head.starts_with("GET /stats")) {
      const auto text =
          std::to_string(body_bytes) + " " + std::to_string(requests) + " " + std::to_string(refusals) + "\n";
      return send_text(
          client_, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    }
    ++requests;
    if (!counted_ && ++serving > options.limit && options.limit > 0) {
      --serving;
      ++refusals;
      return send_text(client_,
                       "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n") &&
             false;
    }
    counted_ = true;
    std::uint64_t first = 0, last = file_size - 1;
    bool part = false;
    if (const auto at = head.find("\r\nRange: bytes="); at != head.npos) {
      part = true;
      const auto* text = head.data() + at + 15;
      const auto dash = std::from_chars(text, head.data() + head.size(), first).ptr;
      std::from_chars(dash + 1, head.data() + head.size(), last);
      last = std::min(last, file_size - 1);
    }
    std::string reply = part ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " +
                                   std::to_string(first) + "-" + std::to_string(last) + "/" +
                                   std::to_string(file_size) + "\r\n"
                             : "HTTP/1.1 200 OK\r\n";
    reply +=
        "ETag: \"bench\"\r\nAccept-Ranges: bytes\r\nContent-Type: "
        "application/octet-stream\r\nContent-Length: " +
        std::to_string(last - first + 1) + "\r\n\r\n";
    if (!send_text(client_, reply)) return false;
    return head.starts_with("HEAD") || send_body(first, last + 1);
  }

  bool send_body(std::uint64_t at, std::uint64_t end) {
    while (at < end) {
      if (options.die > 0 && body_bytes >= options.die) std::_Exit(0);
      while (options.silent > 0 && body_bytes >= options.silent) ::sleep(1000);
      if (sent_ >= cut_after_) return reset(client_), false;
      const auto step =
          std::min<std::uint64_t>({end - at, options.rate > 0 ? 64u << 10 : 1u << 20, cut_after_ - sent_});
      wait_for_turn(step);
      auto offset = static_cast<off_t>(at);
      const auto got = ::sendfile(client_, file, &offset, step);
      if (got <= 0) return false;
      at += static_cast<std::uint64_t>(got);
      sent_ += static_cast<std::uint64_t>(got);
      body_bytes += static_cast<std::uint64_t>(got);
    }
    return true;
  }

  /// What a connection does not use is not saved for later, but for a tenth of a second.
  void wait_for_turn(std::uint64_t bytes) {
    if (options.rate == 0) return;
    due_ = std::max(due_, Clock::now() - std::chrono::milliseconds(100));
    due_ += std::chrono::nanoseconds(bytes * 1'000'000'000 / options.rate);
    std::this_thread::sleep_until(due_);
  }

  int client_;
  bool counted_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t cut_after_ = next_cut();
  Clock::time_point due_ = Clock::now();
};

void read_option(const std::string& word) {
  const auto equals = word.find('=');
  const auto name = word.substr(0, equals);
  const auto value = word.substr(equals + 1);
  const auto number = std::strtoull(value.c_str(), nullptr, 10);
  if (name == "address") options.address = value;
  if (name == "rate") options.rate = number;
  if (name == "cut") options.cut = number;
  if (name == "die") options.die = number;
  if (name == "silent") options.silent = number;
  if (name == "limit") options.limit = static_cast<int>(number);
  if (name == "port") options.port = static_cast<int>(number);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: server FILE [OPTION=VALUE]...\n", stderr), 2;
  for (int i = 2; i < argc; ++i) read_option(argv[i]);
  std::signal(SIGPIPE, SIG_IGN);
  file = ::open(argv[1], O_RDONLY);
  struct stat info {};
  if (file < 0 || ::fstat(file, &info) != 0) return std::perror(argv[1]), 1;
  file_size = static_cast<std::uint64_t>(info.st_size);
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(options.port));
  ::inet_pton(AF_INET, options.address.c_str(), &address.sin_addr);
  socklen_t length = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener, 100) != 0)
    return std::perror("listen"), 1;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  for (;;) {
    const int client = ::accept(listener, nullptr, nullptr);
    if (client < 0) continue;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::thread([client] {
      Connection(client).serve();
      ::close(client);
    }).detach();
  }
}
