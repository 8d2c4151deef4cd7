// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"
#include "system/guard_files.hpp"
#include "system/host.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What an admin tells the guard. Both programs have these verbs; the guard's own work when the tool's
/// libraries do not. Each returns a line to print and throws Error; each is recorded in history.
namespace cudapin::guard_admin {

/// Who asks, and when.
struct Admin {
  std::string name;
  std::int64_t now = 0;
  bool is_root = false;
};

/// The admin behind this process: sudo's user, else the name in the environment.
Admin from_process();

struct FreezeRequest {
  std::int64_t seconds = 0;
  std::string reason;
  std::vector<std::string> packages;  ///< none: every package
};
std::string freeze(const GuardFiles& files, const Admin& admin, const FreezeRequest& request);

/// Ends the freezes of these packages, without packages every freeze.
std::string thaw(const GuardFiles& files, const Admin& admin, const std::vector<std::string>& packages);

/// `once` lasts an hour at most when nobody uses it.
struct AllowRequest {
  bool once = false;
  std::int64_t seconds = 0;
  std::vector<std::string> packages;
};
std::string allow(const GuardFiles& files, const Admin& admin, const AllowRequest& request);

/// Takes back the allowances for one transaction that it has used.
void use_up(const GuardFiles& files, const Admin& admin, const std::vector<Allowance>& used);

/// What would happen now if these packages (none: all installed ones that the guard watches or pins) were
/// upgraded to what the sync databases have. Fills `input`.
Verdict check(const GuardFiles& files, const Host& host, const std::vector<std::string>& names,
              GuardInput& input);

}  // namespace cudapin::guard_admin
