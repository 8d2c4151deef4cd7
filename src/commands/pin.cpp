// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "core/pins.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/guard_state.hpp"

#include <ostream>

namespace cudapin {

namespace {

/// What the last change pinned or unpinned: in a block that was left over, these are not somebody else's.
std::vector<std::string> former_names(const Host& host) {
  std::vector<std::string> names;
  const auto last = last_change(host);
  for (const auto& state : {last ? last->before : std::nullopt, last ? last->after : std::nullopt})
    if (state)
      for (const auto& [name, version] : state->pins) names.push_back(name);
  return names;
}

std::vector<std::string> names_of(const State& state) {
  std::vector<std::string> names;
  for (const auto& [name, version] : state.pins) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string> pin_problems_of(const Host& host, const std::optional<State>& state) {
  const auto conf = read_pacman_conf(host);
  const auto text = read_file(conf.file);
  if (!state) return pin_problems(text, {}, {});
  auto problems = pin_problems(text, names_of(*state), state->own);
  if (!guard_state_is(host, state->pins, state->profile, conf.dbpath))
    problems.push_back(
        tr_text("the files that tell the pacman hooks what is pinned are not as cudapin wrote them"));
  return problems;
}

ExitStatus pin(const PinOptions& options, const Host& host) {
  if (options.repair && !host.privileged)
    throw Error(tr_text("only root can repair pins"), "sudo cudapin pin --repair");
  if (options.repair) settle_if_due(host);
  const auto state = read_state(host);
  const auto problems = pin_problems_of(host, state);
  if (!options.quiet || !options.repair)
    for (const auto& problem : problems) *host.out << printable(problem) << '\n';
  if (problems.empty()) {
    if (!options.quiet) *host.out << tr_text("the pins are in order\n");
    return ExitStatus::done;
  }
  if (!options.repair) throw Error(tr_text("the pins are not in order"), "sudo cudapin pin --repair");
  const StateLock lock(host);
  if (read_state(host) != state)
    throw Error(tr_text("another cudapin changed the pins meanwhile"), tr_text("run the same command again"));
  const auto names = state ? names_of(*state) : std::vector<std::string>{};
  repair_pins(host, names, state ? state->own : std::vector<std::string>{}, former_names(host));
  if (state) write_guard_state(host, state->pins, state->profile, read_pacman_conf(host).dbpath);
  append_history(host, {.time = timestamp(host),
                        .user = acting_user(host),
                        .command = "pin --repair",
                        .from = state ? state->profile : "",
                        .to = state ? state->profile : "",
                        .result = "done",
                        .why = join(problems, "; ")});
  if (!options.quiet) *host.out << tr_text("the pins are in order again\n");
  return ExitStatus::done;
}

}  // namespace cudapin
