// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/report.hpp"
#include "core/compatibility.hpp"
#include "core/plan.hpp"
#include "core/profile.hpp"
#include "system/host.hpp"
#include "system/machine.hpp"
#include "system/pacman_conf.hpp"

#include <string>
#include <vector>

namespace cudapin {

/// The machine as a profile is judged against it.
struct Facts {
  Machine machine;
  bool gpus_chosen = false;  ///< by --gpu instead of found
  std::string glibc;         ///< upstream version of the installed glibc
};

/// Puts the rows of /etc/cudapin/compatibility.d/*.yaml, by name, into the tables. Throws Error for a bad
/// file.
void load_site_rows(const Host& host);

/// Inspects the machine; `words` are --gpu values and replace the cards found. Throws Error for a word that
/// names no card.
Facts gather_facts(const Host& host, const PacmanConf& conf, const std::vector<std::string>& words);

/// Everything the tables and the profile's own requirements say, worst first.
std::vector<Finding> judge_profile(const Profile& profile, const Facts& facts);

/// Throws one Error with every error finding; its hint is the first one's remedy.
void refuse_errors(const std::vector<Finding>& findings);

/// The lines over a plan: cards and driver.
std::string facts_text(const Facts& facts, const Style& style);

/// Throws Error with status `refused` where the guard's rules that bind cudapin too have something against
/// the plan: running work, a freeze, a kernel without its driver's module.
void refuse_guarded(const Host& host, const Plan& plan);

/// The same where a freeze is about one of these pins, which are to change though no package does.
void refuse_frozen(const Host& host, std::span<const std::string> pins);

/// Tells the guard what serves these cards, and which installed packages bring the driver.
void refresh_bounds(const Host& host, const PacmanConf& conf, const std::vector<Gpu>& gpus);

}  // namespace cudapin
