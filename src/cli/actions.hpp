// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cudapin {

/// What a verb does besides others, such as the `prune` of `store prune`.
struct VerbAction {
  std::string name;
  std::string operand;     ///< what follows it, as the help shows it, or empty
  const char* summary;     ///< not yet translated
  std::size_t least = 0;   ///< how many words follow it
  std::size_t most = 0;    ///<
  const char* needs = "";  ///< what is missing where they are fewer, not yet translated
};

/// Those of a verb, for its help, its completions and the check of what was typed; none for most verbs.
std::span<const VerbAction> actions_of(std::string_view verb);

}  // namespace cudapin
