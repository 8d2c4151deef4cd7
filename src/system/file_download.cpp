// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/file_download.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <exception>
#include <ostream>

namespace cudapin {

namespace {

using std::chrono::milliseconds;

std::uint64_t start_size(const DownloadJob& job, const PartNote& note) {
  if (job.size > 0) return job.size;
  return note.total > 0 ? note.total : Segments::unknown;
}

}  // namespace

Courtesy& DownloadContext::server(const std::string& name) {
  return servers.try_emplace(name, connections).first->second;
}

FileDownload::FileDownload(DownloadContext& context, const DownloadJob& job, PartFile& part)
    : context_(context),
      job_(job),
      part_(part),
      segments_(start_size(job, part_.note()), part_.note().have()) {
  for (const auto& url : job.urls) {
    Mirror mirror{.url = url, .server = host_of(url)};
    mirror.has_ranges = scheme_of(url) != "file";
    const auto& sources = part_.note().sources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].url != shown_url(url) || sources[i].have.empty()) continue;
      mirror.source = i;
      mirror.validator = sources[i].validator;
      mirror.is_known = true;
      mirror.furthest = sources[i].have.size();
    }
    mirrors_.push_back(std::move(mirror));
  }
  if (job.size > 0 && part_.note().total > 0 && part_.note().total != job.size) {
    tell(tr("what is here of '{}' belongs to another file", job.target.filename().string()));
    start_afresh(job.size);
  }
  // A part that is whole and of no known sum is confirmed by its last byte.
  if (segments_.is_complete() && job.sha256.empty()) {
    RangeSet last;
    last.add({segments_.size() - 1, segments_.size()});
    segments_.drop(last);
  }
  before_ = received();
}

FileDownload::~FileDownload() {
  end_dropped();
  for (auto& lane : lanes_) {
    context_.requests.remove(*lane.request);
    try {
      record(lane);
    } catch (const std::exception&) {
      continue;  // a full disk, of which the caller knows
    }
  }
}

bool FileDownload::is_usable(const Mirror& mirror) const { return !mirror.is_out && !mirror.is_suspected; }

bool FileDownload::may_use(const Mirror& mirror, Moment now) {
  return is_usable(mirror) && now >= mirror.earliest && (mirror.is_proven || mirror.active == 0) &&
         context_.server(mirror.server).may_ask(now);
}

bool FileDownload::has_other_ranges(const Mirror& mirror) const {
  return std::ranges::any_of(mirrors_, [&](const Mirror& other) {
    return &other != &mirror && is_usable(other) && other.has_ranges && other.is_proven;
  });
}

bool FileDownload::start_one(Moment now) {
  if (state_ != State::running || segments_.is_complete()) return false;
  for (auto& mirror : mirrors_)
    if (const auto silent = context_.silent.find(mirror.server);
        is_usable(mirror) && silent != context_.silent.end() && mirror.active == 0) {
      mirror.is_unreachable = true;
      give_up(mirror, silent->second);
    }
  return start_whole(now) || start_part(now, false) || start_part(now, true);
}

/// Where the length is not known yet, or the server gives no parts.
bool FileDownload::start_whole(Moment now) {
  if (!lanes_.empty()) return false;
  const bool is_new = segments_.size() == Segments::unknown && segments_.have().empty();
  for (auto& mirror : mirrors_) {
    if (!may_use(mirror, now) || (mirror.has_ranges && !is_new)) continue;
    if (!mirror.has_ranges && has_other_ranges(mirror)) continue;
    Lane lane{.id = next_id_++, .mirror = static_cast<std::size_t>(&mirror - mirrors_.data())};
    lane.is_whole = true;
    send(std::move(lane), now);
    return true;
  }
  return false;
}

bool FileDownload::start_part(Moment now, bool by_stealing) {
  if (segments_.size() == Segments::unknown && (segments_.have().empty() || !lanes_.empty())) return false;
  Mirror* best = nullptr;
  const auto rank = [&](const Mirror& mirror) {
    return std::pair(mirror.is_proven, context_.server(mirror.server).pace().rate);
  };
  for (auto& mirror : mirrors_)
    if (may_use(mirror, now) && mirror.has_ranges && (!best || rank(mirror) > rank(*best))) best = &mirror;
  if (!best) return false;
  Lane lane{.id = next_id_++, .mirror = static_cast<std::size_t>(best - mirrors_.data())};
  if (!give_work(lane, now, by_stealing)) return false;
  send(std::move(lane), now);
  return true;
}

/// A server that may not answer soon gets what is needed last: the sum follows from the start.
bool FileDownload::give_work(Lane& lane, Moment now, bool by_stealing) {
  const auto& mirror = mirrors_[lane.mirror];
  const auto& courtesy = context_.server(mirror.server);
  std::optional<Range> work;
  if (by_stealing) {
    if (const auto* victim = slowest(now))
      work = segments_.steal(lane.id, courtesy.pace(), victim->id, pace_of(*victim, now));
  } else {
    const auto usable = std::ranges::count_if(mirrors_, [&](const auto& other) { return is_usable(other); });
    const auto left = segments_.size() - segments_.have().size();
    const auto chunk = chunk_of(left, context_.connections * static_cast<unsigned>(usable), courtesy.pace(),
                                courtesy.most());
    work = mirror.is_proven || lanes_.empty() ? segments_.take(lane.id, chunk)
                                              : segments_.take_last(lane.id, chunk);
  }
  lane.is_whole = work && *work == Range{0, segments_.size()};
  return work.has_value();
}

/// The one that needs most time for what it has still to bring.
const Lane* FileDownload::slowest(Moment now) const {
  const Lane* slowest = nullptr;
  double longest = 0;
  for (const auto& lane : lanes_) {
    const auto left = segments_.work_of(lane.id).size();
    const auto seconds = seconds_for(left, pace_of(lane, now));
    if (left == 0 || seconds <= longest) continue;
    slowest = &lane;
    longest = seconds;
  }
  return slowest;
}

/// With a limit of our own silence tells nothing of the server.
Pace FileDownload::pace_of(const Lane& lane, Moment now) const {
  auto pace = context_.servers.at(mirrors_[lane.mirror].server).pace();
  const std::chrono::duration<double> taken = lane.heard - lane.started;
  const std::chrono::duration<double> silence = now - lane.heard;
  if (lane.bytes > 0 && taken >= milliseconds(200))
    pace.rate = static_cast<double>(lane.bytes) / taken.count();
  const auto usual = lane.body == Lane::Body::none ? pace.delay : 0;
  pace.delay = context_.host.network.limit_rate > 0 ? 0 : seconds_to_next_byte(silence.count(), usual);
  return pace;
}

void FileDownload::send(Lane lane, Moment now) {
  auto& mirror = mirrors_[lane.mirror];
  const auto work = segments_.work_of(lane.id);
  lane.question = {.first = lane.is_whole ? 0 : work.first,
                   .has_range = !lane.is_whole,
                   .total = total(),
                   .validator = mirror.is_known ? mirror.validator : std::string{}};
  lane.recorded = lane.question.first;
  lane.from_resolved = !mirror.resolved.empty();
  lane.started = lane.heard = now;
  RequestOptions options{.url = lane.from_resolved ? mirror.resolved : mirror.url,
                         .validator = lane.question.validator};
  if (!lane.is_whole)
    options.range = Range{work.first, work.end == segments_.size() ? Segments::unknown : work.end};
  ++mirror.active;
  lane.others = context_.server(mirror.server).asked(now);
  auto& sent = lanes_.emplace_back(std::move(lane));
  sent.request = std::make_unique<Request>(
      context_.host, std::move(options), [this, &sent](std::string_view bytes) { return take(sent, bytes); });
  // The least that it may have; the next turn gives it its share of what others leave.
  if (const auto limit = context_.host.network.limit_rate; limit > 0)
    sent.request->limit_rate(std::max<std::uint64_t>(1, limit / context_.connections));
  context_.requests.add(*sent.request);
}

void FileDownload::limit_rate(std::uint64_t rate) {
  for (auto& lane : lanes_) lane.request->limit_rate(rate);
}

void FileDownload::tell(const std::string& note) const {
  context_.sink({job_.target.filename().string(), received(), total(), 0, false, note});
}

}  // namespace cudapin
