// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/examination.hpp"

#include <string>
#include <vector>

namespace cudapin {

/// Findings about one side of a machine, worst first.
struct Topic {
  std::string name;  ///< "driver", "toolkit", "environment", "packages", "pins", "machine"
  std::vector<Finding> findings;
};

/// Everything that the doctor's rules say of a machine: topics without a finding are left out, the one with
/// the worst finding comes first.
std::vector<Topic> diagnose(const Examination& found);

/// Sorts topics and their findings as diagnose() does.
void put_worst_first(std::vector<Topic>& topics);

bool has_error(const std::vector<Topic>& topics);

}  // namespace cudapin
