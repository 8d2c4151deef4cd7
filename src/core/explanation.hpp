// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/examination.hpp"
#include "core/known_errors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What one message means on this machine.
struct Explanation {
  std::string id;     ///< of the kind of message
  std::string quote;  ///< the message
  Finding finding;
};

/// Every known message in `text`, with its cause in terms of what was found on this machine, in the text's
/// order; those that only wrap others come last.
std::vector<Explanation> explain(std::string_view text, const Examination& found);

}  // namespace cudapin
