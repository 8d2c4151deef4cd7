// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cudapin::yaml {

/// A scalar that every YAML reader takes for text: plain where nothing can be mistaken, else quoted.
std::string scalar(std::string_view text);

/// `[a, b]` of such scalars.
std::string flow_list(std::span<const std::string> texts);

}  // namespace cudapin::yaml
