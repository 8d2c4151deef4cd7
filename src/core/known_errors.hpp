// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility_data.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// A message of the table found in a text.
struct KnownMessage {
  const tables::KnownError* error;
  std::vector<std::string> words;  ///< what stood for the stars of its pattern
  std::string quote;               ///< the message as it stands in the text, white space folded
};

/// Every known message in `text`, in the text's order, each once: a single line or a whole build log, with
/// colours and typographic quotes or without, wrapped or not.
std::vector<KnownMessage> known_messages_in(std::string_view text);

}  // namespace cudapin
