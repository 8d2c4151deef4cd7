// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/courtesy.hpp"
#include "core/reply.hpp"
#include "core/segments.hpp"
#include "system/download.hpp"
#include "system/part_file.hpp"
#include "system/request.hpp"
#include "system/running_hash.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cudapin {

/// What the files of one call of `download` share.
struct DownloadContext {
  const Host& host;
  Requests& requests;
  ProgressSink sink;
  std::function<void(const DownloadJob&)> done;  ///< told of a file that is settled
  int attempts;
  unsigned connections;
  std::chrono::milliseconds patience;
  std::map<std::string, Courtesy> servers = {};    ///< by host and port
  std::map<std::string, std::string> silent = {};  ///< servers that cannot be reached, and why

  Courtesy& server(const std::string& name);
};

/// One server's copy of the file.
struct Mirror {
  using Moment = Courtesy::Moment;

  std::string url;
  std::string server;
  std::string resolved = {};  ///< where its redirects led; asked for further parts
  std::string validator = {};
  std::size_t source = 0;  ///< in the part's note, once `is_known`
  bool is_known = false;   ///< it has given this file, now or in an earlier process
  bool is_proven = false;  ///< it has answered in this process, and not gone silent since
  bool has_ranges = true;
  bool is_out = false;  ///< given up, for `reason`
  bool is_missing = false;
  bool is_unreachable = false;
  bool is_suspected = false;  ///< set aside until the rest has been tried without its bytes
  std::string reason = {};
  unsigned active = 0;
  int fruitless = 0;
  std::uint64_t furthest = 0;
  Moment earliest{};
  std::chrono::milliseconds delay{0};
};

/// One request's share of the file.
struct Lane {
  enum class Body { none, content, page, ignored, dropped };

  int id = 0;
  std::size_t mirror = 0;
  Question question = {};
  bool is_whole = false;  ///< begins at the start and goes to the end
  bool from_resolved = false;
  std::uint64_t reach = 0;  ///< where the body ends
  Body body = Body::none;
  Meaning meaning = Meaning::content;
  std::string page = {};
  std::uint64_t recorded = 0;  ///< up to where the journal tells of it
  std::uint64_t bytes = 0;
  unsigned others = 0;  ///< that its server served when it was sent
  Courtesy::Moment started{};
  Courtesy::Moment heard{};
  Pace pace = {};
  std::unique_ptr<Request> request = {};
};

/// One file on its way, by several requests to its mirrors.
class FileDownload {
 public:
  using Moment = Courtesy::Moment;

  FileDownload(DownloadContext& context, const DownloadJob& job, PartFile& part);
  /// Notes what has come.
  ~FileDownload();
  FileDownload(const FileDownload&) = delete;
  FileDownload& operator=(const FileDownload&) = delete;

  /// Sends one more request, where one is of use and the servers may be asked.
  bool start_one(Moment now);
  /// Whether the request was one of its own.
  bool take_end(Request& request, const RequestEnd& end);
  /// Leaves what is silent, and ends the file when all of it has come.
  void tend(Moment now);

  /// Whether all of it is here, and it is summed or on its way to the disk.
  bool is_ending() const { return state_ == State::verifying || state_ == State::finishing; }
  bool is_over() const { return state_ == State::over; }
  const DownloadResult& result() const { return result_; }
  std::uint64_t received() const { return segments_.have().size(); }
  /// What was here when it began.
  std::uint64_t received_before() const { return before_; }
  std::uint64_t total() const { return segments_.size() == Segments::unknown ? 0 : segments_.size(); }
  const std::filesystem::path& target() const { return job_.target; }
  std::size_t active() const { return lanes_.size(); }
  void limit_rate(std::uint64_t rate);

 private:
  enum class State { running, verifying, finishing, over };

  // Which request next.
  bool may_use(const Mirror& mirror, Moment now);
  bool is_usable(const Mirror& mirror) const;
  bool has_other_ranges(const Mirror& mirror) const;
  bool start_whole(Moment now);
  bool start_part(Moment now, bool by_stealing);
  bool give_work(Lane& lane, Moment now, bool by_stealing);
  void send(Lane lane, Moment now);
  const Lane* slowest(Moment now) const;
  Pace pace_of(const Lane& lane, Moment now) const;

  // What an answer means.
  bool take(Lane& lane, std::string_view bytes);
  void judge(Lane& lane, std::string_view first);
  bool write(Lane& lane, std::string_view bytes);
  void accept(Lane& lane, const Reply& reply);
  void begin_whole(Lane& lane, std::uint64_t total);
  void lose_ranges(Lane& lane, const Reply& reply);
  void meet_other_file(Lane& lane, const Reply& reply);
  void start_afresh(std::uint64_t total);
  void record(Lane& lane);

  // What an end means.
  void judge_end(Lane& lane, const RequestEnd& end);
  void judge_failure(Lane& lane, const RequestEnd& end);
  void judge_refusal(Lane& lane);
  void fail(Mirror& mirror, const std::string& reason, bool is_transient, bool is_unreachable,
            std::chrono::milliseconds wait = {});
  void give_up(Mirror& mirror, const std::string& reason);
  void release(Lane& lane);
  void cancel_others(const Lane* but);
  void end_dropped();
  void tell(const std::string& note) const;

  // The end.
  bool is_heard(const Mirror* mirror, Moment now) const;
  void leave_silent(Moment now);
  void verify();
  void blame(const std::string& sum);
  void forget(std::size_t source);
  void finish();
  void end(DownloadOutcome outcome);
  std::string got_text() const;

  DownloadContext& context_;
  const DownloadJob& job_;
  PartFile& part_;
  Segments segments_;
  std::unique_ptr<RunningHash> hash_;
  std::vector<Mirror> mirrors_;
  std::list<Lane> lanes_;
  std::list<Lane> dropped_;  ///< to be ended: none may be while another one brings bytes
  std::uint64_t before_ = 0;
  int next_id_ = 0;
  int wrong_sums_ = 0;
  State state_ = State::running;
  std::future<void> finishing_;
  DownloadResult result_;
};

}  // namespace cudapin
