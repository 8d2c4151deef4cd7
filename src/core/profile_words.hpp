// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// A lower-case letter or digit, then those, dots, pluses and dashes.
bool is_profile_name(std::string_view text);

/// Whether the whole system stands on this package, so that moving or pinning it would break the machine.
bool is_foundation(std::string_view package);

/// An upper-case letter or underscore, then those and digits.
bool is_variable(std::string_view text);

/// Whether a variable decides which programs or libraries every shell loads.
bool is_loading_variable(std::string_view name);

/// YYYY-MM-DD, and in the calendar.
bool is_date(const std::string& text);

/// Why `text` is neither an exact version of `package` nor a range, in words; empty when it is one. Knows a
/// driver's or cuDNN's version given for cuda.
std::string version_problem(const std::string& package, const std::string& text);

/// Nothing unless all of `text` is one dependency.
std::optional<Dependency> whole_dependency(const std::string& text);

}  // namespace cudapin
