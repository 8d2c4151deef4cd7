// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/elf.hpp"

#include "support/standin.hpp"
#include "support/test_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>

namespace cudapin {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

TEST_CASE("elf: a real program and a library of our own tell what they load") {
  const auto loads = needed_libraries(fs::canonical("/proc/self/exe"));
  CHECK(std::ranges::find(loads, "libc.so.6") != loads.end());
  const TestFolder folder;
  write_text(folder / "lib.so", shared_object("liba.so.1", {"libcudart.so.13", "libb.so"}));
  CHECK(needed_libraries(folder / "lib.so") == Names{"libcudart.so.13", "libb.so"});
  write_text(folder / "alone.so", shared_object("liba.so.1"));
  CHECK(needed_libraries(folder / "alone.so").empty());
}

TEST_CASE("elf: what is no such file has no libraries") {
  const TestFolder folder;
  write_text(folder / "script", "#!/bin/sh\n");
  write_text(folder / "empty", "");
  fs::create_symlink("/proc/self/exe", folder / "link");
  for (const auto* name : {"script", "empty", "link", "missing", "."})
    CHECK(needed_libraries(folder / name).empty());
}

TEST_CASE("elf: damaged files end nothing and name nothing absurd") {
  const TestFolder folder;
  const auto whole = shared_object("liba.so.1", {"libcudart.so.13", "libb.so"});
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    auto text = whole.substr(0, round % 2 ? whole.size() : random() % whole.size());
    for (int flips = 0; flips < 4 && !text.empty(); ++flips)
      text[random() % text.size()] = static_cast<char>(random());
    write_text(folder / "lib.so", text);
    for (const auto& name : needed_libraries(folder / "lib.so")) CHECK(name.size() < 256);
  }
}

}  // namespace cudapin
