// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cudapin {

/// Options every verb takes.
struct CommonOptions {
  std::string root = "/";
  bool json = false;
  bool verbose = false;
  bool quiet = false;
};

struct UseOptions : CommonOptions {
  std::string profile;  ///< a name or a path to a file
  bool dry_run = false;
  bool noconfirm = false;
  bool offline = false;
  std::vector<std::string> gpus;
  std::vector<std::string> archives;
};
struct ReleaseOptions : CommonOptions {
  bool dry_run = false;
  bool noconfirm = false;
};
struct RecoverOptions : CommonOptions {
  bool back = false;
  bool noconfirm = false;
};
struct ListOptions : CommonOptions {};
struct ShowOptions : CommonOptions {
  std::string profile;
};
struct StatusOptions : CommonOptions {};
struct ValidateOptions : CommonOptions {
  std::vector<std::string> files;
};
struct VersionRequest {};
struct HelpRequest {
  std::string text;
};

using Arguments = std::variant<UseOptions, ReleaseOptions, RecoverOptions, ListOptions, ShowOptions,
                               StatusOptions, ValidateOptions, VersionRequest, HelpRequest>;

/// argv (without the program's name) as a verb's options. Throws Error with status `usage` that names the
/// closest word.
Arguments parse_arguments(std::span<const std::string> args);

}  // namespace cudapin
