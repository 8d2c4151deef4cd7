// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/transfer_board.hpp"

#include "cli/progress.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ostream>

namespace cudapin {

namespace {

constexpr std::int64_t update_every_ms = 100;
constexpr std::size_t most_lines = 8;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string text_of(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::json progress_json(const FileProgress& file) {
  nlohmann::json line{{"schema", 1},
                      {"event", "progress"},
                      {"file", file.name},
                      {"received", file.received},
                      {"rate", static_cast<std::uint64_t>(file.rate)}};
  if (file.total > 0) line["total"] = file.total;
  return line;
}

}  // namespace

TransferBoard::~TransferBoard() {
  if (lines_ > 0) out_ << '\n' << std::flush;
}

void TransferBoard::update(const FileProgress& file) {
  if (form_ == Form::quiet) return;
  const auto known = std::ranges::find(files_, file.name, &FileProgress::name);
  if (known == files_.end())
    files_.push_back(file);
  else
    *known = file;
  if (form_ == Form::json) out_ << text_of(progress_json(file)) << std::flush;
  if (form_ == Form::terminal) draw();
  if (file.is_over) finish(file.name, file.received);
}

void TransferBoard::tell(const std::string& name, const std::string& note) {
  if (form_ == Form::json) {
    out_ << text_of({{"schema", 1}, {"event", "note"}, {"file", name}, {"text", note}}) << std::flush;
    return;
  }
  erase();
  out_ << tr("warning: {}\n", printable(note)) << std::flush;
}

void TransferBoard::finish(const std::string& name, std::uint64_t bytes) {
  if (form_ == Form::quiet || std::ranges::find(told_, name) != told_.end()) return;
  told_.push_back(name);
  if (form_ == Form::json) {
    out_ << text_of({{"schema", 1}, {"event", "done"}, {"file", name}, {"received", bytes}}) << std::flush;
    return;
  }
  erase();
  out_ << fmt::format("{}  {}\n", printable(name), human_size(bytes)) << std::flush;
}

/// All files as one; its total is not known before each one's is.
FileProgress TransferBoard::sum() const {
  FileProgress sum{tr("total")};
  bool is_known = true;
  for (const auto& file : files_) {
    sum.received += file.received;
    sum.total += file.total;
    if (!file.is_over) sum.rate += file.rate;
    is_known &= file.total > 0;
  }
  if (!is_known) sum.total = 0;
  return sum;
}

void TransferBoard::draw() {
  const auto now = now_ms();
  if (lines_ > 0 && now - last_ms_ < update_every_ms) return;
  last_ms_ = now;
  const auto columns = columns_();
  std::vector<std::string> lines;
  const auto add = [&](const FileProgress& file) {
    lines.push_back(progress_line(file.name, file.received, file.total, file.rate, columns));
  };
  for (const auto& file : files_)
    if (!file.is_over && lines.size() < most_lines) add(file);
  if (files_.size() > 1) add(sum());
  if (lines.empty()) return;
  erase();
  for (std::size_t i = 0; i < lines.size(); ++i) out_ << (i > 0 ? "\n" : "") << lines[i];
  out_ << std::flush;
  lines_ = lines.size();
}

/// The cursor is at the end of the last line.
void TransferBoard::erase() {
  if (lines_ == 0) return;
  out_ << '\r';
  if (lines_ > 1) out_ << fmt::format("\x1b[{}A", lines_ - 1);
  out_ << "\x1b[J";
  lines_ = 0;
}

}  // namespace cudapin
