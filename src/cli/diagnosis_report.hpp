// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/report.hpp"
#include "core/diagnosis.hpp"
#include "core/explanation.hpp"

#include <span>
#include <string>

namespace cudapin {

/// Topics under their headings, and at the end how many findings there are; notes are left out when
/// `is_quiet`.
std::string diagnosis_text(std::span<const Topic> topics, const Style& style, bool is_quiet);

/// Messages, each with its finding.
std::string explanations_text(std::span<const Explanation> explanations, const Style& style);

/// The same as JSON text; schema 1, documented in cudapin(1).
std::string diagnosis_json(std::span<const Topic> topics);
std::string explanations_json(std::span<const Explanation> explanations);

}  // namespace cudapin
