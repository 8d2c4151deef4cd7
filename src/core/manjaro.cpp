// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/manjaro.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace cudapin {

bool is_manjaro_build(std::string_view package) {
  constexpr std::array<std::string_view, 6> starts{"linux",         "nvidia", "lib32-",
                                                   "opencl-nvidia", "mhwd",   "libxnvctrl"};
  return std::ranges::any_of(starts, [&](auto start) { return package.starts_with(start); });
}

bool is_manjaro_release(std::string_view os_release) {
  for (const auto& line : split(os_release, "\n")) {
    const auto equals = line.find('=');
    const auto key = line.substr(0, equals);
    if (equals == line.npos || (key != "ID" && key != "ID_LIKE")) continue;
    const auto words = split(std::string_view(line).substr(equals + 1), " \t\r\"'");
    if (std::ranges::find(words, "manjaro") != words.end()) return true;
  }
  return false;
}

bool is_kernel_meta(std::string_view package) {
  return package.starts_with("linux") && package.ends_with("-meta");
}

}  // namespace cudapin
