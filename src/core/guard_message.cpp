// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_rules.hpp"
#include "core/language.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace cudapin {

std::string duration_text(std::int64_t seconds) {
  const auto minutes = std::max<std::int64_t>(0, seconds) / 60;
  const auto two = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  if (minutes < 60) return std::to_string(minutes) + "m";
  if (minutes < 24 * 60) return std::to_string(minutes / 60) + "h" + two(minutes % 60) + "m";
  return std::to_string(minutes / 1440) + "d" + two(minutes / 60 % 24) + "h";
}

std::string time_text(std::int64_t seconds) { return utc_text(seconds, "%Y-%m-%d %H:%M UTC"); }

namespace guard {

namespace {

// Together with the first line at most 20.
constexpr std::size_t most_packages = 8;
constexpr std::size_t most_packed = 2;
constexpr std::size_t most_processes = 5;
constexpr std::size_t most_advice = 2;
constexpr std::size_t packed_width = 2000;
constexpr std::size_t command_width = 100;

struct TargetText {
  const GuardTarget* target;
  std::string reasons;
};

std::vector<TargetText> by_target(const std::vector<Objection>& objections) {
  std::vector<TargetText> all;
  for (const auto& objection : objections) {
    if (all.empty() || all.back().target != objection.target)
      all.push_back({objection.target, objection.reason});
    else
      all.back().reasons += tr_text(" and ") + objection.reason;
  }
  return all;
}

/// "upgrade: cuda 11.1.0-2 -> 13.2.1-3"
std::string change_text(const GuardTarget& target) {
  auto text = std::string(tr_text(operation_word(target.operation))) + ": " + target.name;
  if (!target.installed.empty()) text += ' ' + target.installed;
  if (target.operation == Operation::remove) return text;
  if (target.offered.empty()) return text + " -> " + tr_text("unknown version");
  return text + (target.operation == Operation::install && target.installed.empty() ? " " : " -> ") +
         join(target.offered, tr_text(" or "));
}

void add_packages(std::vector<std::string>& lines, const std::vector<TargetText>& targets) {
  std::size_t index = 0;
  for (; index < targets.size() && index < most_packages; ++index)
    lines.push_back("  " + change_text(*targets[index].target) + ' ' + targets[index].reasons);
  for (std::size_t packed = 0; index < targets.size() && packed < most_packed; ++packed) {
    std::string names;
    for (; index < targets.size() && names.size() < packed_width; ++index)
      names += (names.empty() ? "" : ", ") + change_text(*targets[index].target);
    const bool is_cut = packed + 1 == most_packed && index < targets.size();
    lines.push_back(
        is_cut ? filled(tr_text("  also {} and {} more"), {names, std::to_string(targets.size() - index)})
               : filled(tr_text("  also {}"), {names}));
  }
}

std::string gpus_text(const std::vector<int>& gpus) {
  std::vector<std::string> words;
  for (const int gpu : gpus) words.push_back(std::to_string(gpu));
  return words.empty() ? tr_text("no GPU") : "GPU " + join(words, ",");
}

std::string work_line(const RunningWork& work, std::int64_t now) {
  const auto command = work.command.substr(0, command_width);
  const auto* const form = work.place.empty() ? tr_text("  running: {0}, pid {1}, {2}, for {3}: {5}")
                                              : tr_text("  running: {0}, pid {1}, {2}, for {3}, in {4}: {5}");
  return filled(form, {work.user, std::to_string(work.pid), gpus_text(work.gpus),
                       duration_text(now - work.started), work.place, command});
}

/// "12 more processes of alice and bob on GPU 0,1, the longest for 2d03h"
std::string summary_line(const std::vector<RunningWork>& work, std::size_t from, std::int64_t now) {
  std::vector<std::string> users;
  std::vector<int> gpus;
  auto oldest = now;
  for (std::size_t i = from; i < work.size(); ++i) {
    if (std::find(users.begin(), users.end(), work[i].user) == users.end()) users.push_back(work[i].user);
    gpus.insert(gpus.end(), work[i].gpus.begin(), work[i].gpus.end());
    oldest = std::min(oldest, work[i].started);
  }
  std::sort(gpus.begin(), gpus.end());
  gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
  if (users.size() > 8) users = {filled(tr_text("{} users"), {std::to_string(users.size())})};
  return filled(
      tr_text("  running: {} more processes of {} on {}, the longest for {} (all of them: cudapin who)"),
      {std::to_string(work.size() - from), join(users, tr_text(" and ")), gpus_text(gpus),
       duration_text(now - oldest)});
}

void add_work(std::vector<std::string>& lines, const GuardInput& input) {
  const auto shown = input.work.size() > most_processes ? most_processes - 1 : input.work.size();
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(work_line(input.work[i], input.now));
  if (shown < input.work.size()) lines.push_back(summary_line(input.work, shown, input.now));
}

bool is_about_running(const GuardInput& input, const std::vector<Objection>& objections) {
  return std::any_of(objections.begin(), objections.end(), [&](const Objection& objection) {
    return is_about_work(input, class_in(input, objection.target->name));
  });
}

bool freezes_everything(const GuardInput& input) {
  return std::any_of(input.freezes.begin(), input.freezes.end(),
                     [&](const Freeze& freeze) { return freeze.end > input.now && freeze.packages.empty(); });
}

void add_advice(std::vector<std::string>& lines, const GuardInput& input,
                const std::vector<Objection>& objections, const std::vector<std::string>& blocking) {
  std::vector<std::string> advice;
  for (const auto& objection : objections)
    if (!objection.advice.empty() &&
        std::find(advice.begin(), advice.end(), objection.advice) == advice.end())
      advice.push_back(objection.advice);
  advice.resize(std::min(advice.size(), most_advice));
  lines.insert(lines.end(), advice.begin(), advice.end());
  if (input.transactor == Transactor::foreign && !freezes_everything(input))
    lines.push_back(
        filled(tr_text("to upgrade everything else: {}"),
               {"pacman -Syu --ignore " + join(input.ignored.empty() ? blocking : input.ignored, ",")}));
  lines.push_back(tr_text("to let it through once all the same: cudapin allow --once"));
}

}  // namespace

std::vector<std::string> message(const GuardInput& input, const std::vector<Objection>& objections,
                                 const std::vector<std::string>& blocking) {
  std::vector<std::string> lines{tr_text("cudapin: this transaction is blocked, nothing was changed")};
  add_packages(lines, by_target(objections));
  if (is_about_running(input, objections)) add_work(lines, input);
  add_advice(lines, input, objections, blocking);
  for (auto& line : lines) line = printable(line);
  return lines;
}

}  // namespace guard

}  // namespace cudapin
