// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/state.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr int schema = 1;

fs::path state_file(const Host& host) { return host.at(state_folder) / "state.json"; }
fs::path history_file(const Host& host) { return host.at(state_folder) / "history.jsonl"; }

}  // namespace

std::string to_json(const State& state) {
  return nlohmann::json{{"schema", schema},     {"profile", state.profile}, {"origin", state.origin},
                        {"since", state.since}, {"pins", state.pins},       {"own", state.own}}
             .dump(2) +
         "\n";
}

State parse_state(const std::string& text, const std::string& origin) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("schema").get<int>() != schema)
      throw Error(tr("'{}' was written by a newer cudapin", origin), "pacman -S cudapin");
    return {json.at("profile"), json.at("origin"), json.at("since"), json.at("pins"), json.at("own")};
  } catch (const nlohmann::json::exception&) {
    throw Error(tr("'{}' is damaged", origin), tr_text("cudapin use PROFILE writes it anew"));
  }
}

std::optional<State> read_state(const Host& host) {
  const auto text = read_file_if_exists(state_file(host));
  if (text.empty()) return std::nullopt;
  return parse_state(text, state_file(host).string());
}

void write_state(const Host& host, const State& state) {
  make_folders(host.at(state_folder));
  replace_file(state_file(host), to_json(state));
}

void clear_state(const Host& host) {
  std::error_code error;
  if (fs::remove(state_file(host), error)) sync_path(host.at(state_folder));
  if (error) throw Error(tr("cannot remove '{}': {}", state_file(host).string(), error.message()));
}

void append_history(const Host& host, const HistoryEntry& entry) {
  make_folders(host.at(state_folder));
  const auto file = open_file(history_file(host), O_RDWR | O_APPEND | O_CREAT, 0644);
  char last = '\n';
  if (const auto size = ::lseek(file.get(), 0, SEEK_END);
      size > 0 && ::pread(file.get(), &last, 1, size - 1) != 1)
    last = '\n';
  const auto line = (last == '\n' ? "" : "\n") + to_line(entry) + "\n";
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      ::fsync(file.get()) != 0)
    throw Error(tr("cannot write '{}': {}", history_file(host).string(), std::strerror(errno)));
}

std::vector<HistoryEntry> read_history(const Host& host) {
  std::vector<HistoryEntry> entries;
  for (const auto& line : split(read_file_if_exists(history_file(host)), "\n"))
    if (auto entry = parse_history_line(line)) entries.push_back(std::move(*entry));
  return entries;
}

StateLock::StateLock(const Host& host) {
  make_folders(host.at(state_folder));
  const auto path = host.at(state_folder) / "lock";
  file_ = open_file(path, O_RDWR | O_CREAT, 0644);
  for (int tenths = 0; ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0; ++tenths) {
    const auto holder = std::string(trim(read_file(path, 64)));
    if (tenths == 100)
      throw Error(tr("another cudapin (pid {}) is at work", holder), fmt::format("ps -fp {}", holder));
    if (tenths == 5) *host.err << tr(":: waiting for another cudapin (pid {})…\n", holder);
    host.check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const auto pid = std::to_string(::getpid());
  if (::ftruncate(file_.get(), 0) != 0 || ::pwrite(file_.get(), pid.data(), pid.size(), 0) < 0)
    throw Error(tr("cannot write '{}': {}", path.string(), std::strerror(errno)));
}

std::string acting_user(const Host& host) {
  for (const auto* name : {"SUDO_USER", "DOAS_USER", "USER", "LOGNAME"})
    if (const auto user = host.variable(name); !user.empty()) return printable(user);
  return host.privileged ? "root" : std::to_string(::geteuid());
}

std::string timestamp(const Host& host) {
  return utc_text(std::chrono::system_clock::to_time_t(host.now()), "%FT%TZ");
}

}  // namespace cudapin
