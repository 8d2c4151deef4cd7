// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/manjaro.hpp"

#include "commands/way_back.hpp"
#include "core/error.hpp"
#include "core/manjaro.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/distribution.hpp"
#include "system/local_database.hpp"

#include <ostream>

namespace cudapin {

Profile for_this_system(const Host& host, const PacmanConf& conf, Profile profile) {
  if (!is_manjaro(host)) return profile;
  return with_manjaro_partners(std::move(profile), LocalDatabase(conf).all());
}

void refuse_foreign_builds(const Plan& plan, const Sources& sources) {
  if (!sources.is_manjaro) return;
  std::vector<std::string> lines;
  for (const auto& action : plan.actions) {
    if (!needs_file(action) || !is_manjaro_build(action.name)) continue;
    if (const auto file = parse_file_name(action.file); file && locate(sources, *file).empty())
      lines.push_back(
          tr("{} {} is in no cache, and Arch's build of it is never installed on Manjaro, which builds "
             "kernels, drivers and 32-bit packages itself",
             action.name, action.to));
  }
  if (!lines.empty())
    throw Error(
        join(lines, "\n"),
        tr_text("mhwd --listinstalled shows the driver; a profile of your own without these packages extends "
                "this one"));
}

void note_own_builds(const Host& host, const PacmanConf& conf, const Sources& sources, Plan& plan) {
  if (!sources.is_manjaro) return;
  const LocalDatabase database(conf);
  std::vector<std::string> lost;
  std::vector<std::string> metas;
  for (const auto& name : plan.pins) {
    if (is_kernel_meta(name)) metas.push_back(name);
    const auto installed = database.find(name);
    if (is_manjaro_build(name) && installed && !find_package_file(host, conf, name, installed->version))
      lost.push_back(name + " " + installed->version);
  }
  if (!metas.empty())
    plan.findings.push_back(
        {Severity::note,
         trn("{} is pinned too: an update would remove kernels past their end of life, pinned or not",
             "{} are pinned too: an update would remove kernels past their end of life, pinned or not",
             metas.size(), join(metas, ", ")),
         "", ""});
  if (!lost.empty())
    plan.findings.push_back(
        {Severity::warning,
         tr("no cache has {}: once removed it could not be had again, for Manjaro keeps no "
            "archive",
            join(lost, ", ")),
         "", ""});
}

void keep_pinned(const Host& host, const PacmanConf& conf, const std::map<std::string, std::string>& pins) {
  if (!is_manjaro(host)) return;
  for (const auto& [name, version] : pins) try {
      keep_in_store(host, conf, name, version);
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      *host.err << tr("warning: {} {} is not kept in the store: {}\n", name, version,
                      printable(error.what()));
    }
}

}  // namespace cudapin
