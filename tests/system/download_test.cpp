// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/download.hpp"

#include "core/error.hpp"
#include "core/part_note.hpp"
#include "core/text.hpp"
#include "support/archive_fixture.hpp"
#include "system/child.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <httplib.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Kind = Fault::Kind;
using Log = std::vector<std::string>;

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
constexpr std::size_t size = 300'000;

struct Transfer : ArchiveFixture {
  Transfer() { fs::create_directories(target.parent_path()); }

  DownloadOutcome get(const ProgressSink& sink = {}) const { return download(host, url(), target, sink); }
  std::string url() const { return server.url() + "/packages/c/cuda/" + cuda; }
  std::string message() const {
    try {
      get();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  bool left_over() const {
    return fs::exists(target.string() + ".part") || fs::exists(target.string() + ".part.meta");
  }
  bool whole() const { return fs::exists(target) && read_text(target) == bytes && !left_over(); }
  /// What an interrupted transfer has left.
  PartNote note() const {
    return parse_part_note(read_text(target.string() + ".part.meta"),
                           trim(read_text("/proc/sys/kernel/random/boot_id")));
  }
  /// Ends a transfer by a signal once some bytes have come.
  void interrupt_after_some() {
    server.set_fault(cuda, {Kind::slow, 400'000, 1});
    std::optional<ExitStatus> status;
    try {
      get([this](const DownloadProgress& progress) {
        if (progress.received > 0) interrupt = SIGINT;
      });
    } catch (const Error& error) {
      status = error.status;
    }
    interrupt = 0;
    REQUIRE(status == ExitStatus::interrupted);
    REQUIRE(note().have().size() > 0);
    REQUIRE(!fs::exists(target));
    server.forget_requests();
  }

  const std::string bytes = package_bytes(size);
  const fs::path target = folder / "store" / cuda;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// Runs `act` in a thread with mounts of its own; false where that is not allowed.
template <class Prepare, class Act>
bool with_mounts(Prepare prepare, Act act) {
  bool allowed = false;
  std::thread([&] {
    allowed = ::unshare(CLONE_NEWNS) == 0 &&
              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 && prepare();
    if (allowed) act();
  }).join();
  return allowed;
}

}  // namespace

TEST_CASE("download: a moved package is resumed behind two redirects without a validator") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes, true);
  transfer.server.set_fault(cuda, {Kind::cut, 100'000, 1});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 302", "items 302", "node 200", "archive 302 bytes=100000-",
                              "items 302 bytes=100000-", "node 206 bytes=100000-"});
  const auto requests = transfer.server.requests();
  CHECK(requests[1].path == "/download/archlinux_pkg_cuda/" + cuda);
  CHECK(requests[0].agent.starts_with("cudapin/"));
}

TEST_CASE("download: a name that never existed is refused only at the end of the redirects") {
  Transfer transfer;
  CHECK(transfer.get() == DownloadOutcome::not_found);
  CHECK(transfer.log() == Log{"archive 302", "items 302", "node 404"});
  CHECK(!fs::exists(transfer.target));
  CHECK(!transfer.left_over());
}

TEST_CASE("download: a cut transfer with a validator asks for the rest of the same file") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  for (const bool etag : {true, false}) {
    transfer.server.archive_manners().etag = etag;
    transfer.server.set_fault(cuda, {Kind::cut, 100'000, 1});
    transfer.server.forget_requests();
    fs::remove(transfer.target);
    CHECK(transfer.get() == DownloadOutcome::done);
    CHECK(transfer.whole());
    CHECK(transfer.log() == Log{"archive 200", "archive 206 bytes=100000-"});
  }
}

TEST_CASE("download: several cuts in a row each continue where the last one ended") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::cut, 100'000, 2});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200", "archive 206 bytes=100000-", "archive 206 bytes=200000-"});
}

TEST_CASE("download: a file that changed between two attempts is taken from its start") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::cut, 100'000, 1});
  transfer.server.set_fault(cuda, {Kind::changing_etag});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200", "archive 200 bytes=100000-"});
}

TEST_CASE("download: a server without ranges sends the whole again") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::cut, 100'000, 1});
  transfer.server.set_fault(cuda, {Kind::no_ranges});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200", "archive 200 bytes=100000-"});
}

TEST_CASE("download: a partial answer for another offset is not appended") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::cut, 100'000, 1});
  transfer.server.set_fault(cuda, {Kind::shifted_range, 0, 1});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200", "archive 206 bytes=100000-", "archive 200"});
}

TEST_CASE("download: without a validator another length means another file") {
  Transfer transfer;
  transfer.server.archive_manners() = {false, false, true, false};
  const auto file = transfer.add(cuda, package_bytes(400'000, 7));
  transfer.interrupt_after_some();
  write_text(file, transfer.bytes);
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.server.requests().size() == 2);
  CHECK(transfer.server.requests()[0].status == 206);
  CHECK(transfer.server.requests()[1].range == "");
}

TEST_CASE("download: a weak ETag is no reason to resume but the date is") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.archive_manners().weak_etag = true;
  transfer.server.set_fault(cuda, {Kind::cut, 100'000, 1});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200", "archive 206 bytes=100000-"});
}

TEST_CASE("download: an interrupted transfer keeps its part and the next one resumes it") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.interrupt_after_some();
  const auto have = transfer.note().have().size();
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{fmt::format("archive 206 bytes={}-", have)});
}

TEST_CASE("download: an interrupt also ends the wait between two attempts") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.host.environment["CUDAPIN_TIMEOUT"] = "60";
  transfer.server.set_fault(cuda, {Kind::busy, 60});
  std::thread signal([&] {
    while (transfer.server.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    transfer.interrupt = SIGTERM;
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(transfer.get(), Error);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  signal.join();
  CHECK(transfer.server.requests().size() == 1);
}

TEST_CASE("download: a part that was whole is confirmed by its last byte") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.interrupt_after_some();
  auto note = transfer.note();
  note.sources.at(0).have.add({0, size});
  write_text(transfer.target.string() + ".part.meta", part_note_text(note, "") + synced_line(100));
  write_text(transfer.target.string() + ".part", transfer.bytes);
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 206 bytes=299999-"});
}

TEST_CASE("download: a part that nobody described is not resumed") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  write_text(transfer.target.string() + ".part", package_bytes(1000, 9));
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200"});
}

TEST_CASE("download: a busy server is asked again and a lasting one named with its status") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::busy, 0, 2});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.log() == Log{"archive 503", "archive 503", "archive 200"});
  fs::remove(transfer.target);
  transfer.server.forget_requests();
  transfer.server.set_fault(cuda, {Kind::busy, 0});
  CHECK(contains(transfer.message(), "503 Service Unavailable"));
  CHECK(transfer.server.requests().size() == 5);
  CHECK(!fs::exists(transfer.target));
}

TEST_CASE("download: Retry-After is waited for") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::busy, 1, 1});
  const auto start = std::chrono::steady_clock::now();
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::seconds(1));
}

TEST_CASE("download: a web page in place of a package is refused with its title") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::page});
  CHECK(contains(transfer.message(), "Sign in"));
  CHECK(transfer.log() == Log{"archive 200"});
  CHECK(!fs::exists(transfer.target));
  CHECK(!transfer.left_over());
}

TEST_CASE("download: a page that comes when a part is there leaves the part alone") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.interrupt_after_some();
  const auto part = read_text(transfer.target.string() + ".part");
  transfer.server.set_fault(cuda, {Kind::page, 0, 1});
  CHECK(contains(transfer.message(), "Sign in"));
  CHECK(read_text(transfer.target.string() + ".part") == part);
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
}

TEST_CASE("download: a body shorter than announced is no package") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::wrong_length, 1000});
  CHECK(contains(transfer.message(), "300000 of 301000 bytes"));
  CHECK(!fs::exists(transfer.target));
  CHECK(transfer.server.requests().size() == 5);
}

TEST_CASE("download: silence ends an attempt and the next one resumes") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::stall, 50'000, 1});
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(transfer.log() == Log{"archive 200", "archive 206 bytes=50000-"});
}

TEST_CASE("download: a circle of redirects ends") {
  Transfer transfer;
  transfer.server.set_fault(cuda, {Kind::redirect_loop});
  CHECK(contains(transfer.message(), "more than 10 redirects"));
  CHECK(transfer.server.requests().size() == 11);
}

TEST_CASE("download: a redirect to a file or another protocol is not followed") {
  Transfer transfer;
  for (const std::string location : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:70/_x"}) {
    transfer.server.clear_faults();
    transfer.server.forget_requests();
    transfer.server.set_fault(cuda, {Kind::redirect_to, 0, -1, location});
    CHECK(contains(transfer.message(), location));
    CHECK(transfer.server.requests().size() == 1);
    CHECK(!fs::exists(transfer.target));
  }
}

TEST_CASE("download: a refused file is named with its status and asked for once") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::forbidden});
  CHECK(contains(transfer.message(), "403 Forbidden"));
  CHECK(transfer.server.requests().size() == 1);
}

TEST_CASE("download: unreachable hosts and unknown names are told apart") {
  Transfer transfer;
  const auto reason_of = [&](const std::string& url) -> std::string {
    try {
      download(transfer.host, url, transfer.target, {});
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  std::string closed;
  {
    const ArchiveServer gone(transfer.served);
    closed = gone.url();
  }
  CHECK(contains(reason_of(closed + "/x"), "is not reachable: connection refused"));
  CHECK(contains(reason_of("http://no-such-host.invalid/x"), "'no-such-host.invalid' is not resolved"));
  CHECK(contains(reason_of("ftp://127.0.0.1/x"), "only http, https and file"));
  const auto secret = reason_of("http://user:hunter2@" + closed.substr(7) + "/x");
  CHECK(contains(secret, closed));
  CHECK(!contains(secret, "hunter2"));
}

TEST_CASE("download: progress counts resumed bytes and ends at the total") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.interrupt_after_some();
  const auto have = transfer.note().have().size();
  transfer.server.set_fault(cuda, {Kind::slow, 400'000});
  std::vector<DownloadProgress> seen;
  CHECK(transfer.get([&](const DownloadProgress& progress) { seen.push_back(progress); }) ==
        DownloadOutcome::done);
  REQUIRE(seen.size() >= 2);
  CHECK(seen.front().received >= have);
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i].received >= seen[i - 1].received);
  CHECK(seen.back().received == size);
  CHECK(seen.back().total == size);
  CHECK(seen.back().file == cuda);
  CHECK(seen.back().rate > 0);
}

TEST_CASE("download: what a progress sink throws comes out") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  CHECK_THROWS_AS(transfer.get([](const DownloadProgress&) { throw std::runtime_error("pipe"); }),
                  std::runtime_error);
}

TEST_CASE("download: file addresses are read and missing files are not found") {
  Transfer transfer;
  const auto file = transfer.add(cuda, transfer.bytes);
  CHECK(download(transfer.host, "file://" + file.string(), transfer.target, {}) == DownloadOutcome::done);
  CHECK(transfer.whole());
  CHECK(download(transfer.host, "file://" + file.string() + ".sig", transfer.target.string() + ".sig", {}) ==
        DownloadOutcome::not_found);
}

TEST_CASE("download: a new file is readable by all whatever the umask") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  const auto old = ::umask(077);
  CHECK(transfer.get() == DownloadOutcome::done);
  ::umask(old);
  CHECK((fs::status(transfer.target).permissions() & fs::perms::mask) == fs::perms(0644));
}

TEST_CASE("download: names and passwords come from .netrc when asked, and root's own can be read") {
  Transfer transfer;
  httplib::Server guarded;
  guarded.Get(".*", [&](const httplib::Request& request, httplib::Response& response) {
    response.status = 401;
    if (!request.has_header("Authorization")) return;
    response.status = 200;
    response.set_content(request.get_header_value("Authorization"), "application/octet-stream");
  });
  const int port = guarded.bind_to_any_port("127.0.0.1");
  std::thread listening([&] { guarded.listen_after_bind(); });
  write_text(transfer.folder / "home/.netrc", "machine 127.0.0.1 login ann password secret\n");
  fs::permissions(transfer.folder / "home/.netrc", fs::perms(0600));
  fs::permissions(transfer.folder / "home", fs::perms(0700));
  transfer.host.environment["HOME"] = (transfer.folder / "home").string();
  const auto get = [&] {
    return download(transfer.host, fmt::format("http://127.0.0.1:{}/x", port), transfer.target, {});
  };
  CHECK_THROWS_AS(get(), Error);
  transfer.host.network.use_netrc = true;
  CHECK(get() == DownloadOutcome::done);
  CHECK(read_text(transfer.target) == "Basic YW5uOnNlY3JldA==");
  guarded.stop();
  listening.join();
}

TEST_CASE("download: who transfers is not root, and the files are root's all the time") {
  if (::geteuid() != 0) return;
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::slow, 1'000'000});
  bool is_seen = false;
  transfer.get([&](const DownloadProgress& progress) {
    if (progress.is_over) return;
    const auto child = trim(read_text(fmt::format("/proc/self/task/{}/children", ::gettid())));
    const auto status = read_text(fmt::format("/proc/{}/status", child));
    CHECK(!contains(status, "Uid:\t0\t"));
    CHECK(contains(status, "NoNewPrivs:\t1"));
    for (const auto* ending : {".part", ".part.meta"}) {
      struct stat info {};
      CHECK(::stat((transfer.target.string() + ending).c_str(), &info) == 0);
      CHECK(info.st_uid == 0);
      CHECK((info.st_mode & 07777) == 0644);
    }
    is_seen = true;
  });
  CHECK(is_seen);
  CHECK(transfer.whole());
}

TEST_CASE("download: what somebody can still write is not put in place") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  transfer.server.set_fault(cuda, {Kind::slow, 1'000'000});
  Fd writer;
  const auto open_it = [&](const DownloadProgress&) {
    if (!writer) writer = open_file(transfer.target.string() + ".part", O_RDWR);
  };
  CHECK_THROWS_WITH_AS(transfer.get(open_it), doctest::Contains("is still open for writing"), Error);
  CHECK(!fs::exists(transfer.target));
  writer = Fd();
  transfer.server.clear_faults();
  CHECK(transfer.get() == DownloadOutcome::done);
  CHECK(transfer.whole());
}

TEST_CASE("download: a full disk ends it with the system's reason") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  std::string message;
  const bool ran = with_mounts(
      [&] { return ::mount("tmpfs", transfer.target.parent_path().c_str(), "tmpfs", 0, "size=128k") == 0; },
      [&] { message = transfer.message(); });
  if (!ran) {
    MESSAGE("no mounts of our own here");
    return;
  }
  CHECK(contains(message, ".part': No space left on device"));
  CHECK(transfer.server.requests().size() == 1);
}

TEST_CASE("download: TLS needs a known issuer and is never left for plain http") {
  Transfer transfer;
  transfer.add(cuda, transfer.bytes);
  const auto certificate = transfer.folder / "certificate.pem";
  REQUIRE(run_child({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
                     "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificate, "-out",
                     transfer.folder / "public.pem"})
              .status == 0);
  write_text(certificate, read_text(certificate) + read_text(transfer.folder / "public.pem"));
  httplib::SSLServer secure(certificate.c_str(), certificate.c_str());
  REQUIRE(secure.is_valid());
  secure.Get(".*", [&](const httplib::Request&, httplib::Response& response) {
    response.set_redirect(transfer.url());
  });
  const int port = secure.bind_to_any_port("127.0.0.1");
  std::thread listening([&] { secure.listen_after_bind(); });
  const auto message = [&] {
    try {
      download(transfer.host, fmt::format("https://127.0.0.1:{}/x", port), transfer.target, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(contains(message(), "the TLS certificate of '127.0.0.1"));
  // A file that only its owner may read, as keys are.
  transfer.host.environment["SSL_CERT_FILE"] = certificate;
  CHECK(contains(message(), "redirects to 'http://127.0.0.1"));
  secure.stop();
  listening.join();
  CHECK(transfer.server.requests().empty());
}

}  // namespace cudapin
