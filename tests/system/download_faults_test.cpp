// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong with large files, several servers and several connections.
#include "core/part_note.hpp"
#include "support/archive_fixture.hpp"
#include "system/download.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

using Kind = Fault::Kind;

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
constexpr std::size_t mib = 1 << 20;

/// Two archives with the same 24 MiB file, of known length and SHA-256.
struct Lines : ArchiveFixture {
  Lines() : second(served) {
    fs::create_directories(target.parent_path());
    add(cuda, bytes);
    host.err = &said;
    host.environment["CUDAPIN_TIMEOUT"] = "3";
  }
  std::string url() const { return server.url() + "/packages/c/cuda/" + cuda; }
  std::string second_url() const { return second.url() + "/packages/c/cuda/" + cuda; }
  DownloadJob job(std::vector<std::string> urls) const { return {urls, target, bytes.size(), sum}; }
  DownloadResult get(const DownloadJob& job, const ProgressSink& sink = {}) const {
    return download(host, std::span(&job, 1), sink)[0];
  }
  DownloadResult get_both() const { return get(job({url(), second_url()})); }
  bool whole() const {
    return fs::exists(target) && read_text(target) == bytes && !fs::exists(target.string() + ".part") &&
           !fs::exists(target.string() + ".part.meta");
  }
  std::string part_note() const { return read_text(target.string() + ".part.meta"); }
  /// How much a server's answers come to.
  static std::uint64_t asked_of(const ArchiveServer& from) {
    std::uint64_t bytes = 0;
    for (const auto& request : from.requests()) {
      if (request.status != 206) continue;
      unsigned long long first = 0, last = 8 * mib - 1;
      std::sscanf(request.range.c_str(), "bytes=%llu-%llu", &first, &last);
      bytes += last - first + 1;
    }
    return bytes;
  }

  static const std::string& content() {
    static const auto bytes = package_bytes(8 * mib);
    return bytes;
  }
  const std::string& bytes = content();
  const std::string sum = sha256_text(bytes);
  const fs::path target = folder / "store" / cuda;
  mutable std::ostringstream said;
  ArchiveServer second;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// Runs `act` in a thread with mounts of its own; false where that is not allowed.
template <class Act>
bool with_disk_of(const fs::path& folder, const std::string& size, Act act) {
  bool allowed = false;
  std::thread([&] {
    allowed = ::unshare(CLONE_NEWNS) == 0 &&
              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    if (allowed) act();
  }).join();
  return allowed;
}

}  // namespace

TEST_CASE("download faults: a large file comes in parts over several connections and no byte twice") {
  Lines lines;
  CHECK((lines.get(lines.job({lines.url()})).outcome == DownloadOutcome::done));
  CHECK(lines.whole());
  CHECK(lines.server.requests().size() > 4);
  CHECK(Lines::asked_of(lines.server) == lines.bytes.size());
}

TEST_CASE("download faults: two archives share a file and the faster one carries more") {
  Lines lines;
  lines.server.set_fault(cuda, {Kind::slow, mib});
  lines.second.set_fault(cuda, {Kind::slow, 4 * mib});
  CHECK((lines.get_both().outcome == DownloadOutcome::done));
  CHECK(lines.whole());
  CHECK(lines.server.requests().size() > 0);
  CHECK(Lines::asked_of(lines.second) > Lines::asked_of(lines.server));
}

TEST_CASE("download faults: several files come at once") {
  Lines lines;
  const std::string other = "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst";
  lines.add(other, lines.bytes);
  const auto target = lines.folder / "store" / other;
  const DownloadJob jobs[] = {lines.job({lines.url()}),
                              {{lines.server.url() + "/packages/c/cudnn/" + other}, target, 0, ""}};
  for (const auto& result : download(lines.host, jobs, {})) CHECK((result.outcome == DownloadOutcome::done));
  CHECK(lines.whole());
  CHECK(read_text(target) == lines.bytes);
}

TEST_CASE("download faults: a refusal while the archive serves another file is no failure") {
  Lines lines;
  const std::string other = "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst";
  lines.add(other, lines.bytes);
  lines.server.set_fault(cuda, {Kind::slow, 4 * mib});
  lines.server.set_fault(other, {Kind::busy, 0, 1});
  const DownloadJob jobs[] = {
      lines.job({lines.url()}),
      {{lines.server.url() + "/packages/c/cudnn/" + other}, lines.folder / "store" / other}};
  for (const auto& result : download(lines.host, jobs, {}, 1))
    CHECK((result.outcome == DownloadOutcome::done));
}

TEST_CASE("download faults: an archive that goes wrong is left and the other one serves the rest") {
  const Fault faults[] = {{Kind::cut, mib},
                          {Kind::stall, mib},
                          {Kind::status, 404},
                          {Kind::status, 403},
                          {Kind::status, 416},
                          {Kind::status, 429},
                          {Kind::status, 500},
                          {Kind::status, 503},
                          {Kind::busy, 60},
                          {Kind::no_ranges},
                          {Kind::wrong_length, 1000},
                          {Kind::shifted_range},
                          {Kind::changing_etag},
                          {Kind::chunked},
                          {Kind::redirect_loop},
                          {Kind::redirect_to, 0, -1, "file:///etc/passwd"},
                          {Kind::page}};
  for (const auto& fault : faults) {
    Lines lines;
    lines.server.set_fault(cuda, fault);
    CAPTURE(static_cast<int>(fault.kind));
    CAPTURE(fault.amount);
    const auto result = lines.get_both();
    CHECK((result.outcome == DownloadOutcome::done));
    CHECK(lines.whole());
    CHECK(lines.server.requests().size() >= 1);
  }
}

TEST_CASE("download faults: what a silent connection was to bring comes over another one before it is left") {
  for (const std::uint64_t amount : {0u, 100'000u}) {
    Lines lines;
    lines.host.environment["CUDAPIN_TIMEOUT"] = "60";
    lines.server.set_fault(cuda, {Kind::stall, amount});
    const auto result = lines.get_both();
    CHECK((result.outcome == DownloadOutcome::done));
    CHECK(lines.whole());
    CHECK(result.refusals.empty());
    CHECK(lines.server.requests().size() <= 4);
    CHECK(lines.second.requests().size() > 4);
  }
}

TEST_CASE("download faults: an archive that falls silent is asked again with one connection") {
  Lines lines;
  lines.host.environment["CUDAPIN_TIMEOUT"] = "1";
  lines.server.set_fault(cuda, {Kind::stall, 100'000, 4});
  lines.server.set_fault(cuda, {Kind::stall, 0});
  lines.second.set_fault(cuda, {Kind::slow, mib / 2});
  const auto result = lines.get_both();
  CHECK((result.outcome == DownloadOutcome::done));
  CHECK(lines.whole());
  CHECK(lines.server.requests().size() == 5);
  CHECK(result.refusals.size() == 1);
}

TEST_CASE("download faults: one archive alone that cuts or stalls or shifts ends well") {
  for (const auto& fault :
       {Fault{Kind::cut, mib, 4}, Fault{Kind::stall, mib, 1}, Fault{Kind::shifted_range, 0, 1},
        Fault{Kind::no_ranges}, Fault{Kind::chunked}, Fault{Kind::status, 500, 2},
        Fault{Kind::status, 429, 2}, Fault{Kind::status, 416, 1}, Fault{Kind::changing_etag, 0, 1}}) {
    Lines lines;
    lines.host.environment["CUDAPIN_TIMEOUT"] = "1";
    lines.server.set_fault(cuda, fault);
    CAPTURE(static_cast<int>(fault.kind));
    CAPTURE(fault.amount);
    const auto result = lines.get(lines.job({lines.url()}));
    for (const auto& refusal : result.refusals) CAPTURE(refusal.text);
    CHECK((result.outcome == DownloadOutcome::done));
    CHECK(lines.whole());
  }
}

TEST_CASE("download faults: wrong bytes are dropped and the archive that sent them is named") {
  Lines lines;
  lines.server.set_fault(cuda, {Kind::flip, mib});
  CHECK((lines.get_both().outcome == DownloadOutcome::done));
  CHECK(lines.whole());
  fs::remove(lines.target);
  const auto alone = lines.get(lines.job({lines.url()}));
  CHECK((alone.outcome == DownloadOutcome::failed));
  REQUIRE(alone.refusals.size() == 1);
  CHECK(contains(alone.refusals[0].text, "'" + lines.server.url().substr(7) + "' sent a file with SHA-256"));
  CHECK(contains(alone.refusals[0].text, "instead of " + lines.sum));
  CHECK(!fs::exists(lines.target));
  CHECK(!fs::exists(lines.target.string() + ".part"));
}

TEST_CASE("download faults: an archive with a file of another length is left alone") {
  Lines lines;
  auto job = lines.job({lines.url()});
  job.size += 1;
  const auto result = lines.get(job);
  CHECK((result.outcome == DownloadOutcome::failed));
  REQUIRE(result.refusals.size() == 1);
  CHECK(contains(result.refusals[0].text,
                 "has another file of that name, of 8388608 bytes instead of 8388609"));
}

TEST_CASE("download faults: a kill leaves what has come and the next one fetches only the rest") {
  Lines lines;
  lines.server.set_fault(cuda, {Kind::slow, mib});
  const auto child = ::fork();
  if (child == 0) {
    auto host = lines.host;
    const auto job = lines.job({lines.url()});
    download(host, std::span(&job, 1), {});
    ::_exit(0);
  }
  std::this_thread::sleep_for(700ms);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  REQUIRE(!fs::exists(lines.target));
  const auto boot = read_text("/proc/sys/kernel/random/boot_id");
  const auto have = parse_part_note(lines.part_note(), boot.substr(0, boot.find('\n'))).have().size();
  REQUIRE(have > mib);
  lines.server.clear_faults();
  lines.server.forget_requests();
  CHECK((lines.get(lines.job({lines.url()})).outcome == DownloadOutcome::done));
  CHECK(lines.whole());
  CHECK(Lines::asked_of(lines.server) == lines.bytes.size() - have);
}

TEST_CASE("download faults: what changed on the server since is fetched from its start and told") {
  Lines lines;
  lines.server.set_fault(cuda, {Kind::slow, mib});
  const DownloadJob job{{lines.url()}, lines.target};
  CHECK_THROWS(lines.get(job, [&](const DownloadProgress& progress) {
    if (progress.received > mib) lines.interrupt = SIGINT;
  }));
  lines.interrupt = 0;
  lines.server.clear_faults();
  const auto changed = package_bytes(7 * mib, 5);
  lines.add(cuda, changed);
  CHECK((lines.get(job).outcome == DownloadOutcome::done));
  CHECK(read_text(lines.target) == changed);
  CHECK(contains(lines.said.str(), "has changed on"));
}

TEST_CASE("download faults: an interrupt tells what is kept and how to go on") {
  Lines lines;
  lines.server.set_fault(cuda, {Kind::slow, mib});
  std::string message, hint;
  try {
    lines.get(lines.job({lines.url()}), [&](const DownloadProgress& progress) {
      if (progress.received > mib) lines.interrupt = SIGINT;
    });
  } catch (const Error& error) {
    message = error.what();
    hint = error.hint;
    CHECK((error.status == ExitStatus::interrupted));
  }
  CHECK(message.starts_with("interrupted; "));
  CHECK(hint == "run the same command again to go on");
}

TEST_CASE(
    "download faults: a disk that is full at the start or half way or at the end is told and kept clean") {
  Lines lines;
  const auto message_with = [&](const std::string& size, const DownloadJob& job) {
    std::string message;
    bool has_target = true;
    const bool ran = with_disk_of(lines.target.parent_path(), size, [&] {
      try {
        lines.get(job);
      } catch (const Error& error) {
        message = error.what();
      }
      has_target = fs::exists(lines.target);
    });
    if (!ran) MESSAGE("no mounts of our own here");
    CHECK((!ran || !has_target));
    return ran ? message : "No space left on device";
  };
  CHECK(contains(message_with("1m", lines.job({lines.url()})), "No space left on device"));
  CHECK(lines.server.requests().size() <= 1);  // before anything has come
  lines.server.set_fault(cuda, {Kind::chunked});
  const DownloadJob unknown{{lines.url()}, lines.target};
  CHECK(contains(message_with("4m", unknown), "No space left on device"));
  CHECK(contains(message_with("8m", unknown), "No space left on device"));
}

TEST_CASE("download faults: a proxy that is down and a name that is none are named") {
  Lines lines;
  const auto reason = [&](const std::string& url) {
    const auto result = lines.get({{url}, lines.target});
    CHECK((result.outcome == DownloadOutcome::failed));
    CHECK(result.refusals.at(0).is_unreachable);
    return result.refusals.at(0).text;
  };
  CHECK(contains(reason("http://no-such-host.invalid/x"), "'no-such-host.invalid' is not resolved"));
  lines.host.environment["http_proxy"] = "http://127.0.0.1:1";
  CHECK(contains(reason(lines.url()), "the proxy 'http://127.0.0.1:1' is not reachable"));
  lines.host.environment["http_proxy"] = "http://no-such-proxy.invalid:1";
  CHECK(contains(reason(lines.url()), "proxy 'http://no-such-proxy.invalid:1' is not resolved"));
  lines.host.environment["no_proxy"] = "127.0.0.1";
  CHECK((lines.get({{lines.url()}, lines.target}).outcome == DownloadOutcome::done));
}

TEST_CASE("download faults: a rate limit holds for all transfers together") {
  Lines lines;
  lines.host.network.limit_rate = 4 * mib;
  const auto start = std::chrono::steady_clock::now();
  CHECK((lines.get(lines.job({lines.url()})).outcome == DownloadOutcome::done));
  CHECK(std::chrono::steady_clock::now() - start > 1s);
}

}  // namespace cudapin
