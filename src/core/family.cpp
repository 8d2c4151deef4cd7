// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/family.hpp"

#include "core/package_class.hpp"

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

/// `linux612` and the like, of Manjaro's linux612-nvidia.
bool is_numbered_kernel(std::string_view text) {
  constexpr std::string_view start = "linux";
  return text.starts_with(start) && text.size() > start.size() &&
         text.find_first_not_of("0123456789", start.size()) == text.npos;
}

bool is_driver_module(std::string_view package) {
  constexpr std::array<std::string_view, 6> flavours{"nvidia",      "nvidia-lts",      "nvidia-dkms",
                                                     "nvidia-open", "nvidia-open-lts", "nvidia-open-dkms"};
  const auto end = package.find("-nvidia");
  return std::ranges::find(flavours, package) != flavours.end() ||
         (end != package.npos && is_numbered_kernel(package.substr(0, end)));
}

bool is_toolkit(std::string_view package) {
  constexpr std::array<std::string_view, 5> parts{"cuda", "cuda-tools", "cuda-static", "cuda-toolkit",
                                                  "cuda-sdk"};
  return std::ranges::find(parts, package) != parts.end();
}

bool is_toolkit_or_library(std::string_view package) {
  return is_toolkit(package) || package == "cudnn" || package == "nccl";
}

/// "gcc10" of gcc10, gcc10-libs and gcc10-fortran; empty for the system's own.
std::string_view numbered_gcc(std::string_view package) {
  constexpr std::string_view start = "gcc";
  const auto stem = package.substr(0, package.find('-'));
  return stem.starts_with(start) && stem.size() > start.size() &&
                 stem.find_first_not_of("0123456789", start.size()) == stem.npos
             ? stem
             : std::string_view{};
}

bool is_driver(std::string_view package) { return class_of(package) == PackageClass::driver; }

}  // namespace

bool same_family(std::string_view one, std::string_view other) {
  return (is_driver_module(one) && is_driver_module(other)) || (is_toolkit(one) && is_toolkit(other));
}

bool moves_with(std::string_view one, std::string_view other) {
  return (is_toolkit_or_library(one) && is_toolkit_or_library(other)) ||
         (is_driver(one) && is_driver(other)) ||
         (!numbered_gcc(one).empty() && numbered_gcc(one) == numbered_gcc(other));
}

}  // namespace cudapin
