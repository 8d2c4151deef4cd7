// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"
#include "system/child.hpp"
#include "system/files.hpp"

#include <fcntl.h>
#include <sys/file.h>

namespace cudapin {

ExitStatus run_work(const RunOptions& options, const Host& host) {
  // The lock is how the guard finds us in /proc/locks; closed on exec, so it is ours and ends with us.
  const auto program = open_file("/proc/self/exe", O_RDONLY);
  if (::flock(program.get(), LOCK_SH) != 0)
    throw Error("cannot lock our own program to be seen by the guard");
  return static_cast<ExitStatus>(run_in_foreground(options.command, host));
}

}  // namespace cudapin
