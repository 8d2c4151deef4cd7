// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// A package that changes its version, by the names of its libraries (`libcudart.so.13`).
struct ChangedLibraries {
  std::string package;  ///< name and the version that leaves; of one that comes, `before` is empty
  std::set<std::string> before;
  std::set<std::string> after;
  bool is_certain = true;  ///< whether `after` was read from the package; else it is not known
};

/// An installed package that stays, and the libraries that its programs ask for.
struct LibraryUser {
  std::string name;
  std::string version;
  std::set<std::string> needs;
  std::set<std::string> own;  ///< libraries that it brings itself
};

/// Names of libraries with a version in them among owned paths.
std::set<std::string> library_names(std::span<const std::string> paths);

/// Leaves the names whose version is the first number of `from` where `to` has another: all that can be said
/// of a package that is not here yet.
void keep_those_of_the_version(std::set<std::string>& names, std::string_view from, std::string_view to);

/// One warning for each package that asks for a library that leaves, though no dependency says so. What
/// another changed package still has, the asking one brings itself, or nobody had, does not count.
std::vector<Finding> judge_leaving(std::span<const ChangedLibraries> changed,
                                   std::span<const LibraryUser> users);

}  // namespace cudapin
