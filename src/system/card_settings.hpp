// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tuning.hpp"

#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// How the cards are set, asked of the management library with a limit of a second; none where it does not
/// answer.
std::vector<CardSettings> read_cards(const std::string& library);

/// Sets what `changes` say and returns what was refused, one line each. Needs root, as the library wants it.
std::vector<std::string> set_cards(std::span<const CardChange> changes, const std::string& library);

/// The lines that the child writes for one card, and back.
std::string to_lines(std::span<const CardSettings> cards);
std::vector<CardSettings> parse_card_lines(std::string_view text);

}  // namespace cudapin
