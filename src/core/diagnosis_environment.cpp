// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin::diagnosis {

using fmt::format;
using enum Severity;

namespace {

std::string described(const ToolkitSeen& toolkit) {
  return tr("CUDA {} in {}{}", toolkit.version.empty() ? tr_text("of unknown version") : toolkit.version,
            toolkit.folder, toolkit.through.empty() ? "" : tr(" (by {})", toolkit.through));
}

/// Where pacman's toolkit is.
const ToolkitSeen* packaged(const Examination& found) {
  const auto at = std::ranges::find(found.toolkits, "/opt/cuda", &ToolkitSeen::folder);
  return at == found.toolkits.end() ? nullptr : &*at;
}

Findings packaged_toolkit_wins(const Examination& found) {
  const auto* first = found.toolkit();
  const auto* system = packaged(found);
  if (!first || !system || first == system || first->version == system->version) return {};
  std::vector<std::string> all;
  for (const auto& toolkit : found.toolkits) all.push_back(described(toolkit));
  return {{warning,
           tr("builds in this shell take {}, not the packaged {}", described(*first), described(*system)),
           tr("in this order: {}", join(all, ", ")),
           format("export CUDA_HOME={0} PATH={0}/bin:$PATH", system->folder)}};
}

Findings variables_lead_somewhere(const Examination& found) {
  Findings findings;
  for (const auto* name : {"CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN", "CUDAHOSTCXX"}) {
    const auto value = found.variable(name);
    if (std::ranges::find(found.missing_files, value) == found.missing_files.end() || value.empty()) continue;
    findings.push_back({error, tr("{} names '{}', which does not exist", name, value),
                        format("{}={}", name, value), tr("log in anew, or unset {}", name)});
  }
  return findings;
}

/// A variable that two toolkits share shows which one a build takes; two that differ split one build in two.
Findings home_and_path_agree(const Examination& found) {
  const ToolkitSeen* home = nullptr;
  const ToolkitSeen* path = nullptr;
  for (const auto& toolkit : found.toolkits) {
    if (toolkit.through == "CUDA_HOME" || toolkit.through == "CUDA_PATH") home = &toolkit;
    if (toolkit.through == "PATH") path = &toolkit;
  }
  if (!home || !path || home->version == path->version) return {};
  return {
      {warning,
       tr("{} and PATH lead to different toolkits: {} and {}", home->through, home->version, path->version),
       format("{}; {}", described(*home), described(*path)),
       format("export PATH={}/bin:$PATH", home->folder)}};
}

Findings loader_path_is_clean(const Examination& found) {
  Findings findings;
  for (const auto& library : found.libraries) {
    const bool is_cudnn = library.path.find("libcudnn") != library.path.npos;
    const bool is_driver = library.path.find("libcuda.so") != library.path.npos;
    const auto* toolkit = packaged(found);
    const auto here = is_cudnn    ? found.cudnn
                      : is_driver ? found.driver_on_disk
                      : toolkit   ? toolkit->version
                                  : std::string{};
    const bool same =
        !here.empty() && !library.version.empty() && tables::series(here) == tables::series(library.version);
    if (same) continue;
    findings.push_back({warning,
                        tr("LD_LIBRARY_PATH puts another {} before the system's: {} instead of {}",
                           is_cudnn    ? "cuDNN"
                           : is_driver ? tr_text("driver library")
                                       : tr_text("CUDA runtime"),
                           library.version.empty() ? tr_text("one of unknown version") : library.version,
                           here.empty() ? tr_text("none") : here),
                        library.path, "unset LD_LIBRARY_PATH"});
  }
  return findings;
}

std::string entries(const std::vector<int>& list) {
  std::vector<std::string> words;
  for (const int sm : list) words.push_back(tables::capability_text(sm));
  return join(words, " ");
}

/// "5.2+PTX" makes code that the driver translates for every later card.
bool translates_for(const std::string& list, int sm) {
  for (const auto& entry : split(list, " ;,"))
    if (entry.ends_with("+PTX"))
      for (const int code : architectures_in(entry))
        if (code <= sm) return true;
  return false;
}

bool covers(const std::string& list, int sm) {
  const auto codes = architectures_in(list);
  return sm == 0 || translates_for(list, sm) ||
         std::ranges::any_of(codes, [&](int code) { return tables::find_binary_code(code, sm) != nullptr; });
}

Findings toolkit_lacks(const std::string& name, const std::string& list, const tables::Toolkit& row) {
  std::vector<int> lacking;
  for (const int sm : architectures_in(list))
    if (std::ranges::find(row.architectures, sm) == row.architectures.end()) lacking.push_back(sm);
  if (lacking.empty()) return {};
  return {{error,
           tr("{} asks for {}, which CUDA {} does not compile for", name, entries(lacking),
              tables::series(row.version)),
           format("{}={}", name, list), format("unset {}", name)}};
}

Findings architectures_are_built(const Examination& found) {
  Findings findings;
  const auto* row = found.toolkit() ? tables::find_toolkit(found.toolkit()->version) : nullptr;
  for (const std::string name : {"TORCH_CUDA_ARCH_LIST", "CUDAARCHS"}) {
    const auto list = found.variable(name);
    if (architectures_in(list).empty()) continue;
    if (row)
      for (auto& finding : toolkit_lacks(name, list, *row)) findings.push_back(std::move(finding));
    for (const auto& gpu : found.gpus)
      if (!covers(list, tables::sm(gpu.capability)))
        findings.push_back(
            {warning, tr("what is built with {} does not run on the {} ({})", name, gpu.name, gpu.capability),
             format("{}={}", name, list), format("unset {}", name)});
  }
  return findings;
}

Findings cards_are_visible(const Examination& found) {
  const auto variable = found.environment.find("CUDA_VISIBLE_DEVICES");
  if (variable == found.environment.end() || (!variable->second.empty() && variable->second != "-1"))
    return {};
  return {{warning, tr_text("CUDA_VISIBLE_DEVICES hides every card from programs of this shell"),
           format("CUDA_VISIBLE_DEVICES='{}'", variable->second), "unset CUDA_VISIBLE_DEVICES"}};
}

constexpr Rule all[] = {loader_path_is_clean, variables_lead_somewhere, packaged_toolkit_wins,
                        home_and_path_agree,  architectures_are_built,  cards_are_visible};

}  // namespace

std::span<const Rule> environment_rules() { return all; }

}  // namespace cudapin::diagnosis
