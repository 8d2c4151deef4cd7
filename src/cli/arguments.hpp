// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/actions.hpp"
#include "core/network.hpp"

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
  std::string color = "auto";  ///< or "always", "never"
  bool quiet = false;
};
/// Of the verbs that fetch.
struct FetchingOptions : CommonOptions {
  Network network;
  bool json_progress = false;
};

struct UseOptions : FetchingOptions {
  std::string profile;  ///< a name or a path to a file
  bool dry_run = false;
  bool noconfirm = false;
  bool offline = false;
  bool locked = false;  ///< only with a lock
  std::vector<std::string> gpus;
  std::vector<std::string> archives;
  std::vector<std::string> removals;  ///< installed packages to let go
};
struct LockOptions : FetchingOptions {
  std::string profile;
  bool vouch = false;
  bool offline = false;
  std::vector<std::string> archives;
};
struct FetchOptions : FetchingOptions {
  std::vector<std::string> words;  ///< one profile, or with `import_files` package files
  bool import_files = false;
  std::string to;  ///< a folder in the place of the store, or empty
  bool locked = false;
  bool offline = false;
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
struct UndoOptions : FetchingOptions {
  bool dry_run = false;
  bool noconfirm = false;
  bool offline = false;
  std::vector<std::string> archives;
};
struct HistoryOptions : CommonOptions {};
struct StoreOptions : CommonOptions {
  std::string action;  ///< list, verify or prune
  int keep = 1;        ///< newest versions of each package that prune leaves
  bool dry_run = false;
};
struct VersionsOptions : CommonOptions {
  std::vector<std::string> packages;
  bool offline = false;
  std::vector<std::string> gpus;
  std::vector<std::string> archives;
};
struct PinOptions : CommonOptions {
  bool repair = false;
};
struct StatusOptions : CommonOptions {};
struct ValidateOptions : CommonOptions {
  std::vector<std::string> files;
};
struct WhoOptions : CommonOptions {};
struct FreezeOptions : CommonOptions {
  std::string duration;
  std::string reason;
  std::vector<std::string> packages;
};
struct ThawOptions : CommonOptions {
  std::vector<std::string> packages;
};
struct AllowOptions : CommonOptions {
  bool once = false;
  std::string duration;
  std::vector<std::string> packages;
};
struct GuardOptions : CommonOptions {
  std::vector<std::string> words;  ///< "check" and packages
};
struct RunOptions : CommonOptions {
  std::vector<std::string> command;  ///< what follows `--`
};
struct UpgradeOptions : CommonOptions {
  bool dry_run = false;
  bool noconfirm = false;
};
struct DoctorOptions : CommonOptions {
  std::string candidate;  ///< a profile to judge the machine for, or empty
  std::vector<std::string> gpus;
  std::string env;      ///< folder of a virtual environment or conda prefix, or empty
  std::string explain;  ///< an error text, "-" for standard input, or empty
};
struct SuggestOptions : CommonOptions {
  std::vector<std::string> gpus;
};
struct EnvOptions : CommonOptions {
  std::string profile;
  std::string shell;  ///< "bash", "zsh", "fish", or empty for the one in use
  bool loader_path = false;
  std::vector<std::string> gpus;
};
struct TuneOptions : CommonOptions {
  bool dry_run = false;
};
struct ProfileOptions : CommonOptions {
  std::string action;
  std::vector<std::string> words;  ///< what the action is about: profiles, files, URLs, keys
  std::string output;              ///< the file that export writes
  bool lock = false;               ///< export the lock too
  bool vouch = false;              ///< the key may vouch for packages
  std::string fingerprint;         ///< the key that the person means, typed in the place of a yes
  std::string key;                 ///< the secret key that signs
  int days = 30;                   ///< how long a published index holds
  bool dry_run = false;
  bool noconfirm = false;
};
struct MetricsOptions : CommonOptions {
  std::string output;  ///< a file, or empty for standard output
};
struct VersionRequest {};

/// An option as the help and the completions show it; `name` without its dashes.
struct OptionText {
  std::string name;
  std::string letter;       ///< or empty
  std::string placeholder;  ///< what its value is, "<dir>", or empty for a flag
  std::string summary;
};

struct VerbText {
  std::string name;
  std::string operand;
  std::string summary;
  std::vector<OptionText> options;
  std::span<const VerbAction> actions;
};

struct HelpRequest {
  std::string text;
  std::vector<OptionText> options;
};

/// Not in the help: what the completion scripts are made of, and what they ask for.
struct CompletionsRequest {
  std::string shell;
};
struct CompleteRequest {
  std::string kind;
  std::string start;
};

using Arguments =
    std::variant<UseOptions, LockOptions, FetchOptions, ReleaseOptions, RecoverOptions, ListOptions,
                 ShowOptions, StatusOptions, WhoOptions, FreezeOptions, ThawOptions, AllowOptions,
                 GuardOptions, RunOptions, UpgradeOptions, DoctorOptions, SuggestOptions, EnvOptions,
                 TuneOptions, UndoOptions, HistoryOptions, StoreOptions, PinOptions, ValidateOptions,
                 VersionsOptions, ProfileOptions, MetricsOptions, VersionRequest, HelpRequest,
                 CompletionsRequest, CompleteRequest>;

/// argv (without the program's name) as a verb's options. Throws Error with status `usage` that names the
/// closest word.
Arguments parse_arguments(std::span<const std::string> args);

/// Every verb with its options, as the parser knows them.
std::vector<VerbText> described_verbs();

}  // namespace cudapin
