// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/asking.hpp"

#include "cli/report.hpp"
#include "core/error.hpp"
#include "core/words.hpp"

namespace cudapin {

void ask(const Host& host, const std::string& question, const std::string& hint) {
  if (!host.in_is_terminal)
    throw Error(tr_text("nobody can be asked: the input is not a terminal"), hint, ExitStatus::usage);
  if (!confirm(*host.in, *host.out, question)) throw Error(tr_text("nothing was changed: the answer was no"));
}

}  // namespace cudapin
