// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

/// A folder of profiles, locks and signatures: on a web server, or on this machine (a git checkout, a share).
class SharedSource {
 public:
  struct Wanted {
    std::string name;
    std::size_t limit;  ///< bytes
  };

  /// `where` is an https URL, a file URL or a path; http is for this machine alone. Throws Error for any
  /// other.
  SharedSource(const Host& host, const std::string& where);

  /// As it is remembered: a URL, or an absolute path.
  const std::string& place() const { return place_; }
  bool is_remote() const { return is_remote_; }
  /// What `name` is called in messages.
  std::string shown(const std::string& name) const;

  /// Nothing when there is no such file. Throws Error when it is too long, no plain file (a symbolic link),
  /// or cannot be had.
  std::optional<std::string> read(const std::string& name, std::size_t limit) const;
  /// All of them, at once where they come from afar.
  std::vector<std::optional<std::string>> read_all(std::span<const Wanted> wanted) const;

 private:
  std::vector<std::optional<std::string>> get(std::span<const Wanted> wanted) const;
  std::optional<std::string> open(const Wanted& wanted) const;

  const Host& host_;
  std::string place_;
  bool is_remote_ = false;
};

/// Whether a word of the command line names something on a web server.
bool is_remote_place(const std::string& word);

}  // namespace cudapin
