// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/manjaro.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

TEST_CASE("manjaro: kernels drivers and 32-bit packages are its own builds") {
  for (const auto* name : {"linux", "linux510", "linux54-nvidia-455xx", "linux-lts-headers", "nvidia",
                           "nvidia-utils", "nvidia-455xx-utils", "nvidia-open-dkms", "lib32-nvidia-utils",
                           "lib32-gcc-libs", "opencl-nvidia", "opencl-nvidia-580xx", "mhwd-nvidia"})
    CHECK(is_manjaro_build(name));
  for (const auto* name :
       {"cuda", "cuda-tools", "cudnn", "nccl", "gcc10", "gcc10-libs", "python-pytorch-cuda"})
    CHECK(!is_manjaro_build(name));
}

TEST_CASE("manjaro: os-release says whether it is") {
  CHECK(is_manjaro_release("NAME=\"Manjaro Linux\"\nID=manjaro\nID_LIKE=arch\n"));
  CHECK(is_manjaro_release("ID='manjaro'"));
  CHECK(is_manjaro_release("ID=mabox\nID_LIKE=\"manjaro arch\"\n"));
  CHECK(!is_manjaro_release("NAME=\"Arch Linux\"\nID=arch\nVARIANT_ID=manjaro\n"));
  CHECK(!is_manjaro_release("ID=manjaro-like\n"));
  CHECK(!is_manjaro_release(""));
}

TEST_CASE("manjaro: the metas that take old kernels away are known") {
  for (const auto* name : {"linux-meta", "linux-lts-meta", "linux-headers-meta", "linux-nvidia-580xx-meta"})
    CHECK(is_kernel_meta(name));
  for (const auto* name : {"linux", "linux510", "python-meta", "linux-metal"}) CHECK(!is_kernel_meta(name));
}

TEST_CASE("manjaro: a pinned driver takes its whole set with it") {
  const auto package = [](const char* name, const char* provided = nullptr) {
    Package made{.name = name, .version = "455.45.01-1"};
    if (provided) made.provides = {parse_dependency(provided)};
    return made;
  };
  const std::vector<Package> installed{package("linux54"),
                                       package("linux54-headers"),
                                       package("linux510"),
                                       package("linux54-nvidia-455xx", "nvidia=455.45.01"),
                                       package("nvidia-455xx-utils", "nvidia-utils=455.45.01"),
                                       package("lib32-nvidia-455xx-utils"),
                                       package("opencl-nvidia-455xx"),
                                       package("linux-meta"),
                                       package("cuda"),
                                       package("gcc")};
  Profile profile{.name = "lab", .pin_if_installed = {"nvidia-utils"}};
  auto partners = with_manjaro_partners(profile, installed).pin_if_installed;
  std::ranges::sort(partners);
  CHECK(partners == std::vector<std::string>{"lib32-nvidia-455xx-utils", "linux-meta", "linux54",
                                             "linux54-headers", "linux54-nvidia-455xx", "nvidia-455xx-utils",
                                             "nvidia-utils", "opencl-nvidia-455xx"});
  profile.pin_if_installed = {"gcc10-fortran", "cuda-tools"};
  CHECK(with_manjaro_partners(profile, installed).pin_if_installed == profile.pin_if_installed);
}

}  // namespace cudapin
