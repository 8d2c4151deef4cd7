// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility_rules.hpp"
#include "core/explanation.hpp"

#include <fmt/format.h>

/// The answers to known messages, one function for each that has the same cause, and the words they share.
namespace cudapin::explanations {

using Answer = Finding (*)(const KnownMessage& message, const Examination& found);

struct Row {
  std::string_view id;
  Answer answer;
};

std::span<const Row> compiler_rows();
std::span<const Row> driver_rows();
std::span<const Row> program_rows();

/// The nth word of the message, or empty.
std::string word(const KnownMessage& message, std::size_t nth = 0);
/// "GeForce RTX 3090 (8.6), …", or "no card that the tables know".
std::string cards(const Examination& found);
/// The toolkit that a build takes here: "CUDA 11.0.3 in /opt/cuda", or "no toolkit".
std::string toolkit(const Examination& found);
/// "driver 590.48.01", or "no driver".
std::string driver(const Examination& found);
/// Whether a card here has this architecture.
bool has_card(const Examination& found, int sm);
/// "86;89": what CMAKE_CUDA_ARCHITECTURES should have here, as far as `toolkit` has code for it.
std::string architecture_list(const Examination& found, const tables::Toolkit* toolkit);
/// A command that puts a profile with a CUDA series from `from` to `to` in force, or in words what to use.
/// Either end may be empty.
std::string toolkit_remedy(const Examination& found, std::string_view from, std::string_view to);

}  // namespace cudapin::explanations
