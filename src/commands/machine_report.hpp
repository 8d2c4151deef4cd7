// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"
#include "system/machine.hpp"
#include "system/processes.hpp"
#include "system/state.hpp"
#include "system/subscriptions.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// A pin, and what has become of it.
struct PinStatus {
  std::string name;
  std::string version;    ///< the pinned one
  std::string installed;  ///< empty: not installed
  bool in_force = false;  ///< pacman lists it under IgnorePkg

  bool has_drifted() const { return installed != version; }
};

/// What `status` and `metrics` tell of a machine.
struct Report {
  std::optional<State> state;
  std::vector<PinStatus> pins;
  Machine machine;
  std::string highest;
  std::vector<ComputeProcess> work;
  std::string recovery;
  std::vector<std::string> pin_problems;
  std::vector<std::int64_t> blocked;  ///< when the guard blocked a transaction, in seconds since 1970
  std::vector<Freeze> freezes;        ///< those that hold now
  std::vector<Subscription> subscribed;

  bool has_drifted() const;
  /// The module in the kernel and the libraries on disk are of different drivers.
  bool has_driver_skew() const;
  /// Seconds for which the profile has been in force, or nothing.
  std::optional<std::int64_t> pins_age(const Host& host) const;
};

Report gather_report(const Host& host);

}  // namespace cudapin
