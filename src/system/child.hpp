// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <string>
#include <vector>

namespace cudapin {

struct ChildResult {
  int status;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};

/// Runs a program found on PATH, without a shell, stdin from /dev/null, LC_ALL=C, at most `seconds` long.
/// Throws Error when it cannot be started or does not end in time.
ChildResult run_child(const std::vector<std::string>& argv, int seconds = 30);

/// Runs a program found on PATH on our own streams and waits; SIGTERM and SIGHUP are passed on to it. Returns
/// its exit status, or 128 + signal. Throws Error when it cannot be started.
int run_in_foreground(const std::vector<std::string>& argv, const Host& host);

}  // namespace cudapin
