// SPDX-License-Identifier: GPL-3.0-or-later
// What fits what. Each rule below is a question to the tables about one pair: toolkit and card, driver and
// card, driver and toolkit, cuDNN and the rest, host compiler, glibc. What is not known is never an error.
//
// Two traps. The least driver of a toolkit is the release notes' figure and not the driver in its installer:
// 455.23.04 serves CUDA 11.1.0, which came with 455.23.05. And "the first driver that knows a card" does not
// grow with the branch number: a card added to 470.129 is missing from the older releases of 510.
#include "core/compatibility.hpp"

#include "core/compatibility_data.hpp"
#include "core/compatibility_rules.hpp"

#include <algorithm>

namespace cudapin {

namespace {

using rules::Findings;

void add(Findings& to, Findings more) {
  for (auto& finding : more)
    if (std::ranges::find(to, finding) == to.end()) to.push_back(std::move(finding));
}

Findings judge_card(const Circumstances& circumstances, const Gpu& gpu) {
  const auto card = rules::card_of(gpu);
  if (!card) return rules::card_is_known(gpu);
  Findings found;
  if (const auto* toolkit = tables::find_toolkit(circumstances.toolkit))
    add(found, rules::toolkit_has_code(*toolkit, *card));
  if (tables::major(circumstances.driver) > 0) {
    add(found, rules::driver_keeps_card(circumstances.driver, *card));
    add(found, rules::driver_knows_card(circumstances.driver, *card));
  }
  if (const auto* cudnn = tables::find_cudnn(circumstances.cudnn))
    add(found, rules::cudnn_has_code(*cudnn, circumstances.toolkit, *card));
  return found;
}

Findings judge_versions(const Circumstances& circumstances) {
  Findings found = rules::toolkit_is_known(circumstances.toolkit);
  add(found, rules::cudnn_is_known(circumstances.cudnn));
  const auto* cudnn = tables::find_cudnn(circumstances.cudnn);
  if (cudnn && tables::major(circumstances.toolkit) > 0)
    add(found, rules::cudnn_fits_toolkit(*cudnn, circumstances.toolkit));
  const auto* toolkit = tables::find_toolkit(circumstances.toolkit);
  if (!toolkit) return found;
  if (tables::major(circumstances.driver) > 0)
    add(found, rules::driver_serves_toolkit(circumstances.driver, *toolkit));
  add(found, rules::compiler_fits(circumstances.host_gcc, *toolkit));
  add(found, rules::glibc_fits(circumstances.glibc, *toolkit));
  return found;
}

}  // namespace

std::vector<Finding> judge(const Circumstances& circumstances) {
  Findings found = rules::some_card_is_known(circumstances.gpus);
  for (const auto& gpu : circumstances.gpus) add(found, judge_card(circumstances, gpu));
  add(found, judge_versions(circumstances));
  std::stable_sort(found.begin(), found.end(),
                   [](auto& left, auto& right) { return left.severity > right.severity; });
  return found;
}

std::string highest_cuda(std::string_view driver) {
  const auto* branch = tables::find_driver_branch(driver);
  return branch ? std::string(branch->printed) : std::string{};
}

std::string first_toolkit(std::string_view capability) {
  const auto* row = tables::find_capability(tables::sm(capability));
  return row ? std::string(row->first_cuda) : std::string{};
}

std::string last_toolkit(std::string_view capability) {
  const auto* row = tables::find_capability(tables::sm(capability));
  return row ? std::string(row->last_cuda) : std::string{};
}

std::vector<std::string> generation_names() {
  std::vector<std::string> names;
  for (const auto& generation : tables::generations()) names.emplace_back(generation.id);
  return names;
}

}  // namespace cudapin
