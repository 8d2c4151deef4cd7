// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/report.hpp"
#include "system/host.hpp"

namespace cudapin {

/// How the Host's output stream takes text.
inline Style style_of(const Host& host, bool verbose = false) {
  return {host.takes_color(host.out_is_terminal), host.out_columns(), verbose};
}

/// Prose for the Host's output stream.
inline std::string fitted(const Host& host, std::string_view text) {
  return fitted(text, host.out_columns());
}

}  // namespace cudapin
