// SPDX-License-Identifier: GPL-3.0-or-later
// What comes from a server, while it comes.
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/file_download.hpp"

#include <algorithm>

namespace cudapin {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::uint64_t record_every = 256 << 10;
constexpr std::size_t page_limit = 64 << 10;

Reply reply_of(const Lane& lane, std::string_view first) {
  const auto& request = *lane.request;
  const auto& response = request.response();
  const bool is_file = scheme_of(request.at()) == "file";
  const bool is_folder = request.at().ends_with('/');  // its page is what is asked for
  Reply reply{.status = is_file ? 200 : response.status(),
              .range = parse_content_range(response.header("content-range")),
              .length = request.content_length(),
              .validator = response.validator()};
  reply.is_web_page =
      !is_folder && !is_file &&
      (trim(first).starts_with('<') || response.header("content-type").starts_with("text/html"));
  return reply;
}

}  // namespace

bool FileDownload::take(Lane& lane, std::string_view bytes) {
  if (lane.body == Lane::Body::dropped) return false;
  if (lane.body == Lane::Body::none) judge(lane, bytes);
  lane.heard = std::chrono::steady_clock::now();
  if (lane.body == Lane::Body::content) return write(lane, bytes);
  if (lane.body == Lane::Body::page) {
    lane.page.append(bytes.substr(0, page_limit - std::min(page_limit, lane.page.size())));
    return lane.page.size() < page_limit;
  }
  // The text of an error is let pass, so that its connection can be used again; a file is not.
  return lane.question.total != total() || lane.request->response().status() >= 400;
}

void FileDownload::judge(Lane& lane, std::string_view first) {
  auto& mirror = mirrors_[lane.mirror];
  const auto now = std::chrono::steady_clock::now();
  const auto reply = reply_of(lane, first);
  lane.meaning = meaning_of(lane.question, reply);
  lane.body = Lane::Body::ignored;
  if (lane.meaning != Meaning::busy)
    context_.server(mirror.server).answered(duration_cast<milliseconds>(now - lane.started));
  lane.started = now;
  switch (lane.meaning) {
    case Meaning::content:
      return accept(lane, reply);
    case Meaning::whole:
      return lose_ranges(lane, reply);
    case Meaning::other_file:
      return meet_other_file(lane, reply);
    case Meaning::web_page:
      lane.body = Lane::Body::page;
      return;
    default:
      return;
  }
}

void FileDownload::accept(Lane& lane, const Reply& reply) {
  auto& mirror = mirrors_[lane.mirror];
  const auto total = reply.range ? reply.range->total : reply.length;
  if (lane.is_whole) {
    begin_whole(lane, total);
  } else if (!part_.is_begun() || segments_.size() == Segments::unknown) {
    segments_.set_size(total);
    part_.begin(total);
  }
  lane.reach = reply.range ? reply.range->last + 1 : segments_.size();
  lane.body = Lane::Body::content;
  mirror.validator = reply.validator;
  mirror.source = part_.source(shown_url(mirror.url), reply.validator);
  mirror.is_known = mirror.is_proven = true;
  if (lane.request->at() != mirror.url) mirror.resolved = lane.request->at();
  if (!job_.sha256.empty() && !hash_) hash_ = std::make_unique<RunningHash>(part_.fd());
}

void FileDownload::begin_whole(Lane& lane, std::uint64_t total) {
  cancel_others(&lane);
  start_afresh(total);
  segments_.restart(lane.id);
  lane.recorded = 0;
}

void FileDownload::start_afresh(std::uint64_t total) {
  segments_ = Segments(total > 0 ? total : Segments::unknown);
  part_.restart(total);
  for (auto& mirror : mirrors_) mirror.is_known = false;
  if (hash_) hash_->restart();
}

/// The server sends the whole where a part was asked for: it serves one stream, if nobody else serves parts
/// and no stream of its own is on the way that can go on to the end.
void FileDownload::lose_ranges(Lane& lane, const Reply& reply) {
  auto& mirror = mirrors_[lane.mirror];
  mirror.has_ranges = false;
  const bool has_stream = std::ranges::any_of(
      lanes_, [&](const Lane& other) { return other.is_whole && other.body == Lane::Body::content; });
  if (has_stream || has_other_ranges(mirror)) return;
  lane.is_whole = true;
  accept(lane, reply);
}

/// Bytes of two files never meet: where all that is here came from this server, its new file is begun, where
/// others have the old one, this server's bytes are dropped.
void FileDownload::meet_other_file(Lane& lane, const Reply& reply) {
  auto& mirror = mirrors_[lane.mirror];
  const auto server = host_of(mirror.url);
  const auto total = reply.range ? reply.range->total : reply.length;
  const auto file = job_.target.filename().string();
  if (job_.size > 0 && total > 0 && total != job_.size)
    return give_up(mirror, tr("'{}' has another file of that name, of {} bytes instead of {}", server, total,
                              job_.size));
  const bool is_alone = std::ranges::all_of(mirrors_, [&](const Mirror& other) {
    return &other == &mirror || (!other.is_known && other.active == 0);
  });
  if (!is_alone) {
    tell(tr("'{}' has changed on '{}'; what came from there is dropped", file, server));
    if (mirror.is_known) forget(mirror.source);
    mirror.is_known = false;
    return;
  }
  if (received() > 0) tell(tr("'{}' has changed on '{}'; it is fetched from its start", file, server));
  if (reply.status == 200) {
    lane.is_whole = true;
    return accept(lane, reply);
  }
  cancel_others(&lane);
  start_afresh(job_.size);
}

bool FileDownload::write(Lane& lane, std::string_view bytes) {
  auto work = segments_.work_of(lane.id);
  if (work.size() < bytes.size() && work.end < lane.reach && work != Range{}) {
    segments_.extend(lane.id, lane.reach);
    work = segments_.work_of(lane.id);
  }
  const auto part = bytes.substr(0, work.size());
  part_.write(work.first, part);
  segments_.advance(lane.id, part.size());
  lane.bytes += part.size();
  if (segments_.work_of(lane.id).first - lane.recorded >= record_every) record(lane);
  if (hash_) hash_->follow(segments_.have().front());
  const bool has_more = part.size() < work.size() || work.end < lane.reach;
  return part.size() == bytes.size() && (has_more || work.end == lane.reach);
}

void FileDownload::record(Lane& lane) {
  if (lane.body != Lane::Body::content) return;
  const auto at = segments_.work_of(lane.id).first;
  if (at <= lane.recorded) return;
  part_.record(mirrors_[lane.mirror].source, {lane.recorded, at});
  lane.recorded = at;
}

}  // namespace cudapin
