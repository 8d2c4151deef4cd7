// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/profile.hpp"

#include <span>
#include <string_view>

namespace cudapin {

/// Whether Manjaro builds `package` itself: kernels, driver modules, the driver, 32-bit packages. Arch's
/// archive has other packages of these names, which are never installed there. CUDA, cuDNN, NCCL and the gccN
/// packages are Arch's own files on both.
bool is_manjaro_build(std::string_view package);

/// Whether `os_release`, the text of os-release, is of Manjaro or of a system made from it.
bool is_manjaro_release(std::string_view os_release);

/// `linux-meta`, `linux-lts-nvidia-meta`, …: they conflict with every kernel that has reached its end of
/// life, so their update takes an old kernel away, IgnorePkg or not.
bool is_kernel_meta(std::string_view package);

/// The profile as Manjaro needs it. Where it pins something of the driver or a kernel that is installed, its
/// partners are all that stands or falls with it there: kernels with a driver module and their headers, the
/// modules, the driver with its 32-bit and OpenCL parts, and the metas.
Profile with_manjaro_partners(Profile profile, std::span<const Package> installed);

}  // namespace cudapin
