// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace cudapin {

/// A message of the catalogue; `several` is empty where it has one form only.
struct Message {
  std::string english;
  std::string several;
};

/// The messages of po/cudapin.pot in its order.
std::vector<Message> all_messages();

/// Where the build put the translations; empty without gettext.
std::string built_catalogues();

}  // namespace cudapin
