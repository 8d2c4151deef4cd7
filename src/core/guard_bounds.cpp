// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_bounds.hpp"

#include "core/compatibility_data.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace cudapin {

namespace {

/// The least capability that any build of a cuDNN serves.
int least_sm(const tables::Cudnn& cudnn) {
  int least = 0;
  for (const auto& pair : split(cudnn.least, " ")) {
    const int here = tables::sm(std::string_view(pair).substr(pair.find(':') + 1));
    least = least == 0 ? here : std::min(least, here);
  }
  return least;
}

/// The last cuDNN that serves the card, or empty when the newest does.
std::string_view last_cudnn(int sm) {
  const auto rows = tables::cudnns();
  const auto found =
      std::find_if(rows.rbegin(), rows.rend(), [&](const auto& row) { return least_sm(row) <= sm; });
  return found == rows.rend() || found == rows.rbegin() ? std::string_view{} : found->version;
}

void add_limits(const Gpu& gpu, std::vector<Bound>& limits) {
  const int sm = tables::sm(gpu.capability);
  const auto add = [&](const char* family, std::string_view last, std::string release) {
    if (!last.empty()) limits.push_back({family, std::string(last), std::move(release), gpu.name});
  };
  if (const auto* generation = tables::find_generation(gpu.generation);
      generation && generation->last_branch > 0)
    add("driver", std::to_string(generation->last_branch), std::string(generation->last_driver));
  if (const auto* capability = tables::find_capability(sm))
    add("toolkit", capability->last_cuda, std::string(capability->last_cuda));
  if (sm > 0) add("cudnn", last_cudnn(sm), std::string(last_cudnn(sm)));
}

}  // namespace

Bounds bounds_of(std::span<const Gpu> gpus) {
  Bounds bounds;
  for (const auto& gpu : gpus) {
    bounds.cards.push_back(gpu.pci_id.empty() ? "-" : gpu.pci_id);
    add_limits(gpu, bounds.limits);
  }
  return bounds;
}

}  // namespace cudapin
