// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/progress.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

namespace cudapin {

namespace {

constexpr std::int64_t update_every_ms = 100;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string time_left(std::uint64_t done, std::uint64_t total, double rate) {
  if (rate <= 0 || total <= done) return "--:--";
  const auto seconds =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(total - done) / rate), 359'999);
  return seconds >= 3600 ? fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
                         : fmt::format("{:02}:{:02}", seconds / 60, seconds % 60);
}

}  // namespace

std::string progress_line(const std::string& what, std::uint64_t done, std::uint64_t total, double rate,
                          unsigned columns) {
  const bool has_figures = done > 0 || total > 0;
  auto figures = !has_figures ? std::string()
                 : total      ? fmt::format(" {:>9} {:>11} {} {:3}%", human_size(done),
                                            human_size(static_cast<std::uint64_t>(rate)) + "/s",
                                            time_left(done, total, rate), done * 100 / total)
                              : fmt::format(" {:>9} {:>11}", human_size(done),
                                            human_size(static_cast<std::uint64_t>(rate)) + "/s");
  const std::size_t most = std::max(columns, 1u) - 1;
  if (figures.size() > most) return figures.substr(1, most);
  const auto room = most - figures.size();
  const auto name = std::string(cut(printable(what), room));
  return name + std::string(room - display_width(name), ' ') + figures;
}

void ProgressBar::update(const std::string& what, std::uint64_t done, std::uint64_t total, double rate) {
  if (quiet_ || !on_terminal_) return;
  const auto now = now_ms();
  if (open_ && now - last_ms_ < update_every_ms) return;
  last_ms_ = now;
  open_ = true;
  out_ << '\r' << progress_line(what, done, total, rate, columns_()) << std::flush;
}

void ProgressBar::finish(const std::string& what, std::uint64_t bytes) {
  if (quiet_) return;
  const auto line = fmt::format("{}  {}", printable(what), human_size(bytes));
  const std::size_t columns = open_ ? columns_() : 0;
  if (open_)
    out_ << '\r' << line
         << std::string(columns > display_width(line) + 1 ? columns - display_width(line) - 1 : 0, ' ');
  else
    out_ << line;
  out_ << '\n' << std::flush;
  open_ = false;
}

ProgressBar::~ProgressBar() {
  if (open_) out_ << '\n' << std::flush;
}

}  // namespace cudapin
