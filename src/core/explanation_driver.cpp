// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explanation_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>

namespace cudapin::explanations {

using fmt::format;
using enum Severity;

namespace {

constexpr std::string_view module_file = "/proc/driver/nvidia/version";

std::string or_unknown(const std::string& text) { return text.empty() ? tr_text("unknown") : text; }

std::string driver_evidence(const Examination& found) {
  return tr("loaded {} ({}), on disk {}", found.driver_loaded.empty() ? tr_text("none") : found.driver_loaded,
            module_file, found.driver_on_disk.empty() ? tr_text("none") : found.driver_on_disk);
}

Finding versions_differ(const KnownMessage&, const Examination& found) {
  const bool now = !found.driver_loaded.empty() && !found.driver_on_disk.empty();
  if (now && !same_driver(found.driver_loaded, found.driver_on_disk))
    return {error,
            tr("driver {} is loaded, and the files on disk are {}: the driver was upgraded under the "
               "running kernel; "
               "what runs already goes on, what starts now fails",
               found.driver_loaded, found.driver_on_disk),
            driver_evidence(found),
            found.work.empty() ? "sudo reboot" : tr_text("reboot when the running work has ended")};
  return {error,
          now ? tr("driver {} is loaded and on disk alike, so this machine has been restarted since, or the "
                   "message comes from a container that brings its own driver files",
                   found.driver_loaded)
              : tr_text("the loaded driver and the files on disk were of different versions"),
          driver_evidence(found), tr_text("pin the module and its user space together: cudapin doctor")};
}

/// The last branch for a card of this machine that the driver no longer drives.
const tables::Generation* dropped_generation(const Examination& found, const Gpu** card) {
  for (const auto& gpu : found.gpus) {
    const auto* generation = tables::find_generation(gpu.generation);
    if (!generation || generation->last_branch == 0) continue;
    if (tables::major(found.driver_on_disk) <= generation->last_branch) continue;
    *card = &gpu;
    return generation;
  }
  return nullptr;
}

Finding driver_dropped(const Gpu& gpu, const tables::Generation& generation, const Examination& found) {
  return {error,
          tr("{} no longer drives the {}; the last branch that does is {}", driver(found), gpu.name,
             generation.last_branch),
          format("{}; {}", driver_evidence(found), cards(found)),
          tr("install {} from the AUR, or pin driver {} with its kernel", generation.legacy_package,
             generation.last_driver)};
}

bool kernel_lacks_modules(const Examination& found) {
  return !found.kernel.empty() && !found.kernels.empty() &&
         std::ranges::find(found.kernels, found.kernel) == found.kernels.end();
}

Finding kernel_was_replaced(const Examination& found) {
  return {error,
          tr("kernel {} runs, and its modules are no longer on disk: the kernel was upgraded, so no "
             "module can be "
             "loaded until a reboot",
             found.kernel),
          tr("/usr/lib/modules has {}", join(found.kernels, ", ")), "sudo reboot"};
}

Finding too_new_kernel(const Examination& found, const std::string& kernel) {
  const auto version = found.driver_on_disk.empty() ? found.driver_loaded : found.driver_on_disk;
  const auto* limit = tables::find_kernel_limit(version);
  const auto series = tables::series(kernel);
  if (limit && rules::older(limit->kernel, series))
    return {error,
            tr("driver {} does not build on kernel {}; it goes up to {}", version, series, limit->kernel),
            tr("kernel {}; driver {}", kernel, or_unknown(version)),
            tr_text("install linux-lts and its headers, or a newer driver")};
  if (!found.kernel_has_headers)
    return {error, tr("there are no headers for kernel {}, so no module was built for it", kernel),
            tr("/usr/lib/modules/{}/build is missing", kernel), "sudo pacman -S linux-headers"};
  return {error, tr("there is no NVIDIA module for kernel {}", kernel),
          tr("kernel {}; driver {}", kernel, or_unknown(version)), "dkms status"};
}

Finding no_module(const KnownMessage& message, const Examination& found) {
  const Gpu* card = nullptr;
  if (const auto* generation = dropped_generation(found, &card))
    return driver_dropped(*card, *generation, found);
  if (found.driver_on_disk.empty() && found.driver_loaded.empty())
    return {error, tr_text("no NVIDIA driver is installed"), cards(found),
            "sudo pacman -S nvidia-open nvidia-utils"};
  if (kernel_lacks_modules(found)) return kernel_was_replaced(found);
  const auto named = word(message);
  const auto kernel = named.empty() ? found.kernel : named.substr(named.rfind('/') + 1);
  if (!found.driver_loaded.empty())
    return {error,
            tr("driver {} is loaded here now, so the message comes from another moment or another machine",
               found.driver_loaded),
            driver_evidence(found), "nvidia-smi"};
  return too_new_kernel(found, kernel);
}

Finding module_not_built(const KnownMessage& message, const Examination& found) {
  const auto kernel = word(message);
  auto finding = too_new_kernel(found, kernel);
  if (finding.remedy == "dkms status")
    finding = {error,
               tr("the module of {} did not build for kernel {}, though the tables know no reason",
                  driver(found), kernel),
               driver_evidence(found), tr("read /var/lib/dkms/nvidia/*/build/make.log")};
  return finding;
}

Finding flavour_finding(const Gpu& gpu, std::string_view needed, const Examination& found) {
  return {
      error,
      tr("the {} needs the {} kernel module, and the {} one is installed", gpu.name, needed,
         needed == "open" ? "closed" : "open"),
      format("{}; {}", driver_evidence(found), cards(found)),
      needed == "open" ? "sudo pacman -S nvidia-open" : tr_text("install nvidia-580xx-dkms from the AUR")};
}

Finding wrong_flavour(const KnownMessage& message, const Examination& found) {
  const Gpu* dropped = nullptr;
  if (const auto* generation = dropped_generation(found, &dropped))
    return driver_dropped(*dropped, *generation, found);
  const bool wants_open = message.error->id == "nvrm_requires_open";
  for (const auto& gpu : found.gpus)
    if (const auto* generation = tables::find_generation(gpu.generation)) {
      if (wants_open && generation->open_modules == "required") return flavour_finding(gpu, "open", found);
      if (!wants_open && generation->open_modules == "never") return flavour_finding(gpu, "closed", found);
    }
  return {error,
          wants_open
              ? tr_text("a card that only the open kernel module drives met the closed one")
              : tr_text("a card older than Turing met the open kernel module, which drives only newer ones"),
          format("{}; {}", driver_evidence(found), cards(found)),
          wants_open ? "sudo pacman -S nvidia-open" : tr_text("install nvidia-580xx-dkms from the AUR")};
}

Finding card_not_in_driver(const KnownMessage& message, const Examination& found) {
  const Gpu* dropped = nullptr;
  if (const auto* generation = dropped_generation(found, &dropped))
    return driver_dropped(*dropped, *generation, found);
  for (const auto& gpu : found.gpus)
    if (const auto card = rules::card_of(gpu)) {
      auto young = rules::driver_knows_card(found.driver(), *card);
      if (!found.driver().empty() && !young.empty()) return young.front();
    }
  if (const auto branch = word(message); message.error->id == "nvrm_legacy")
    return {error, tr("this driver has dropped the card; branch {} still drives it", branch),
            format("{}; {}", driver_evidence(found), cards(found)),
            tr("install nvidia-{}xx-dkms from the AUR", branch)};
  return {
      error,
      tr("the driver accepted no card; the tables know no reason for {} and {}", driver(found), cards(found)),
      driver_evidence(found), "sudo dmesg | grep NVRM | cudapin doctor --explain -"};
}

Finding off_the_bus(const KnownMessage&, const Examination& found) {
  return {error, tr_text("the card stopped answering: power, heat or the slot, and no question of versions"),
          cards(found), tr_text("check its power cables and slot, then reboot")};
}

/// The least driver with which the toolkit runs at all.
std::string_view floor_of(const tables::Toolkit& row) {
  for (const auto& floor : tables::driver_floors())
    if (floor.cuda_major == tables::major(row.version) && rules::older(floor.driver, row.driver))
      return floor.driver;
  return row.driver;
}

Finding driver_too_old(const KnownMessage&, const Examination& found) {
  if (found.driver().empty())
    return {error, tr_text("no driver is loaded, and a missing one is reported like one that is too old"),
            cards(found), "nvidia-smi"};
  const auto* row = found.toolkit() ? tables::find_toolkit(found.toolkit()->version) : nullptr;
  const auto most = highest_cuda(found.driver());
  if (row && rules::older(found.driver(), floor_of(*row)))
    return {error, tr("{} is too old for {}, which needs {}", driver(found), toolkit(found), floor_of(*row)),
            driver_evidence(found),
            tr("use driver {} or newer, or {}", floor_of(*row), toolkit_remedy(found, "", most))};
  return {error,
          tr("the program brings a newer CUDA than {} runs: the driver goes up to CUDA {}", driver(found),
             most.empty() ? tr_text("an unknown one") : most),
          format("{}; {}", driver_evidence(found), toolkit(found)),
          tr("install a build of the program for CUDA {} or older, or a newer driver",
             most.empty() ? "10" : most)};
}

Finding newer_ptx(const KnownMessage&, const Examination& found) {
  const auto most = highest_cuda(found.driver());
  const auto* row = found.toolkit() ? tables::find_toolkit(found.toolkit()->version) : nullptr;
  const bool shown = row && !found.driver().empty() && rules::older(found.driver(), row->driver);
  if (found.driver().empty())
    return {
        error,
        tr_text(
            "the program was built by a newer CUDA than the driver of its machine translates, and no driver "
            "is here"),
        driver_evidence(found), tr_text("run cudapin doctor --explain - on the machine that printed it")};
  return {error,
          shown ? tr("{} cannot translate what {} wrote: that needs driver {}", driver(found), toolkit(found),
                     row->driver)
                : tr("the program was built by a newer CUDA than {} translates, which is {}", driver(found),
                     most.empty() ? tr_text("unknown") : most),
          format("{}; {}", driver_evidence(found), toolkit(found)),
          tr("build with -arch for the cards ({}), or {}", architecture_list(found, row),
             shown ? tr("use driver {} or newer", row->driver) : toolkit_remedy(found, "", most))};
}

Finding forward_package(const KnownMessage&, const Examination& found) {
  return {
      error,
      tr_text("driver files that are newer than the loaded module come first; that is allowed on data centre "
              "cards only"),
      format("{}; LD_LIBRARY_PATH={}", driver_evidence(found), found.variable("LD_LIBRARY_PATH")),
      tr_text("take the folder of cuda-compat out of LD_LIBRARY_PATH, or out of the container")};
}

Finding fabric_missing(const KnownMessage&, const Examination& found) {
  return {
      error,
      tr_text(
          "cards that are joined by switches wait for the fabric manager, which does not run or has another "
          "version"),
      driver_evidence(found), "sudo systemctl start nvidia-fabricmanager"};
}

Finding no_device(const KnownMessage& message, const Examination& found) {
  const auto hidden = found.environment.find("CUDA_VISIBLE_DEVICES");
  if (hidden != found.environment.end() && (hidden->second.empty() || hidden->second == "-1"))
    return {error, tr_text("CUDA_VISIBLE_DEVICES hides every card from programs of this shell"),
            format("CUDA_VISIBLE_DEVICES='{}'", hidden->second), "unset CUDA_VISIBLE_DEVICES"};
  if (!found.container.empty() && !found.has_device)
    return {error, tr("this {} container was started without the cards", found.container),
            tr_text("/dev/nvidiactl is missing"),
            tr_text("start it with --gpus all or --device nvidia.com/gpu=all")};
  if (found.gpus.empty() && !found.passed_through.empty())
    return {error, tr_text("the cards are passed through to a virtual machine"),
            found.passed_through[0].address, tr_text("bind a card to the nvidia driver again")};
  return no_module(message, found);
}

Finding device_stuck(const KnownMessage&, const Examination& found) {
  if (kernel_lacks_modules(found)) return kernel_was_replaced(found);
  return {
      error,
      tr_text(
          "the compute device does not answer: its module is not loaded, or it did not survive a suspend"),
      driver_evidence(found), "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm"};
}

constexpr Row rows[] = {
    {"nvml_mismatch", versions_differ},
    {"smi_no_driver", no_module},
    {"smi_no_devices", card_not_in_driver},
    {"modprobe_missing", no_module},
    {"dkms_bad_exit", module_not_built},
    {"nvrm_api_mismatch_new", versions_differ},
    {"nvrm_api_mismatch_old", versions_differ},
    {"nvrm_not_open", wrong_flavour},
    {"nvrm_not_supported", card_not_in_driver},
    {"nvrm_requires_open", wrong_flavour},
    {"nvrm_legacy", card_not_in_driver},
    {"nvrm_bus", off_the_bus},
    {"cuda_35", driver_too_old},
    {"cuda_222", newer_ptx},
    {"cuda_804", forward_package},
    {"cuda_803", versions_differ},
    {"cuda_802", fabric_missing},
    {"cuda_100", no_device},
    {"cuda_999", device_stuck},
    {"torch_no_driver", no_device},
};

}  // namespace

std::span<const Row> driver_rows() { return rows; }

}  // namespace cudapin::explanations
