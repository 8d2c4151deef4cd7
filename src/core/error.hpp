// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace cudapin {

/// What a cudapin process ends with.
enum class ExitStatus {
  done = 0,
  failed = 1,        ///< an error, or findings in a query
  usage = 2,         ///< a bad command line
  refused = 3,       ///< refused because of running work or a freeze
  interrupted = 130  ///< SIGINT or SIGTERM
};

/// Thrown once, where the failure is understood; printed once, in `run`. `what()` may have several lines,
/// one a problem; each is printed as its own `error:` line. The hint is a command to type next, or empty.
struct Error : std::runtime_error {
  explicit Error(const std::string& message, std::string hint_text = {}, ExitStatus exit = ExitStatus::failed)
      : std::runtime_error(message), hint(std::move(hint_text)), status(exit) {}

  std::string hint;
  ExitStatus status;
};

}  // namespace cudapin
