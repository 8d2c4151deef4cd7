// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"

namespace cudapin {

ExitStatus metrics(const MetricsOptions&, const Host&) { return ExitStatus::done; }

}  // namespace cudapin
