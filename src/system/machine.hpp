// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"
#include "system/host.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// What this machine is, read from /sys, /proc and root; nothing is executed and no device is opened. Empty:
/// not known.
struct Machine {
  std::vector<Gpu> gpus;                ///< NVIDIA display and 3D controllers, vfio-bound ones left out
  std::vector<Gpu> passed_through;      ///< those: bound for a virtual machine
  std::vector<std::string> other_gpus;  ///< PCI ids of display controllers of other makers
  std::string driver_loaded;   ///< "590.48.01" from /proc/driver/nvidia/version or /sys/module/nvidia/version
  std::string driver_on_disk;  ///< version suffix of libnvidia-ml.so or libcuda.so below root
  std::string nvcc;            ///< "11.1.0" of /opt/cuda below root
  std::string libcudart;       ///< version suffix of /opt/cuda/lib64/libcudart.so.X.Y.Z
  std::string cudnn;           ///< "8.0.4" from the file name of libcudnn.so.8.0.4 or its header
  std::string kernel;          ///< release of the running kernel
};

Machine inspect_machine(const Host& host);

}  // namespace cudapin
