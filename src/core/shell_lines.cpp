// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shell_lines.hpp"

#include <fmt/format.h>

namespace cudapin {

namespace {

/// In single quotes: POSIX shells end them for a quote, fish knows two escapes inside.
std::string quoted(Shell shell, std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    if (shell == Shell::fish && (c == '\'' || c == '\\'))
      text += '\\';
    else if (c == '\'') {
      text += "'\\''";
      continue;
    }
    text += c;
  }
  return text + "'";
}

}  // namespace

Shell shell_of(std::string_view name) {
  return name == "fish" || name.ends_with("/fish") ? Shell::fish : Shell::posix;
}

std::string export_line(Shell shell, std::string_view name, std::string_view value) {
  if (shell == Shell::fish) return fmt::format("set -gx {} {};\n", name, quoted(shell, value));
  return fmt::format("export {}={}\n", name, quoted(shell, value));
}

std::string prepend_line(Shell shell, std::string_view name, std::string_view folder) {
  if (shell == Shell::fish) return fmt::format("set -gx {0} {1} ${0};\n", name, quoted(shell, folder));
  return fmt::format("export {0}={1}\"${{{0}:+:${0}}}\"\n", name, quoted(shell, folder));
}

}  // namespace cudapin
