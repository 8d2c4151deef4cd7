// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis_rules.hpp"
#include "core/pacman_log.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin::diagnosis {

using fmt::format;
using enum Severity;

namespace {

constexpr auto loaded_from = "/proc/driver/nvidia/version";

bool is_driver_package(std::string_view name) {
  return name.find("nvidia") != name.npos && !name.starts_with("mhwd-") &&
         name.find("container") == name.npos;
}

/// A package that brings the kernel module, built or to be built.
bool brings_module(const Package& package) {
  if (!is_driver_package(package.name)) return false;
  for (const std::string_view other : {"utils", "settings", "opencl", "prime", "libnvidia"})
    if (package.name.find(other) != std::string::npos) return false;
  return true;
}

Findings loaded_is_on_disk(const Examination& found) {
  if (found.driver_loaded.empty() || found.driver_on_disk.empty()) return {};
  if (same_driver(found.driver_loaded, found.driver_on_disk)) return {};
  const auto change = last_change(found.pacman_log, "nvidia-utils");
  const auto remedy =
      found.work.empty()
          ? std::string(tr_text("sudo reboot; without one, end what uses the card and reload nvidia_drm, "
                                "nvidia_modeset, nvidia_uvm, nvidia in this order"))
          : tr("reboot when the running work has ended: {}", join(found.work, "; "));
  return {{error,
           tr("driver {} is loaded, and {} is on disk: what runs already goes on, what starts now fails",
              found.driver_loaded, found.driver_on_disk),
           format("{}: {}; /usr/lib: {}{}", loaded_from, found.driver_loaded, found.driver_on_disk,
                  change.empty() ? "" : "; " + change),
           remedy}};
}

Findings driver_is_there(const Examination& found) {
  if (found.in_wsl || found.gpus.empty() || found.gpus_chosen) return {};
  if (found.driver_on_disk.empty() && found.driver_loaded.empty())
    return {{error, tr_text("no NVIDIA driver is installed"), tr("{} is missing", loaded_from),
             "sudo pacman -S nvidia-open"}};
  if (!found.driver_loaded.empty()) return {};
  const bool gone = !found.kernel.empty() && !found.kernels.empty() &&
                    std::ranges::find(found.kernels, found.kernel) == found.kernels.end();
  return {{error,
           gone ? tr("kernel {} runs, but its modules are gone from the disk, so no driver can be loaded",
                     found.kernel)
                : tr("driver {} is installed, but not loaded", found.driver_on_disk),
           gone ? tr("/usr/lib/modules has {}", join(found.kernels, ", ")) : tr("{} is missing", loaded_from),
           gone ? "sudo reboot" : "sudo modprobe nvidia"}};
}

/// Judged for the driver that the next boot loads: that is where a card gets lost.
Findings cards_are_driven(const Examination& found) {
  Findings findings;
  for (const auto& version : {found.driver_on_disk, found.driver_loaded})
    for (const auto& gpu : found.gpus)
      if (const auto card = rules::card_of(gpu); card && tables::major(version) > 0)
        for (auto rule : {rules::driver_keeps_card, rules::driver_knows_card})
          for (auto& finding : rule(version, *card))
            if (std::ranges::find(findings, finding) == findings.end())
              findings.push_back(std::move(finding));
  return findings;
}

Findings cards_are_known(const Examination& found) {
  Findings findings;
  for (const auto& gpu : found.gpus)
    if (!rules::card_of(gpu))
      for (auto& finding : rules::card_is_known(gpu)) findings.push_back(std::move(finding));
  return findings;
}

Findings flavour_fits(const Examination& found) {
  Findings findings;
  if (found.module_flavour.empty()) return findings;
  for (const auto& gpu : found.gpus) {
    const auto* generation = tables::find_generation(gpu.generation);
    const bool wants_open =
        generation && generation->open_modules == "required" && found.module_flavour == "closed";
    const bool wants_closed =
        generation && generation->open_modules == "never" && found.module_flavour == "open";
    if (!wants_open && !wants_closed) continue;
    findings.push_back({error,
                        tr("the {} needs the {} kernel module, and the {} one is installed", gpu.name,
                           wants_open ? "open" : "closed", found.module_flavour),
                        format("{}; {}", loaded_from,
                               found.module_package.empty() ? tr_text("no package brings the module")
                                                            : found.module_package),
                        wants_open ? std::string("sudo pacman -S nvidia-open")
                                   : tr("install {} from the AUR", generation->legacy_package)});
  }
  return findings;
}

Findings flavour_is_current(const Examination& found) {
  const bool closed = found.module_flavour == "closed" && tables::major(found.driver_on_disk) >= 590;
  if (!closed) return {};
  return {{warning,
           tr_text("from driver 590 on only the open kernel module is packaged, and this is the closed one"),
           found.module_package, "sudo pacman -S nvidia-open"}};
}

bool needs_patch(std::string_view driver, std::string_view kernel, std::string_view flavour) {
  return std::ranges::any_of(tables::kernel_patches(), [&](const tables::KernelPatch& row) {
    return row.kernel == kernel && !rules::older(driver, row.from) && !rules::older(row.to, driver) &&
           (row.flavour == "both" || flavour.empty() || row.flavour == flavour);
  });
}

Findings driver_builds_on_kernel(const Examination& found) {
  const auto series = tables::series(found.kernel);
  const auto* limit = tables::find_kernel_limit(found.driver_on_disk);
  if (!limit || series.empty() || !rules::older(limit->kernel, series)) return {};
  const bool runs = same_driver(found.driver_loaded, found.driver_on_disk);
  return {{runs ? note : warning,
           tr("driver {} {} kernel {}: it goes up to {}{}", found.driver_on_disk,
              runs ? tr_text("runs here, but its source does not build on") : tr_text("does not build on"),
              series, limit->kernel,
              needs_patch(found.driver_on_disk, series, found.module_flavour)
                  ? tr_text(", and a patch for it is known")
                  : ""),
           tr("kernel {}; driver {}", found.kernel, found.driver_on_disk),
           tr_text("pin the kernel and its headers too, or boot linux-lts")}};
}

Findings headers_are_there(const Examination& found) {
  const bool builds = found.module_package.ends_with("dkms");
  if (!builds || found.kernel_has_headers || found.kernel.empty()) return {};
  return {{warning,
           tr("{} builds the module at each upgrade, and kernel {} has no headers to build with",
              found.module_package, found.kernel),
           tr("/usr/lib/modules/{}/build is missing", found.kernel), "sudo pacman -S linux-headers"}};
}

Findings module_comes_from_pacman(const Examination& found) {
  if (found.driver_loaded.empty() || found.in_wsl || found.packages.empty()) return {};
  if (std::ranges::any_of(found.packages, brings_module)) return {};
  return {
      {warning,
       tr_text("the loaded kernel module comes from no package, so pins alone cannot keep it and its files "
               "together"),
       format("{}: {}", loaded_from, found.driver_loaded),
       tr_text(
           "remove the module of the other installer, or of the driver container, and install nvidia-open")}};
}

constexpr Rule all[] = {loaded_is_on_disk,       driver_is_there,   cards_are_driven,
                        cards_are_known,         flavour_fits,      flavour_is_current,
                        driver_builds_on_kernel, headers_are_there, module_comes_from_pacman};

}  // namespace

std::span<const Rule> driver_rules() { return all; }

}  // namespace cudapin::diagnosis
