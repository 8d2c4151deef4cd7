// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace cudapin {

/// A text, and why it is not the system's own word: `objection` is empty when root alone can have written it.
struct OwnedText {
  std::string text;
  std::string objection;
};

/// Reads FOLDER/RELATIVE, a mebibyte at most. It is the system's own when it and every folder from FOLDER on
/// belong to root, nobody else may write them, and none is a symbolic link. What is read and what is looked
/// at are the same open file. Throws Error when it cannot be read.
OwnedText read_owned(const std::filesystem::path& folder, const std::filesystem::path& relative);

}  // namespace cudapin
