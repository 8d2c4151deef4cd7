// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/guard_files.hpp"
#include "system/host.hpp"

#include <string>
#include <string_view>

/// The verbs that pacman's hooks start; each returns the exit status.
namespace cudapin::guard_hooks {

/// Notes the names on stdin as what this transaction will install, upgrade or remove.
int record(const GuardFiles& files, std::string_view operation);

/// Judges everything recorded and what stdin names besides. Has a deadline: past it the driver is blocked
/// while the compute device's module is loaded, everything else is as the policy says.
int decide(const GuardFiles& files, const Host& host);

/// After the transaction: uses up the allowance, tells of a pin that was passed by and of a driver that does
/// not match the loaded module.
int after(const GuardFiles& files, const Host& host);

void warn(const std::string& text);
void write_error(std::string_view text);

}  // namespace cudapin::guard_hooks
