// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_rules.hpp"
#include "core/version.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin::rules {

using fmt::format;
using enum Severity;

namespace {

/// With this driver the toolkit runs at all; empty: only with its own.
std::string_view driver_floor(const tables::Toolkit& toolkit) {
  const int cuda = tables::major(toolkit.version);
  std::string_view floor;
  for (const auto& row : tables::driver_floors())
    if (row.cuda_major == cuda) floor = row.driver;
  // CUDA 11.0 is older than the promise for its major, and runs with less; so does 9.1 with its own bundle.
  if (!floor.empty() && older(toolkit.driver, floor)) floor = toolkit.driver;
  if (floor.empty() && older(toolkit.bundled_driver, toolkit.driver)) floor = toolkit.bundled_driver;
  return floor;
}

}  // namespace

bool older(std::string_view version, std::string_view than) { return compare_versions(version, than) < 0; }

Findings toolkit_is_known(std::string_view version) {
  if (version.empty() || tables::find_toolkit(version)) return {};
  const auto newest = tables::toolkits().back().version;
  const bool newer = older(newest, version);
  return {{newer ? warning : note, tr("CUDA {} is in no table, so nothing is known of what fits it", version),
           tr("the tables go from CUDA {} to {}", tables::toolkits().front().version, newest),
           newer ? tr_text("update cudapin") : ""}};
}

Findings driver_serves_toolkit(std::string_view driver, const tables::Toolkit& toolkit) {
  if (!older(driver, toolkit.driver)) return {};
  const auto floor = driver_floor(toolkit);
  const auto evidence = tr("CUDA {}: driver {}, with limits from {}", toolkit.version, toolkit.driver,
                           floor.empty() ? toolkit.driver : floor);
  const auto remedy = tr("use driver {} or newer, or an older CUDA", toolkit.driver);
  const auto probably = hedge(tables::names(toolkit.uncertain, "driver"));
  if (!floor.empty() && !older(driver, floor))
    return {{warning,
             tr("driver {} {}runs CUDA {} with limits: it does not compile this CUDA's PTX, and what needs "
                "driver {} fails",
                driver, probably, toolkit.version, toolkit.driver),
             evidence, remedy}};
  return {{error,
           tr("driver {} is {}too old for CUDA {}, which needs {}", driver,
              hedge(tables::names(toolkit.uncertain, "floor")), toolkit.version,
              floor.empty() ? toolkit.driver : floor),
           evidence, remedy}};
}

Findings compiler_fits(const std::vector<int>& majors, const tables::Toolkit& toolkit) {
  const bool practical = toolkit.gcc_practical_max != 0;
  const int most = practical ? toolkit.gcc_practical_max : toolkit.gcc_max;
  const auto accepted = [&](int major) { return toolkit.gcc_min <= major && major <= most; };
  if (majors.empty() || std::ranges::any_of(majors, accepted)) return {};
  const auto range =
      toolkit.gcc_min == 0 ? tr("gcc {} at most", most) : tr("gcc {} to {}", toolkit.gcc_min, most);
  const bool uncertain = !practical && tables::names(toolkit.uncertain, "gcc_max");
  return {{warning,
           tr("CUDA {} {}takes {} as host compiler, and there is only gcc {}",
              tables::series(toolkit.version), hedge(uncertain), range, fmt::join(majors, ", ")),
           format("CUDA {}: {}", toolkit.version, range),
           tr("install gcc{0} and build with NVCC_CCBIN=/usr/bin/g++-{0}", most)}};
}

Findings glibc_fits(std::string_view version, const tables::Toolkit& toolkit) {
  const auto glibc = tables::series(version);
  const auto takes = [&](const tables::Toolkit& row) {
    return row.glibc_max.empty() || !older(row.glibc_max, glibc);
  };
  if (glibc.empty() || takes(toolkit)) return {};
  const auto newer = std::ranges::find_if(tables::toolkits(), takes);
  const auto other = newer == tables::toolkits().end()
                         ? ""
                         : tr(", or use CUDA {} or newer", tables::series(newer->version));
  return {{warning,
           tr("CUDA {} runs but {}does not build with glibc {}: its headers take glibc {} at most",
              tables::series(toolkit.version), hedge(tables::names(toolkit.uncertain, "glibc")), glibc,
              toolkit.glibc_max),
           tr("CUDA {}: glibc {}; here {}", toolkit.version, toolkit.glibc_max, version),
           tr("build in a container with glibc {} or older{}", toolkit.glibc_max, other)}};
}

}  // namespace cudapin::rules
