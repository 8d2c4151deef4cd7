// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/arguments.hpp"

#include <span>
#include <string>
#include <string_view>

namespace cudapin {

/// What bash, zsh or fish reads to complete cudapin's command lines. Names that only the machine knows are
/// asked of `cudapin complete`. Throws Error for another shell.
std::string completion_script(std::string_view shell, std::span<const VerbText> verbs);

}  // namespace cudapin
