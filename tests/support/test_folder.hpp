// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudapin {

/// A fresh folder below the system's temporary one, gone with its owner.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Writes a file and the folders above it.
void write_text(const std::filesystem::path& path, std::string_view text);

/// The whole file as text; fails the test when it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// Flips the bits of one byte, `share` of the way through the file.
void damage_file(const std::filesystem::path& path, double share);

}  // namespace cudapin
