// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/distribution.hpp"

#include "core/manjaro.hpp"
#include "system/files.hpp"

namespace cudapin {

bool is_manjaro(const Host& host) {
  auto text = read_file_if_exists(host.at("/etc/os-release"));
  if (text.empty()) text = read_file_if_exists(host.at("/usr/lib/os-release"));
  return is_manjaro_release(text);
}

}  // namespace cudapin
