// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/apply.hpp"
#include "commands/asking.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/style.hpp"
#include "commands/tuning.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <ostream>

namespace cudapin {

namespace {

std::vector<std::string> names_of(const State& state) {
  std::vector<std::string> names;
  for (const auto& [name, version] : state.pins) names.push_back(name);
  return names;
}

}  // namespace

ExitStatus release(const ReleaseOptions& options, const Host& host) {
  if (!options.dry_run && !host.privileged)
    throw Error(tr_text("only root can release pins"), "sudo cudapin release");
  if (!options.dry_run) settle_if_due(host);
  const auto state = read_state(host);
  if (!state) {
    if (!options.quiet) *host.out << tr_text("no profile is active; nothing to release\n");
    return ExitStatus::done;
  }
  refuse_frozen(host, names_of(*state));
  if (!options.quiet)
    *host.out << fitted(
        host, tr("Releases {}: {}\nThe packages stay installed; the next 'pacman -Syu' upgrades them.\n",
                 state->profile, join(names_of(*state), " ")));
  if (options.dry_run) return ExitStatus::done;
  if (!options.noconfirm) ask(host, tr_text("Release these pins?"), tr_text("add --noconfirm"));
  const StateLock lock(host);
  if (read_state(host) != state)
    throw Error(tr_text("another cudapin changed the pins meanwhile"), tr_text("run the same command again"));
  carry_out(host, read_pacman_conf(host),
            {.command = "release", .user = acting_user(host), .time = timestamp(host), .before = state},
            [&] { refuse_frozen(host, names_of(*state)); });
  follow_tuning(host);
  if (!options.quiet) *host.out << tr("{} is released\n", state->profile);
  return ExitStatus::done;
}

}  // namespace cudapin
