// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/machine.hpp"

#include "core/text.hpp"
#include "system/peek.hpp"
#include "system/toolkits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::string first_filled(std::initializer_list<std::string> values) {
  for (const auto& value : values)
    if (!value.empty()) return value;
  return {};
}

bool is_display(std::string_view device_class) {
  return device_class.starts_with("0x0300") || device_class.starts_with("0x0302") ||
         device_class.starts_with("0x0380");
}

bool is_passed_through(const Host& host, const std::string& address) {
  std::error_code ignored;
  return fs::read_symlink(host.sys / "bus/pci/devices" / address / "driver", ignored).filename() ==
         "vfio-pci";
}

void find_cards(const Host& host, Machine& machine) {
  for (const auto& address : names_in(host.sys, "bus/pci/devices")) {
    const auto attribute = [&](const char* name) {
      return std::string(first_line(read_start(host.sys, "bus/pci/devices/" + address + "/" + name)));
    };
    if (!is_display(attribute("class"))) continue;
    const auto vendor = attribute("vendor");
    const auto device = printable(attribute("device").substr(0, 16));
    if (vendor != "0x10de") {
      machine.other_gpus.push_back(printable(vendor.substr(0, 16)) + ":" + device);
      continue;
    }
    auto gpu = gpu_by_pci_id(device);
    gpu.address = printable(address);
    (is_passed_through(host, address) ? machine.passed_through : machine.gpus).push_back(std::move(gpu));
  }
}

std::string loaded_driver(const Host& host) {
  return first_filled({first_version(first_line(read_start(host.proc, "driver/nvidia/version"))),
                       first_version(first_line(read_start(host.sys, "module/nvidia/version")))});
}

std::string running_kernel(const Host& host) {
  const auto release = std::string(first_line(read_start(host.proc, "sys/kernel/osrelease")));
  if (!release.empty()) return printable(release.substr(0, 64));
  const auto words = split(first_line(read_start(host.proc, "version")), " ");
  return words.size() > 2 && words[1] == "version" ? printable(words[2].substr(0, 64)) : std::string{};
}

std::string cudnn_of_header(const std::string& header) {
  const int major = defined_number(header, "CUDNN_MAJOR");
  const int minor = defined_number(header, "CUDNN_MINOR");
  const int patch = defined_number(header, "CUDNN_PATCHLEVEL");
  return major < 0 || minor < 0 || patch < 0 ? std::string{} : fmt::format("{}.{}.{}", major, minor, patch);
}

std::string cudnn_header(const Host& host) {
  for (const auto* folder : {"usr/include/", "opt/cuda/include/"})
    for (const auto* name : {"cudnn_version.h", "cudnn.h"}) {
      auto version = cudnn_of_header(read_start(host.root, std::string(folder) + name));
      if (!version.empty()) return version;
    }
  return {};
}

}  // namespace

Machine inspect_machine(const Host& host) {
  const auto libraries = names_in(host.root, "usr/lib");
  auto toolkit_libraries = names_in(host.root, "opt/cuda/lib64");
  if (toolkit_libraries.empty()) toolkit_libraries = names_in(host.root, "opt/cuda/targets/x86_64-linux/lib");
  Machine machine;
  find_cards(host, machine);
  machine.driver_loaded = loaded_driver(host);
  machine.driver_on_disk =
      first_filled({highest_suffix(libraries, "libnvidia-ml.so."), highest_suffix(libraries, "libcuda.so.")});
  machine.nvcc = toolkit_version(host.root, "opt/cuda");
  machine.libcudart = highest_suffix(toolkit_libraries, "libcudart.so.");
  machine.cudnn = first_filled({highest_suffix(libraries, "libcudnn.so."),
                                highest_suffix(toolkit_libraries, "libcudnn.so."), cudnn_header(host)});
  machine.kernel = running_kernel(host);
  return machine;
}

}  // namespace cudapin
