// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"
#include "commands/change.hpp"
#include "commands/commands.hpp"
#include "commands/tuning.hpp"
#include "core/words.hpp"
#include "system/database_lock.hpp"

#include <ostream>

namespace cudapin {

ExitStatus recover(const RecoverOptions& options, const Host& host) {
  if (!journal_is_open(host) && !host.privileged) {
    if (!options.quiet) *host.out << tr_text("nothing to recover: no change was interrupted\n");
    return ExitStatus::done;
  }
  if (!host.privileged) throw Error(tr_text("only root can recover"), "sudo cudapin recover");
  const StateLock lock(host);
  const auto conf = read_pacman_conf(host);
  if (!journal_is_open(host)) {
    const bool removed = clear_dead_lock(conf, host, true);
    clear_leftovers(host, conf);
    if (!options.quiet)
      *host.out << (removed ? tr_text("removed the package database's lock of a dead process\n")
                            : tr_text("nothing to recover: no change was interrupted\n"));
    return ExitStatus::done;
  }
  *host.out << ":: " << recovery_notice(host) << "; "
            << (options.back ? tr_text("going back to the set before") : tr_text("finishing it")) << '\n';
  settle_journal(host, conf, options.back);
  follow_tuning(host);
  *host.out << (options.back ? tr_text("the set before is back\n") : tr_text("the change is finished\n"));
  return ExitStatus::done;
}

}  // namespace cudapin
