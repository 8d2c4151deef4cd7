// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/package_class.hpp"

#include "core/text.hpp"
#include "guard_targets.hpp"
#include "system/child.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

#include <fnmatch.h>

#include <filesystem>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using enum PackageClass;

const fs::path facts = fs::path(REAL_INPUTS).parent_path() / "facts";
const fs::path sync_databases = fs::path(REAL_INPUTS) / "sync-db";

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '+';
}

/// Every word of the collected facts, package names among them.
std::set<std::string> words_of_facts() {
  std::set<std::string> words;
  for (const auto& file : fs::directory_iterator(facts)) {
    std::string word;
    for (const char c : read_file(file.path()) + ' ') {
      if (is_word_character(c)) {
        word += c;
      } else if (!word.empty()) {
        words.insert(std::move(word));
        word.clear();
      }
    }
  }
  return words;
}

/// The packages of the real sync databases, by the folders NAME-VERSION-RELEASE in them.
void add_names_of_databases(std::set<std::string>& words) {
  for (const auto& file : fs::recursive_directory_iterator(sync_databases)) {
    if (!file.is_regular_file()) continue;
    for (const auto& entry : split(run_child({"tar", "tf", file.path().string()}).out, "\n")) {
      const auto release = entry.rfind('-');
      const auto version = release == entry.npos || release == 0 ? entry.npos : entry.rfind('-', release - 1);
      if (version != entry.npos) words.insert(entry.substr(0, version));
    }
  }
}

}  // namespace

TEST_CASE("package class: what the facts call driver toolkit framework and kernel is in the table") {
  struct Row {
    const char* name;
    PackageClass wanted;
  };
  for (const auto& row : {Row{"cuda", toolkit},
                          Row{"cuda-tools", toolkit},
                          Row{"cudnn", toolkit},
                          Row{"nccl", toolkit},
                          Row{"gcc10", toolkit},
                          Row{"gcc10-libs", toolkit},
                          Row{"nvidia", driver},
                          Row{"nvidia-lts", driver},
                          Row{"nvidia-open", driver},
                          Row{"nvidia-open-lts", driver},
                          Row{"nvidia-dkms", driver},
                          Row{"nvidia-open-dkms", driver},
                          Row{"nvidia-utils", driver},
                          Row{"nvidia-settings", driver},
                          Row{"opencl-nvidia", driver},
                          Row{"lib32-nvidia-utils", driver},
                          Row{"lib32-opencl-nvidia", driver},
                          Row{"nvidia-580xx-dkms", driver},
                          Row{"nvidia-455xx-utils", driver},
                          Row{"opencl-nvidia-580xx", driver},
                          Row{"linux510-nvidia-455xx", driver},
                          Row{"linux612-nvidia-580xx", driver},
                          Row{"linux-nvidia-580xx-meta", driver},
                          Row{"linux", kernel},
                          Row{"linux-lts", kernel},
                          Row{"linux-zen-headers", kernel},
                          Row{"linux612", kernel},
                          Row{"linux612-headers", kernel},
                          Row{"linux-meta", kernel},
                          Row{"python-pytorch-cuda", framework},
                          Row{"tensorflow-cuda", framework},
                          Row{"python-cupy", framework},
                          Row{"python", interpreter},
                          Row{"nvidia-container-toolkit", none},
                          Row{"nvidia-prime", none},
                          Row{"gcc", none},
                          Row{"gcc-libs", none},
                          Row{"linux-firmware", none},
                          Row{"linux-api-headers", none},
                          Row{"python-numpy", none},
                          Row{"egl-wayland", none},
                          Row{"htop", none},
                          Row{"", none}})
    CHECK_MESSAGE(class_of(row.name) == row.wanted, row.name);
}

TEST_CASE("package class: each pattern of the table is in the facts or in a real database") {
  if (!fs::exists(facts) || !fs::exists(sync_databases)) {
    MESSAGE("skipped: no collected facts here");
    return;
  }
  auto words = words_of_facts();
  add_names_of_databases(words);
  for (const auto& row : guard_targets) {
    const bool known = std::any_of(words.begin(), words.end(), [&](const auto& word) {
      return ::fnmatch(std::string(row.pattern).c_str(), word.c_str(), 0) == 0;
    });
    CHECK_MESSAGE(known, row.pattern);
  }
}

TEST_CASE("package class: each package that the facts give versions of is in the table") {
  if (!fs::exists(facts)) {
    MESSAGE("skipped: no collected facts here");
    return;
  }
  const auto text = read_file(facts / "arch-packages.yaml");
  const auto packages = text.find("\npackages:\n");
  const auto end = text.find("\ndriver_branch_first_seen", packages);
  REQUIRE(end != text.npos);
  // Only mentioned there for their versions: these break no running work.
  const std::set<std::string> apart{"egl-wayland", "gcc", "old-gcc"};
  std::size_t seen = 0;
  for (auto line = text.find("\n  ", packages); line < end; line = text.find("\n  ", line + 1)) {
    const auto colon = text.find(":\n", line);
    const auto name = text.substr(line + 3, colon - line - 3);
    if (name.find_first_of(" \n") != name.npos || apart.count(name)) continue;
    ++seen;
    CHECK_MESSAGE(class_of(name) != none, name);
  }
  CHECK(seen > 12);
}

TEST_CASE("package class: modules know the kernel they are built for") {
  CHECK(kernel_of_module("nvidia") == "linux");
  CHECK(kernel_of_module("nvidia-open") == "linux");
  CHECK(kernel_of_module("nvidia-lts") == "linux-lts");
  CHECK(kernel_of_module("nvidia-open-lts") == "linux-lts");
  CHECK(kernel_of_module("linux612-nvidia-580xx") == "linux612");
  for (const auto* name : {"nvidia-dkms", "nvidia-utils", "linux", "linux-nvidia-meta", "cuda", ""})
    CHECK_MESSAGE(kernel_of_module(name).empty(), name);
}

}  // namespace cudapin
