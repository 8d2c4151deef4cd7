// SPDX-License-Identifier: GPL-3.0-or-later
// make_repository FOLDER NAME <TABLE
// Builds unsigned stand-ins into FOLDER and the sync database FOLDER/NAME.db over them. A line of TABLE is
// `name version` and then any of `depends:A,B provides:A conflicts:A replaces:A files:usr/lib/libx.so
// bulk:BYTES`.
#include "core/text.hpp"
#include "support/standin.hpp"

#include <filesystem>
#include <iostream>

namespace {

using namespace cudapin;

void add(StandIn& package, const std::string& word) {
  const auto colon = word.find(':');
  const auto key = word.substr(0, colon);
  const auto values = split(word.substr(colon + 1), ",");
  if (key == "depends") package.depends = values;
  if (key == "provides") package.provides = values;
  if (key == "conflicts") package.conflicts = values;
  if (key == "replaces") package.replaces = values;
  if (key == "bulk") package.bulk = std::stoull(values.at(0));
  if (key == "files")
    for (const auto& path : values)
      package.files.push_back(
          {.path = path, .content = shared_object(path.substr(path.rfind('/') + 1)), .mode = 0755});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  std::vector<SyncEntry> entries;
  for (std::string line; std::getline(std::cin, line);) {
    const auto words = split(line, " ");
    if (words.size() < 2) continue;
    StandIn package{.name = words[0], .version = words[1]};
    for (std::size_t i = 2; i < words.size(); ++i) add(package, words[i]);
    entries.push_back({package, build_package(package, folder)});
  }
  write_sync_database(folder / (std::string(argv[2]) + ".db"), entries);
}
