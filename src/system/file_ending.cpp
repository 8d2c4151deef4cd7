// SPDX-License-Identifier: GPL-3.0-or-later
// How requests end, and how the file does.
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/file_download.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t fruit = 64 << 10;  // bytes that make an attempt worth another one
constexpr int most_attempts_beside_others = 2;
constexpr auto longest_delay = 30s;

}  // namespace

bool FileDownload::take_end(Request& request, const RequestEnd& end) {
  const auto found =
      std::ranges::find_if(lanes_, [&](const Lane& lane) { return lane.request.get() == &request; });
  if (found == lanes_.end())
    return dropped_.remove_if([&](const Lane& lane) { return lane.request.get() == &request; }) > 0;
  if (found->body == Lane::Body::none && end.kind == RequestEnd::Kind::whole) judge(*found, {});
  judge_end(*found, end);
  release(*found);
  lanes_.erase(found);
  return true;
}

/// Its work is left to others, but what it brought is kept.
void FileDownload::release(Lane& lane) {
  auto& mirror = mirrors_[lane.mirror];
  record(lane);
  segments_.release(lane.id);
  --mirror.active;
  const bool answered = lane.body != Lane::Body::none && lane.meaning != Meaning::busy;
  context_.server(mirror.server)
      .ended(answered, lane.bytes, duration_cast<milliseconds>(lane.heard - lane.started));
}

void FileDownload::cancel_others(const Lane* but) {
  for (auto next = lanes_.begin(); next != lanes_.end();) {
    const auto lane = next++;
    if (&*lane == but) continue;
    release(*lane);
    lane->body = Lane::Body::dropped;
    dropped_.splice(dropped_.end(), lanes_, lane);
  }
}

void FileDownload::end_dropped() {
  for (auto& lane : dropped_) context_.requests.remove(*lane.request);
  dropped_.clear();
}

std::string FileDownload::got_text() const {
  return total() ? tr("{} of {} bytes", received(), total()) : tr("{} bytes", received());
}

void FileDownload::judge_end(Lane& lane, const RequestEnd& end) {
  auto& mirror = mirrors_[lane.mirror];
  if (end.kind == RequestEnd::Kind::failed && lane.body != Lane::Body::page) return judge_failure(lane, end);
  if (mirror.is_out) return;
  if (lane.body != Lane::Body::content) return judge_refusal(lane);
  if (end.kind == RequestEnd::Kind::whole && lane.bytes == 0)
    return give_up(mirror, tr("'{}' sent nothing", host_of(lane.request->at())));
  mirror.fruitless = 0;
  if (end.kind == RequestEnd::Kind::whole && segments_.size() == Segments::unknown)
    segments_.set_size(segments_.work_of(lane.id).first);
}

void FileDownload::judge_failure(Lane& lane, const RequestEnd& end) {
  auto& mirror = mirrors_[lane.mirror];
  if (lane.bytes > 0 && end.is_transient) context_.server(mirror.server).cut();
  if (end.is_missing) mirror.is_missing = true;
  record(lane);
  fail(mirror, lane.request->problem(end, got_text()), end.is_transient || lane.from_resolved,
       end.is_unreachable);
}

/// An answer that was not the file.
void FileDownload::judge_refusal(Lane& lane) {
  auto& mirror = mirrors_[lane.mirror];
  const auto server = host_of(lane.request->at());
  const auto status = tr("'{}' answered {}", server, lane.request->response().status_text());
  const auto wait = duration_cast<milliseconds>(lane.request->retry_after());
  switch (lane.meaning) {
    case Meaning::not_found:
      mirror.is_missing = !lane.from_resolved;
      return fail(mirror, tr("'{}' does not have it", server), lane.from_resolved, false);
    case Meaning::busy:
      context_.server(mirror.server).busy(Clock::now(), wait, lane.others);
      return context_.server(mirror.server).active() > 1 ? void() : fail(mirror, status, true, false, wait);
    case Meaning::failing:
      return fail(mirror, status, true, false, wait);
    case Meaning::no_such_range:
      if (mirror.is_known) forget(mirror.source);
      return fail(mirror, status, true, false);
    case Meaning::wrong_range:
      mirror.has_ranges = false;
      return fail(mirror, tr("'{}' sends another part than the one asked for", server), true, false);
    case Meaning::other_file:
      return fail(mirror, tr("'{}' sends the rest of another file", server), true, false);
    case Meaning::web_page: {
      const auto title = title_of(lane.page);
      return give_up(mirror, tr("'{}' answered with a web page{} instead of the file", server,
                                title.empty() ? "" : fmt::format(" ('{}')", title)));
    }
    case Meaning::refused:
      return fail(mirror, status, lane.from_resolved, false);
    default:
      return;  // whole: one of its streams is on the way, or others have parts
  }
}

/// Attempts that brought something do not count, nor do those whose server goes on serving others.
void FileDownload::fail(Mirror& mirror, const std::string& reason, bool is_transient, bool is_unreachable,
                        milliseconds wait) {
  const auto now = Clock::now();
  const auto least_delay = context_.patience / 60;
  mirror.resolved.clear();
  mirror.reason = reason;
  mirror.is_unreachable = is_unreachable;
  if (!is_transient) {
    if (is_unreachable && !mirror.is_missing) context_.silent.emplace(mirror.server, reason);
    return give_up(mirror, reason);
  }
  if (mirror.active > 1) return;
  const auto have = mirror.is_known ? part_.note().sources[mirror.source].have.size() : 0;
  const bool is_fruitful = have >= mirror.furthest + fruit;
  mirror.furthest = std::max(mirror.furthest, have);
  if (is_fruitful) {
    mirror.fruitless = 0;
    mirror.delay = least_delay;
  }
  const bool has_others = std::ranges::any_of(
      mirrors_, [&](const Mirror& other) { return &other != &mirror && is_usable(other); });
  const auto most = has_others ? std::min(most_attempts_beside_others, context_.attempts) : context_.attempts;
  if (++mirror.fruitless >= most) return give_up(mirror, reason);
  mirror.delay = std::clamp<milliseconds>(mirror.delay, least_delay, longest_delay);
  mirror.earliest = now + std::max(is_fruitful ? 0ms : mirror.delay, wait);
  if (!is_fruitful) mirror.delay *= 2;
}

void FileDownload::give_up(Mirror& mirror, const std::string& reason) {
  mirror.is_out = true;
  mirror.reason = reason;
}

void FileDownload::tend(Moment now) {
  end_dropped();
  if (state_ == State::verifying) verify();
  if (state_ == State::finishing && finishing_.wait_for(0s) == std::future_status::ready) {
    finishing_.get();
    context_.done(job_);
    end(DownloadOutcome::done);
  }
  if (state_ != State::running) return;
  part_.sync_sometimes();
  leave_silent(now);
  if (segments_.is_complete()) {
    cancel_others(nullptr);
    state_ = State::verifying;
    if (!job_.sha256.empty() && !hash_) hash_ = std::make_unique<RunningHash>(part_.fd());
    return verify();
  }
  if (!lanes_.empty() || std::ranges::any_of(mirrors_, [&](const auto& m) { return is_usable(m); })) return;
  const bool is_missing = std::ranges::all_of(mirrors_, [](const auto& mirror) { return mirror.is_missing; });
  end(is_missing ? DownloadOutcome::not_found : DownloadOutcome::failed);
}

/// Whether one of its connections, or of all, has brought something just now.
bool FileDownload::is_heard(const Mirror* mirror, Moment now) const {
  const auto just_now = std::min<milliseconds>(1s, context_.patience / 2);
  return std::ranges::any_of(lanes_, [&](const Lane& lane) {
    return (!mirror || &mirrors_[lane.mirror] == mirror) && lane.bytes > 0 && now - lane.heard < just_now;
  });
}

/// A connection that brings nothing is left where others bring something, or another server may be asked. A
/// server of which nothing is heard at all is asked with one connection before it gets more.
void FileDownload::leave_silent(Moment now) {
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    auto& mirror = mirrors_[lane->mirror];
    const auto patience =
        std::min(context_.server(mirror.server).patience(lane->body != Lane::Body::none), context_.patience);
    const bool has_way_out =
        is_heard(nullptr, now) || std::ranges::any_of(mirrors_, [&](const Mirror& other) {
          return &other != &mirror && other.active == 0 && may_use(other, now);
        });
    if (now - lane->heard < patience || !has_way_out) {
      ++lane;
      continue;
    }
    context_.requests.remove(*lane->request);
    mirror.is_proven = mirror.is_proven && is_heard(&mirror, now);
    record(*lane);
    fail(mirror,
         tr("'{}' sent nothing for {} seconds after {}", host_of(lane->request->at()),
            duration_cast<std::chrono::seconds>(patience).count(), got_text()),
         true, true);
    release(*lane);
    lane = lanes_.erase(lane);
  }
}

void FileDownload::verify() {
  if (job_.sha256.empty()) return finish();
  hash_->follow(segments_.have().front());
  const auto sum = hash_->result(segments_.size());
  if (!sum) return;
  if (*sum == job_.sha256) return finish();
  blame(*sum);
}

/// A file that came from one server convicts it. Of several the one that brought least is set aside, and its
/// bytes come from the others.
void FileDownload::blame(const std::string& sum) {
  state_ = State::running;
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < part_.note().sources.size(); ++i)
    if (!part_.note().sources[i].have.empty()) sources.push_back(i);
  const auto least = *std::ranges::min_element(
      sources, {}, [&](std::size_t i) { return part_.note().sources[i].have.size(); });
  const auto guilty = std::ranges::find_if(
      mirrors_, [&](const Mirror& mirror) { return mirror.is_known && mirror.source == least; });
  const auto server = host_of(part_.note().sources[least].url);
  const auto file = job_.target.filename().string();
  forget(least);
  if (guilty == mirrors_.end()) return tell(tr("what was here of '{}' is damaged", file));
  const auto reason = tr("'{}' sent a file with SHA-256 {} instead of {}", server, sum, job_.sha256);
  if (sources.size() == 1 || ++wrong_sums_ > static_cast<int>(2 * mirrors_.size())) {
    give_up(*guilty, reason);
    for (auto& mirror : mirrors_) mirror.is_suspected = false;
  } else {
    guilty->is_suspected = true;
  }
  tell(tr("the SHA-256 of '{}' is wrong; what came from '{}' is dropped", file, server));
}

void FileDownload::forget(std::size_t source) {
  segments_.drop(part_.note().sources[source].have);
  part_.drop(source);
  if (hash_) hash_->restart();
}

/// Other files go on while this one reaches the disk.
void FileDownload::finish() {
  state_ = State::finishing;
  hash_.reset();
  finishing_ = std::async(std::launch::async, [this] { part_.settle(); });
}

void FileDownload::end(DownloadOutcome outcome) {
  state_ = State::over;
  result_.outcome = outcome;
  for (const auto& mirror : mirrors_)
    if (mirror.is_out)
      result_.refusals.push_back({mirror.url, mirror.reason, mirror.is_missing, mirror.is_unreachable});
}

}  // namespace cudapin
