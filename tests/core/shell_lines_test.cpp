// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shell_lines.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("shell lines: a value is a value whatever is in it") {
  CHECK(export_line(Shell::posix, "A", "/opt/cuda") == "export A='/opt/cuda'\n");
  CHECK(export_line(Shell::posix, "A", "it's $(x)") == "export A='it'\\''s $(x)'\n");
  CHECK(export_line(Shell::fish, "A", "it's \\") == "set -gx A 'it\\'s \\\\';\n");
}

TEST_CASE("shell lines: a folder comes first and an empty list leaves no empty entry") {
  CHECK(prepend_line(Shell::posix, "PATH", "/opt/cuda/bin") ==
        "export PATH='/opt/cuda/bin'\"${PATH:+:$PATH}\"\n");
  CHECK(prepend_line(Shell::fish, "PATH", "/opt/cuda/bin") == "set -gx PATH '/opt/cuda/bin' $PATH;\n");
}

TEST_CASE("shell lines: a shell is known by its name or path") {
  CHECK(shell_of("/usr/bin/fish") == Shell::fish);
  CHECK(shell_of("fish") == Shell::fish);
  CHECK(shell_of("/bin/zsh") == Shell::posix);
  CHECK(shell_of("") == Shell::posix);
}

}  // namespace cudapin
