// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/mapped_files.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "system/files.hpp"

#include <set>

namespace cudapin {

std::vector<std::string> mapped_files(const Host& host, pid_t pid) {
  std::string maps;
  try {
    maps = read_file(host.proc / std::to_string(pid) / "maps");
  } catch (const Error&) {
    return {};
  }
  std::set<std::string> paths;
  for (const auto& line : split(maps, "\n")) {
    const auto slash = line.find('/');
    if (slash == line.npos) continue;
    auto path = line.substr(slash);
    if (path.ends_with(" (deleted)")) path.resize(path.size() - 10);
    paths.insert(std::move(path));
  }
  return {paths.begin(), paths.end()};
}

}  // namespace cudapin
