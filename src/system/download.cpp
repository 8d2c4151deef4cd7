// SPDX-License-Identifier: GPL-3.0-or-later
// A package that the archive has moved comes after two redirects from a machine that is slow for each
// connection, cuts connections and gives neither ETag nor Last-Modified. So a cut is the ordinary case here:
// what has come is journalled as it comes, every request asks for a part that is not here yet, and only
// requests that bring nothing new count against a server. Which part comes next is decided in
// core/segments, what an answer means in core/reply, how a server is treated in core/courtesy. All of that
// happens in an unprivileged process, which is given the parts open; we put those that it has found good in
// place.
#include "system/download.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/file_download.hpp"
#include "system/transfer.hpp"
#include "system/unprivileged.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <list>
#include <ostream>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DownloadProgress, file, received, total, rate, is_over, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Refusal, url, text, is_missing, is_unreachable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DownloadResult, outcome, refusals)

namespace {

constexpr auto longest_wait = 20ms;
constexpr auto report_every = 100ms;

/// Tells the sink of each file ten times a second.
class Reporter {
 public:
  explicit Reporter(ProgressSink sink) : sink_(std::move(sink)) {}

  void report(const std::list<FileDownload>& files) {
    const std::chrono::duration<double> passed = Clock::now() - last_;
    if (!sink_ || passed < report_every) return;
    last_ = Clock::now();
    states_.resize(files.size());
    auto state = states_.begin();
    for (const auto& file : files) tell(file, *state++, passed.count());
  }

  /// What was not told yet.
  void finish(const std::list<FileDownload>& files) {
    if (!sink_) return;
    last_ -= 1s;
    report(files);
  }

 private:
  struct State {
    DownloadProgress progress;
    bool is_told = false;
  };

  void tell(const FileDownload& file, State& state, double seconds) {
    auto& progress = state.progress;
    if (progress.is_over || (file.active() == 0 && file.received() == 0 && !file.is_over())) return;
    const auto before = state.is_told ? progress.received : file.received_before();
    const auto gain = file.received() > before ? file.received() - before : 0;
    const auto rate = static_cast<double>(gain) / std::max(seconds, 0.001);
    progress.rate = progress.rate > 0 ? 0.8 * progress.rate + 0.2 * rate : rate;
    progress.file = file.target().filename().string();
    progress.received = file.received();
    progress.total = file.total();
    progress.is_over = file.is_over();
    state.is_told = true;
    if (!progress.is_over || file.result().outcome == DownloadOutcome::done) sink_(progress);
  }

  ProgressSink sink_;
  Clock::time_point last_ = Clock::now();
  std::vector<State> states_;
};

/// Holds all transfers together to a rate. Each gets an even share, but takes as much as a second's in one
/// go, however short it is; so nothing is read while more has come than may have.
class RateLimit {
 public:
  explicit RateLimit(std::uint64_t limit) : limit_(limit) {}

  /// Whether it is time to go on, after a short wait where it is not.
  bool allows(std::list<FileDownload>& files) const {
    if (limit_ == 0) return true;
    std::size_t active = 0;
    std::uint64_t received = 0;
    for (const auto& file : files) {
      active += file.active();
      received += file.received() - std::min(file.received(), file.received_before());
    }
    for (auto& file : files)
      file.limit_rate(std::max<std::uint64_t>(1, limit_ / std::max<std::size_t>(1, active)));
    const std::chrono::duration<double> due(static_cast<double>(received) / static_cast<double>(limit_));
    const auto early = due - (Clock::now() - start_);
    if (early.count() <= 0) return true;
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(early, longest_wait));
    return false;
  }

 private:
  std::uint64_t limit_;
  Clock::time_point start_ = Clock::now();
};

void start_requests(std::list<FileDownload>& files) {
  const auto now = Clock::now();
  for (auto& file : files)
    while (file.start_one(now)) {
    }
}

void stop_if_interrupted(const Host& host, const std::list<FileDownload>& files) {
  if (!host.interrupted()) return;
  std::uint64_t kept = 0;
  for (const auto& file : files)
    if (!file.is_over()) kept += file.received();
  if (kept == 0) host.check_interrupt();
  throw Error(tr("interrupted; {} of what is not whole yet are kept", human_size(kept)),
              tr_text("run the same command again to go on"), ExitStatus::interrupted);
}

/// Until all files are over.
std::vector<DownloadResult> transfer(DownloadContext& context, std::list<FileDownload>& files,
                                     bool is_reported) {
  Reporter reporter(is_reported ? context.sink : ProgressSink{});
  const RateLimit limit(context.host.network.limit_rate);
  for (;;) {
    stop_if_interrupted(context.host, files);
    for (auto& file : files) file.tend(Clock::now());
    if (std::ranges::all_of(files, &FileDownload::is_over)) break;
    start_requests(files);
    reporter.report(files);
    if (!limit.allows(files)) continue;
    const bool is_ending = std::ranges::any_of(files, &FileDownload::is_ending);
    context.requests.go_on(is_ending ? 1ms : longest_wait, [&](Request& request, const RequestEnd& end) {
      (void)std::ranges::any_of(files, [&](auto& file) { return file.take_end(request, end); });
      start_requests(files);
    });
  }
  reporter.finish(files);
  std::vector<DownloadResult> results;
  for (const auto& file : files) results.push_back(file.result());
  return results;
}

/// One call: the files, and their parts.
class Batch {
 public:
  Batch(const Host& host, std::span<const DownloadJob> jobs) : jobs_(jobs), provisions_(host) {
    for (const auto& job : jobs) parts_.emplace_back(host, job.target);
    for (const auto& part : parts_) std::ranges::copy(part.files(), std::back_inserter(provisions_.files));
  }

  std::vector<DownloadResult> run(const ProgressSink& sink, int attempts) {
    const auto results = run_unprivileged(
        provisions_.host, provisions_.files,
        [&](const Host& host, const Tell& tell) -> Message { return work(host, tell, bool(sink), attempts); },
        [&](const Message& told) { take(told, sink); });
    return results.get<std::vector<DownloadResult>>();
  }

 private:
  std::vector<DownloadResult> work(const Host& host, const Tell& tell, bool is_reported, int attempts) {
    Requests requests;
    const auto connections = host.network.connections ? host.network.connections : default_connections;
    DownloadContext context{host,
                            requests,
                            [&](const DownloadProgress& progress) {
                              tell({{"progress", progress}});
                            },
                            [&](const DownloadJob& job) {
                              tell({{"done", &job - jobs_.data()}});
                            },
                            attempts,
                            connections,
                            patience_of(host) * 1000ms};
    std::list<FileDownload> files;
    for (std::size_t i = 0; i < jobs_.size(); ++i) files.emplace_back(context, jobs_[i], parts_[i]);
    return transfer(context, files, is_reported);
  }

  void take(const Message& told, const ProgressSink& sink) {
    if (told.contains("done")) return parts_.at(told["done"].get<std::size_t>()).publish();
    const auto progress = told.at("progress").get<DownloadProgress>();
    if (sink)
      sink(progress);
    else if (provisions_.host.err)
      *provisions_.host.err << tr("warning: {}\n", printable(progress.note));
  }

  std::span<const DownloadJob> jobs_;
  Provisions provisions_;
  std::deque<PartFile> parts_;
};

/// Two for each, beside what everybody needs.
void allow_open_files(std::size_t files) {
  rlimit limit{};
  const auto wanted = 2 * files + 256;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::vector<DownloadResult> download(const Host& host, std::span<const DownloadJob> jobs,
                                     const ProgressSink& sink, int attempts) {
  if (std::ranges::all_of(jobs, [](const DownloadJob& job) { return job.urls.empty(); }))
    return std::vector<DownloadResult>(jobs.size(), {DownloadOutcome::not_found});
  allow_open_files(jobs.size());
  return Batch(host, jobs).run(sink, attempts);
}

DownloadOutcome download(const Host& host, const std::string& url, const fs::path& target,
                         const ProgressSink& sink, int attempts) {
  const DownloadJob job{{url}, target};
  const auto result = download(host, std::span(&job, 1), sink, attempts)[0];
  if (result.outcome != DownloadOutcome::failed) return result.outcome;
  const auto& refusal = result.refusals.at(0);
  const auto message = tr("cannot download '{}': {}", shown_url(url), refusal.text);
  if (refusal.is_unreachable) throw NoAnswer(message);
  throw Error(message);
}

}  // namespace cudapin
