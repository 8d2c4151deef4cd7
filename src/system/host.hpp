// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network.hpp"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

namespace cudapin {

/// Everything of the outside world that a command may touch, in one value: a test is a Host on a temporary
/// folder. Nothing else reads the environment, the clock, argv or the standard streams.
struct Host {
  std::filesystem::path root = "/";      ///< where packages, configuration and state are; --root changes it
  std::filesystem::path proc = "/proc";  ///< the machine is always the real one, whatever root is
  std::filesystem::path sys = "/sys";
  std::filesystem::path profiles;    ///< folder of the built-in profiles
  std::filesystem::path catalogues;  ///< folder of the translations
  std::map<std::string, std::string> environment;
  std::istream* in = nullptr;
  std::ostream* out = nullptr;
  std::function<int()> out_failure;  ///< errno of the first write to `out` that failed, or 0; may be empty
  std::ostream* err = nullptr;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::string color = "auto";                                  ///< or "always", "never"
  std::function<unsigned()> out_columns = [] { return 80u; };  ///< how wide its terminal is now
  std::function<unsigned()> err_columns = [] { return 80u; };
  Network network;
  bool json_progress = false;  ///< transfers are told of to a program
  bool privileged = false;     ///< effective uid 0
  bool keeps_caches = true;    ///< false for a dry run of root, which leaves no file at all
  std::string card_library;  ///< through which cards are set; empty: the driver's, and with another root none
  std::function<std::chrono::system_clock::time_point()> now;
  std::function<void(std::string_view)> on_step;  ///< told of every step of a change; tests stop there
  std::atomic<int>* interrupt =
      nullptr;  ///< the signal that asked us to stop, or 0; never null after from_process

  /// The Host of this process. Installs handlers for SIGINT, SIGTERM and SIGHUP that set the flag.
  static Host from_process();

  /// `path` (absolute, as on the target system) below root. Never follows `..` out of it.
  std::filesystem::path at(std::string_view path) const;
  /// Where what can be had again is kept under `name`: root's in the state folder, a person's in their own
  /// cache; empty where there is no place for it.
  std::filesystem::path cache_folder(std::string_view name) const;
  /// The locale of messages, as POSIX reads it from the environment; "C" where none is named.
  std::string locale() const;
  /// The variable's value, or empty.
  std::string variable(const std::string& name) const;
  /// Whether a stream is told in colour: as `color` says, else a terminal where NO_COLOR is not set.
  bool takes_color(bool is_terminal) const;
  bool interrupted() const { return interrupt && interrupt->load() != 0; }
  /// Throws Error with status `interrupted` when a signal has come.
  void check_interrupt() const;
  void step(std::string_view name) const {
    if (on_step) on_step(name);
  }
};

/// How wide the terminal is now; 80 where it is none.
unsigned terminal_columns(int terminal);

/// Folders of cudapin's own, below root.
inline constexpr std::string_view state_folder = "/var/lib/cudapin";
inline constexpr std::string_view store_folder = "/var/lib/cudapin/store";
inline constexpr std::string_view config_file = "/etc/cudapin/config.yaml";

}  // namespace cudapin
