// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "core/text.hpp"
#include "system/guard_state.hpp"

#include <fmt/format.h>

#include <ostream>

namespace cudapin {

namespace {

std::string names_of(const State& state) {
  std::vector<std::string> names;
  for (const auto& [name, version] : state.pins) names.push_back(name);
  return join(names, " ");
}

void ask(const ReleaseOptions& options, const Host& host) {
  if (options.noconfirm) return;
  if (!host.in_is_terminal)
    throw Error("nobody can be asked: the input is not a terminal", "add --noconfirm", ExitStatus::usage);
  if (!confirm(*host.in, *host.out, "Release these pins?"))
    throw Error("nothing was changed: the answer was no");
}

}  // namespace

ExitStatus release(const ReleaseOptions& options, const Host& host) {
  if (!options.dry_run && !host.privileged) throw Error("only root can release pins", "sudo cudapin release");
  if (!options.dry_run && journal_is_open(host)) {
    const StateLock lock(host);
    settle_if_due(host);
  }
  const auto state = read_state(host);
  if (!state) {
    if (!options.quiet) *host.out << "no profile is active; nothing to release\n";
    return ExitStatus::done;
  }
  if (!options.quiet)
    *host.out << fmt::format(
        "Releases {}: {}\nThe packages stay installed; the next 'pacman -Syu' upgrades them.\n",
        state->profile, names_of(*state));
  if (options.dry_run) return ExitStatus::done;
  ask(options, host);
  const StateLock lock(host);
  carry_out(host, read_pacman_conf(host),
            {.command = "release", .user = acting_user(host), .time = timestamp(host), .before = state},
            [] {});
  if (!options.quiet) *host.out << fmt::format("{} is released\n", state->profile);
  return ExitStatus::done;
}

ExitStatus recover(const RecoverOptions& options, const Host& host) {
  if (!journal_is_open(host)) {
    if (!options.quiet) *host.out << "nothing to recover: no change was interrupted\n";
    return ExitStatus::done;
  }
  if (!host.privileged) throw Error("only root can recover", "sudo cudapin recover");
  const StateLock lock(host);
  *host.out << ":: " << recovery_notice(host) << "; "
            << (options.back ? "going back to the set before" : "finishing it") << '\n';
  settle_journal(host, read_pacman_conf(host), options.back);
  *host.out << (options.back ? "the set before is back\n" : "the change is finished\n");
  return ExitStatus::done;
}

}  // namespace cudapin
