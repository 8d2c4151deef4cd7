// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// What pacman is about to do with a package; `change` where that was not recorded.
enum class Operation { install, upgrade, remove, change };

/// "install", "upgrade", "remove", "change".
const char* operation_word(Operation operation);

struct GuardTarget {
  std::string name;
  Operation operation;
  std::string installed = {};             ///< empty: not installed, or not known
  std::vector<std::string> offered = {};  ///< what it may become; none: not known, which counts as different
  friend bool operator==(const GuardTarget&, const GuardTarget&) = default;
};

/// What must stay as it is, and which profile says so.
struct PinState {
  std::string profile;
  std::map<std::string, std::string> versions;  ///< by package name
  friend bool operator==(const PinState&, const PinState&) = default;
};

/// A process that computes, as far as the rules and the message need it. Texts are raw.
struct RunningWork {
  long pid = 0;
  std::string user;
  std::vector<int> gpus;
  std::int64_t started = 0;  ///< seconds since the epoch
  std::string command;
  std::string place;              ///< container or batch job, or empty
  std::vector<std::string> uses;  ///< which of the targets it has files of in memory
  friend bool operator==(const RunningWork&, const RunningWork&) = default;
};

/// The last version of something that serves one of this machine's cards.
struct Bound {
  std::string family;   ///< "driver", "toolkit" or "cudnn"
  std::string last;     ///< "580", "12.9", "9.10.2.21": compared as far as its numbers go
  std::string release;  ///< the last one of it by name: "580.159.03"
  std::string card;
  friend bool operator==(const Bound&, const Bound&) = default;
};

struct Bounds {
  std::vector<std::string> cards;    ///< PCI ids they were made for
  std::vector<Bound> limits;         ///< none for a card that everything still serves
  std::vector<std::string> drivers;  ///< installed packages that bring the driver under a name in no table
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// "Touch nothing" for a while; without packages it is about every package.
struct Freeze {
  std::int64_t end = 0;
  std::string owner;
  std::vector<std::string> packages;
  std::string reason;
  friend bool operator==(const Freeze&, const Freeze&) = default;
};

/// Lets a transaction through whatever the rules say; without packages whatever it is about.
struct Allowance {
  bool once = false;  ///< used up by one transaction
  std::int64_t end = 0;
  std::string owner;
  std::vector<std::string> packages;
  friend bool operator==(const Allowance&, const Allowance&) = default;
};

/// What an admin decides, /etc/cudapin/guard.conf.
struct GuardPolicy {
  bool blocks_on_error = false;
  bool strict = false;
  std::vector<std::string> ignored_processes;  ///< fnmatch patterns of executables or their names
  friend bool operator==(const GuardPolicy&, const GuardPolicy&) = default;
};

/// Whose transaction it is; other than `foreign` only when proved by cudapin's token.
enum class Transactor { foreign, cudapin, recovery };

/// All that a decision rests on.
struct GuardInput {
  std::vector<GuardTarget> targets;
  PinState pins;
  Transactor transactor = Transactor::foreign;
  GuardPolicy policy;
  std::vector<RunningWork> work;
  std::string blindness;       ///< why running work could not be looked for; empty: it was
  bool uvm_is_loaded = false;  ///< only asked when blind
  std::string loaded_driver;   ///< version of the module in the kernel
  Bounds bounds;
  std::vector<Freeze> freezes;
  std::vector<Allowance> allowances;
  std::vector<std::string> ignored;  ///< what the suggested upgrade leaves out; empty: what is blocked
  std::int64_t now = 0;
};

struct Verdict {
  bool blocks = false;
  std::vector<std::string> lines;     ///< what to tell: at most 20, safe for a terminal
  std::vector<std::string> blocking;  ///< names of the targets that block
  std::vector<Allowance> used;        ///< without these it would have been blocked
};

/// Goes through the table of rules; one objection blocks. Freezes and allowances that have ended do not
/// count.
Verdict judge(const GuardInput& input);

/// Takes out the targets that no rule can be about.
void drop_bystanders(GuardInput& input);
/// Whether judge can object to `input` with other versions or other running work at all: the cheap question
/// first.
bool concerns_guard(const GuardInput& input);
/// Whether it has a rule that asks what runs.
bool needs_work(const GuardInput& input);
/// Whether a rule asks which work uses this package's files.
bool asks_who_uses(const GuardInput& input, std::string_view package);
/// Whether its verdict could change with the targets' new versions known.
bool needs_versions(const GuardInput& input);

/// "2d03h", "3h07m", "12m"
std::string duration_text(std::int64_t seconds);
/// "2026-12-03 18:00 UTC"
std::string time_text(std::int64_t seconds);

}  // namespace cudapin
