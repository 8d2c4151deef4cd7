// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frameworks.hpp"

#include "core/compatibility_rules.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

using fmt::format;
using enum Severity;
using tables::FrameworkBuild;

namespace {

std::string title(const FrameworkSeen& seen) {
  return format("{} {}{}", seen.name, seen.version.empty() ? "of an unknown version" : seen.version,
                seen.cuda.empty() ? "" : format(", built for CUDA {},", seen.cuda));
}

const FrameworkBuild* build_of(const FrameworkSeen& seen) {
  return tables::find_framework_build(seen.name, seen.version, seen.cuda);
}

bool compiles_for(const tables::Toolkit& toolkit, int sm) {
  return std::ranges::find(toolkit.architectures, sm) != toolkit.architectures.end();
}

bool compiles_for_all(std::string_view cuda, const std::vector<Gpu>& gpus) {
  const auto* toolkit = tables::find_toolkit(cuda);
  return toolkit && std::ranges::all_of(gpus, [&](const Gpu& gpu) {
           const int sm = tables::sm(gpu.capability);
           return sm == 0 || compiles_for(*toolkit, sm);
         });
}

bool runs_on_all(const FrameworkBuild& build, const std::vector<Gpu>& gpus) {
  return std::ranges::all_of(gpus, [&](const Gpu& gpu) {
    const int sm = tables::sm(gpu.capability);
    return sm == 0 || reach(build, sm) == Reach::compiled || reach(build, sm) == Reach::compatible;
  });
}

std::string newest_that_runs(std::string_view framework, const Gpu& gpu) {
  std::string best;
  for (const auto& build : tables::framework_builds())
    if (build.framework == framework && !build.architectures.empty() && runs_on_all(build, {gpu}))
      best = format("install {} {} ({})", framework, build.version, build.tag);
  return best.empty() ? format("no build of {} runs on it: build {} yourself", framework, framework) : best;
}

Finding on_card(const FrameworkSeen& seen, const FrameworkBuild& build, const Gpu& gpu) {
  const int sm = tables::sm(gpu.capability);
  const auto evidence =
      format("{}; code for {}; {} is {}", seen.path, build.architectures, gpu.name, gpu.capability);
  const auto probably = rules::hedge(tables::names(build.uncertain, "sm"));
  switch (reach(build, sm)) {
    case Reach::compiled:
      return {note, format("{} {}runs on the {}", title(seen), probably, gpu.name), evidence, ""};
    case Reach::compatible: {
      int used = 0;
      for (const int code : architectures_in(build.architectures))
        if (tables::find_binary_code(code, sm)) used = code;
      return {note, format("{} {}runs on the {} by its sm_{} code", title(seen), probably, gpu.name, used),
              evidence, ""};
    }
    case Reach::ptx:
      return {warning,
              format("{} has only its general code for the {}; the driver translates it at each first start",
                     title(seen), gpu.name),
              evidence, newest_that_runs(seen.name, gpu)};
    case Reach::none:
      break;
  }
  return {error, format("{} {}cannot run on the {}: it has no code for it", title(seen), probably, gpu.name),
          evidence, newest_that_runs(seen.name, gpu)};
}

/// TensorFlow's table has no lists, but a least architecture.
std::vector<Finding> by_floor(const FrameworkSeen& seen, const Gpu& gpu) {
  const tables::FrameworkFloor* floor = nullptr;
  for (const auto& row : tables::framework_floors())
    if (row.framework == seen.name && !rules::older(seen.version, row.from)) floor = &row;
  if (!floor || tables::sm(gpu.capability) == 0 || tables::sm(gpu.capability) >= floor->least) return {};
  return {{error,
           format("{} {}has no code for the {}: it begins at capability {}", title(seen),
                  rules::hedge(tables::names(floor->uncertain, "least")), gpu.name,
                  tables::capability_text(floor->least)),
           format("{}; {} is {}", seen.path, gpu.name, gpu.capability),
           format("install a {} before {}", seen.name, floor->from)}};
}

/// A wheel brings its CUDA along: of the system only the driver counts, with the limits of its major version.
std::vector<Finding> on_driver(const FrameworkSeen& seen, const Examination& found) {
  // "12" alone stands for every toolkit of that major: the first is the least it can mean.
  const auto* toolkit = tables::find_toolkit(
      seen.cuda.find('.') == seen.cuda.npos && !seen.cuda.empty() ? seen.cuda + ".0" : seen.cuda);
  if (found.driver().empty() || !toolkit) return {};
  auto findings = rules::driver_serves_toolkit(found.driver(), *toolkit);
  std::erase_if(findings, [](const Finding& finding) { return finding.severity != error; });
  for (auto& finding : findings) {
    finding.what = format("{} cannot run: {}", title(seen), finding.what);
    finding.evidence = format("{}; {}", seen.path, finding.evidence);
  }
  return findings;
}

std::string pin_remedy(const Examination& found, std::string_view cuda) {
  for (const auto& profile : found.profiles)
    if (tables::series(profile.cuda) == tables::series(cuda)) {
      const bool serves =
          found.gpus.empty() || std::ranges::any_of(found.gpus, [&](const Gpu& gpu) {
            return std::ranges::find(profile.generations, gpu.generation) != profile.generations.end();
          });
      if (serves) return format("sudo cudapin use {}", profile.name);
    }
  return format("pin CUDA {}", cuda);
}

std::string pair_remedy(const FrameworkSeen& seen, const Examination& found) {
  if (compiles_for_all(seen.cuda, found.gpus)) return pin_remedy(found, seen.cuda);
  const auto* pair = matching_pair(found, seen.name, seen.version);
  if (!pair) return pin_remedy(found, seen.cuda);
  return format("install the matching pair: {} {}+{} and CUDA {} ({})", pair->framework, pair->version,
                pair->tag, pair->cuda, pin_remedy(found, pair->cuda));
}

/// Would an extension build: apex wants the same series, PyTorch's own check the same major number.
std::vector<Finding> extension(const FrameworkSeen& seen, const ToolkitSeen* toolkit, bool exact,
                               const Examination& found) {
  if (seen.cuda.empty()) return {};
  if (!toolkit || toolkit->version.empty())
    return {{note,
             format("{} needs no toolkit to run; to build extensions for it there is none here", title(seen)),
             seen.path, pair_remedy(seen, found)}};
  const auto here = tables::series(toolkit->version);
  const auto evidence = format("{}; CUDA {} in {}", seen.path, toolkit->version, toolkit->folder);
  if (here == tables::series(seen.cuda)) {
    if (compiles_for_all(toolkit->version, found.gpus))
      return {{note, format("an extension for {} builds with CUDA {} and runs here", title(seen), here),
               evidence, ""}};
    return {{warning,
             format("an extension for {} builds with CUDA {}, but not for the cards here", title(seen), here),
             evidence, format("TORCH_CUDA_ARCH_LIST=8.0 where that runs, or {}", pair_remedy(seen, found))}};
  }
  const bool refused = exact || tables::major(here) != tables::major(seen.cuda);
  return {{refused ? error : warning,
           refused ? format("{} for {} {}: the compiler here is CUDA {}", exact ? "apex" : "an extension",
                            title(seen), exact ? "refuses to build" : "does not build", here)
                   : format("an extension for {} builds with a warning: the compiler here is CUDA {}",
                            title(seen), here),
           evidence, pair_remedy(seen, found)}};
}

bool builds_extensions(const FrameworkSeen& seen) { return seen.name == "torch"; }

std::vector<Finding> carried_cudnn(const PythonEnvironment& environment, const Examination& found) {
  const auto* cudnn = tables::find_cudnn(environment.cudnn);
  if (!cudnn) return {};
  std::vector<Finding> findings;
  for (const auto& gpu : found.gpus)
    if (const auto card = rules::card_of(gpu))
      for (auto& finding : rules::cudnn_has_code(*cudnn, environment.cudart, *card))
        findings.push_back(std::move(finding));
  return findings;
}

}  // namespace

Reach reach(const FrameworkBuild& build, int sm) {
  const auto architectures = architectures_in(build.architectures);
  if (std::ranges::find(architectures, sm) != architectures.end()) return Reach::compiled;
  for (const int code : architectures)
    if (tables::find_binary_code(code, sm)) return Reach::compatible;
  return build.ptx != 0 && build.ptx <= sm ? Reach::ptx : Reach::none;
}

const FrameworkBuild* matching_pair(const Examination& found, std::string_view framework,
                                    std::string_view version) {
  const FrameworkBuild* oldest = nullptr;
  const auto here = found.toolkit() ? tables::series(found.toolkit()->version) : std::string_view{};
  for (const auto& build : tables::framework_builds()) {
    if (build.framework != framework || rules::older(build.version, version) || build.architectures.empty())
      continue;
    if (!runs_on_all(build, found.gpus) || !compiles_for_all(build.cuda, found.gpus)) continue;
    if (build.cuda == here) return &build;
    if (!oldest) oldest = &build;
  }
  return oldest;
}

std::vector<Finding> judge_environment(const PythonEnvironment& environment, const Examination& found) {
  std::vector<Finding> findings;
  const auto add = [&](std::vector<Finding> more) {
    for (auto& finding : more) findings.push_back(std::move(finding));
  };
  const bool has_apex =
      std::ranges::any_of(environment.frameworks, [](auto& seen) { return seen.name == "apex"; });
  const auto* toolkit = environment.toolkits.empty() ? found.toolkit() : &environment.toolkits.front();
  for (const auto& seen : environment.frameworks) {
    if (seen.name == "apex") continue;
    if (seen.cpu_only) {
      add({{warning,
            format("{} {} is built for processors only and never uses a card", seen.name, seen.version),
            seen.path, "install a build with a CUDA tag"}});
      continue;
    }
    const auto* build = build_of(seen);
    for (const auto& gpu : found.gpus)
      if (build && !build->architectures.empty() && tables::sm(gpu.capability) != 0)
        add({on_card(seen, *build, gpu)});
      else
        add(by_floor(seen, gpu));
    if (!build && !seen.cuda.empty())
      add({{note, format("{} is in no table, so nothing is known of the cards it has code for", title(seen)),
            seen.path, ""}});
    add(on_driver(seen, found));
    if (builds_extensions(seen)) add(extension(seen, toolkit, has_apex, found));
  }
  add(carried_cudnn(environment, found));
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::severity);
  return findings;
}

}  // namespace cudapin
