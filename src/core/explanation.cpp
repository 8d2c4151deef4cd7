// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explanation.hpp"

#include "core/explanation_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace cudapin {

namespace explanations {

std::string word(const KnownMessage& message, std::size_t nth) {
  return nth < message.words.size() ? message.words[nth] : std::string{};
}

std::string cards(const Examination& found) {
  std::vector<std::string> names;
  for (const auto& gpu : found.gpus) {
    const auto name =
        fmt::format("{}{}", gpu.name, gpu.capability.empty() ? "" : " (" + gpu.capability + ")");
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? tr_text("no card that the tables know") : join(names, ", ");
}

std::string toolkit(const Examination& found) {
  const auto* seen = found.toolkit();
  if (!seen) return tr_text("no toolkit");
  return tr("CUDA {} in {}", seen->version.empty() ? tr_text("of an unknown version") : seen->version,
            seen->folder);
}

std::string driver(const Examination& found) {
  return found.driver().empty() ? tr_text("no driver") : tr("driver {}", found.driver());
}

bool has_card(const Examination& found, int sm) {
  return std::ranges::any_of(found.gpus, [&](const Gpu& gpu) { return tables::sm(gpu.capability) == sm; });
}

std::string architecture_list(const Examination& found, const tables::Toolkit* toolkit) {
  std::set<int> list;
  for (const auto& gpu : found.gpus) {
    const int sm = tables::sm(gpu.capability);
    if (sm == 0) continue;
    if (!toolkit) {
      list.insert(sm);
      continue;
    }
    int best = 0;
    for (const int architecture : toolkit->architectures)
      if (tables::find_binary_code(architecture, sm)) best = architecture;
    if (best != 0) list.insert(best);
  }
  return fmt::format("{}", fmt::join(list, ";"));
}

std::string toolkit_remedy(const Examination& found, std::string_view from, std::string_view to) {
  const ProfileSeen* best = nullptr;
  for (const auto& profile : found.profiles) {
    const auto series = tables::series(profile.cuda);
    const bool serves = std::ranges::any_of(found.gpus, [&](const Gpu& gpu) {
      return std::ranges::find(profile.generations, gpu.generation) != profile.generations.end();
    });
    if (series.empty() || (!found.gpus.empty() && !serves)) continue;
    if ((!from.empty() && rules::older(series, from)) || (!to.empty() && rules::older(to, series))) continue;
    if (!best || rules::older(best->cuda, profile.cuda)) best = &profile;
  }
  if (best) return fmt::format("sudo cudapin use {}", best->name);
  if (from.empty() && to.empty()) return "cudapin suggest";
  if (!from.empty() && from == to) return tr("use CUDA {}", from);
  if (to.empty()) return tr("use CUDA {} or newer", from);
  return from.empty() ? tr("use CUDA {} or older", to) : tr("use CUDA {} to {}", from, to);
}

}  // namespace explanations

namespace {

explanations::Answer answer_of(std::string_view id) {
  for (const auto rows :
       {explanations::compiler_rows(), explanations::driver_rows(), explanations::program_rows()})
    for (const auto& row : rows)
      if (row.id == id) return row.answer;
  return nullptr;
}

/// Messages that say only that another one is near.
bool is_wrapper(const Explanation& explanation) {
  return explanation.id == "cmake_compiler_id" || explanation.id == "tf_dlopen_gpu";
}

}  // namespace

std::vector<Explanation> explain(std::string_view text, const Examination& found) {
  std::vector<Explanation> explanations;
  for (const auto& message : known_messages_in(text))
    if (const auto answer = answer_of(message.error->id))
      explanations.push_back({std::string(message.error->id), message.quote, answer(message, found)});
  std::stable_partition(explanations.begin(), explanations.end(),
                        [](const auto& one) { return !is_wrapper(one); });
  return explanations;
}

}  // namespace cudapin
