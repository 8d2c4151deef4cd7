// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace cudapin {

enum class Shell { posix, fish };

/// The shell that a name or path means; bash, zsh and everything unknown read the same lines.
Shell shell_of(std::string_view name);

/// A line that sets and exports a variable to `value`, whatever characters it has.
std::string export_line(Shell shell, std::string_view name, std::string_view value);

/// A line that puts `folder` before what a list of folders has.
std::string prepend_line(Shell shell, std::string_view name, std::string_view folder);

}  // namespace cudapin
