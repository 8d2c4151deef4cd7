// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cudapin::diagnosis {

using fmt::format;
using enum Severity;

namespace {

Findings some_card_is_there(const Examination& found) {
  if (!found.gpus.empty() || !found.passed_through.empty() || found.in_wsl) return {};
  return {{note, tr_text("no NVIDIA card was found in this machine"), "/sys/bus/pci/devices",
           tr_text("name one to judge for: cudapin doctor --gpu 'RTX 3090'")}};
}

Findings passed_through(const Examination& found) {
  Findings findings;
  for (const auto& gpu : found.passed_through)
    findings.push_back({note,
                        tr("the {} is passed through to a virtual machine, and is not judged", gpu.name),
                        tr("{} is bound to vfio-pci", gpu.address), ""});
  return findings;
}

Findings powered_off(const Examination& found) {
  Findings findings;
  for (const auto& address : found.powered_off)
    findings.push_back({note,
                        tr_text("the card is powered off, so only what the kernel remembers of it is known"),
                        address, ""});
  return findings;
}

Findings shares_the_screen(const Examination& found) {
  if (found.gpus.empty() || found.other_gpus.empty() || found.gpus_chosen) return {};
  return {
      {note,
       tr_text(
           "another maker's display controller is here too: the screen may be its, and the NVIDIA card free "
           "to compute"),
       format("PCI {}", join(found.other_gpus, ", ")), ""}};
}

Findings windows_has_the_driver(const Examination& found) {
  if (!found.in_wsl) return {};
  const auto* driver = found.package("nvidia-utils");
  if (driver)
    return {
        {error,
         tr_text(
             "this is Windows' Linux, where the driver is Windows' own, and nvidia-utils gets in its way"),
         tr("nvidia-utils {}; /usr/lib/wsl/lib", driver->version), "sudo pacman -R nvidia-utils"}};
  return {{note,
           tr_text("this is Windows' Linux: the driver is Windows' own, only CUDA and cuDNN are managed "
                   "here, and what "
                   "computes is not known"),
           "/proc/version", ""}};
}

Findings container_has_the_cards(const Examination& found) {
  if (found.container.empty() || found.gpus_chosen) return {};
  if (found.gpus.empty() && found.driver_loaded.empty()) return {};
  if (!found.has_device)
    return {{error, tr("this {} container was started without the cards", found.container),
             tr_text("/dev/nvidiactl is missing"),
             tr_text("start it with --gpus all or --device nvidia.com/gpu=all")}};
  return {
      {note,
       tr("this is a {} container: the driver is the host's, and a driver package in here changes nothing",
          found.container),
       found.container, ""}};
}

Findings slice_of_a_card(const Examination& found) {
  if (found.virtual_gpu.empty()) return {};
  return {
      {warning,
       tr_text(
           "this is a slice of a card that the host shares out: its driver has to match the host's, so leave "
           "it alone"),
       found.virtual_gpu, tr_text("use profiles without a driver")}};
}

Findings generations_differ(const Examination& found) {
  std::set<std::string> generations;
  std::vector<std::string> names;
  for (const auto& gpu : found.gpus)
    if (!gpu.generation.empty() && generations.insert(gpu.generation).second)
      names.push_back(format("{} ({})", gpu.name, gpu.generation));
  if (names.size() < 2) return {};
  return {{note,
           tr("cards of several generations are here, and one set must serve all: {}", join(names, ", ")),
           "/sys/bus/pci/devices", "cudapin suggest"}};
}

constexpr Rule all[] = {some_card_is_there,     passed_through,          powered_off,     shares_the_screen,
                        windows_has_the_driver, container_has_the_cards, slice_of_a_card, generations_differ};

}  // namespace

std::span<const Rule> machine_rules() { return all; }

}  // namespace cudapin::diagnosis
