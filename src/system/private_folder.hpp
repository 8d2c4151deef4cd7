// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace cudapin {

/// A folder /tmp/cudapin-PURPOSE-XXXXXX that only we can read, gone with its owner. Throws Error when there
/// can be none.
class PrivateFolder {
 public:
  explicit PrivateFolder(const std::string& purpose);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace cudapin
