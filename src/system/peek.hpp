// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

// Looking at files below a root without trusting what is there: absolute links and `..` stay below the root,
// where the kernel knows how, nothing waits at a pipe or wakes a device, and what is not there or may not be
// read is empty.

/// The beginning of a regular file.
std::string read_start(const std::filesystem::path& root, const std::string& path,
                       std::size_t limit = 128u << 10);

/// The last whole lines of a file, at most `limit` bytes.
std::string read_end(const std::filesystem::path& file, std::size_t limit);

/// The names in a folder, sorted.
std::vector<std::string> names_in(const std::filesystem::path& root, const std::string& path);

bool exists_below(const std::filesystem::path& root, const std::string& path);

/// Where `path` ends after all links, as seen from the root, or empty.
std::string resolved(const std::filesystem::path& root, const std::string& path);

/// Two or more numbers with dots between, and no longer than a version is.
bool is_dotted_version(std::string_view text);
std::string first_version(std::string_view line);
std::string_view first_line(std::string_view text);

/// The highest X.Y of the names `stem`X.Y; sonames with a single number do not count.
std::string highest_suffix(const std::vector<std::string>& names, std::string_view stem);

/// The number that `#define name` gives, or -1.
int defined_number(std::string_view header, std::string_view name);

}  // namespace cudapin
