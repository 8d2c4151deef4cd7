// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility_rules.hpp"
#include "core/diagnosis.hpp"

/// The doctor's rules: each asks one question of an examination, and has no answer when all is well or not
/// known.
namespace cudapin::diagnosis {

using rules::Findings;
using Rule = Findings (*)(const Examination& found);

std::span<const Rule> driver_rules();
std::span<const Rule> toolkit_rules();
std::span<const Rule> environment_rules();
std::span<const Rule> package_rules();
std::span<const Rule> pin_rules();
std::span<const Rule> machine_rules();

}  // namespace cudapin::diagnosis
