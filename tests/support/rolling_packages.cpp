// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"
#include "support/rolling_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cudapin {

namespace {

struct Row {
  Place place;
  std::string_view name;
  std::string_view version;
  std::string_view depends = "";
  std::string_view provides = "";
  std::string_view conflicts = "";
};

using enum Place;

// Names, versions and dependencies as the real packages had them. Of the packages that only stand for a
// running system (glibc to mkinitcpio, htop, the egl libraries) the dependencies are left out and the
// versions are merely plausible.
constexpr Row table[] = {
    {core, "glibc", "2.42-1"},
    {core, "zlib", "1:1.3.1-2", "glibc"},
    {core, "binutils", "2.45-1", "glibc zlib"},
    {core, "libmpc", "1.3.1-2", "glibc"},
    {core, "coreutils", "9.9-1", "glibc"},
    {core, "kmod", "34.2-1", "glibc"},
    {core, "mkinitcpio", "40-1", "", "initramfs"},
    {core, "python", "3.13.11-1", "glibc"},
    {core, "gcc-libs", "15.2.1+r934+gbcd3e3ff5aa7-1", "glibc>=2.27"},
    {core, "gcc", "15.2.1+r934+gbcd3e3ff5aa7-1",
     "gcc-libs=15.2.1+r934+gbcd3e3ff5aa7-1 binutils>=2.28 libmpc"},
    {core, "linux", "6.18.2.arch2-1", "coreutils kmod initramfs"},
    {extra, "libglvnd", "1.7.0-3", "", "libgl libegl libgles"},
    {extra, "egl-wayland", "4:1.1.20-1"},
    {extra, "egl-wayland2", "1.0.0-1"},
    {extra, "egl-gbm", "1.1.2-2"},
    {extra, "egl-x11", "1.0.4-1"},
    {extra, "htop", "3.4.1-1", "glibc"},
    {extra, "nvidia-utils", "590.48.01-1", "libglvnd egl-wayland egl-wayland2 egl-gbm egl-x11",
     "vulkan-driver opengl-driver nvidia-libgl", "nvidia-libgl"},
    {extra, "opencl-nvidia", "590.48.01-1", "zlib", "opencl-driver"},
    {extra, "nvidia-open", "590.48.01-3", "linux nvidia-utils=590.48.01 libglvnd", "NVIDIA-MODULE",
     "NVIDIA-MODULE"},
    {extra, "cuda", "13.1.1-1", "gcc opencl-nvidia python", "cuda-toolkit cuda-sdk"},
    {extra, "cudnn", "9.18.1.3-1", "cuda>=13"},
    {extra, "nccl", "2.28.7-1", "glibc gcc-libs"},
    {extra, "python-pytorch-cuda", "2.10.0-1", "cuda cudnn nccl python", "python-pytorch", "python-pytorch"},

    {next_core, "zlib", "1:1.3.1-3", "glibc"},
    {next_extra, "htop", "3.4.1-2", "glibc"},
    {next_extra, "cuda", "13.2.1-3", "gcc opencl-nvidia python", "cuda-toolkit cuda-sdk"},
    {next_extra, "cudnn", "9.23.0.39-1", "cuda>=13"},

    {moved, "cuda", "11.1.0-2", "gcc-libs gcc opencl-nvidia nvidia-utils", "cuda-toolkit cuda-sdk"},
    {moved, "cudnn", "8.0.4.30-1", "cuda>=11"},
    {moved, "nccl", "2.7.8-3", "glibc gcc-libs"},
    {moved, "gcc10", "1:10.2.0-3", "gcc10-libs binutils libmpc"},
    {moved, "gcc10-libs", "1:10.2.0-3", "glibc"},

    {archive, "cuda", "10.2.89-5", "gcc8-libs gcc8 opencl-nvidia nvidia-utils", "cuda-toolkit cuda-sdk"},
    {archive, "cudnn", "7.6.5.32-4", "cuda"},
    {archive, "gcc8", "8.4.0-1", "gcc8-libs=8.4.0-1 binutils>=2.28 libmpc"},
    {archive, "gcc8-libs", "8.4.0-1", "glibc>=2.27"},
};

struct Toolkit {
  std::string_view pkgver;
  std::string_view release;
  std::string_view build;
  std::string_view soname;
};

constexpr Toolkit toolkits[] = {{"10.2.89", "10.2", "10.2.89", "libcudart.so.10.2"},
                                {"11.1.0", "11.1", "11.1.74", "libcudart.so.11.0"},
                                {"13.1.1", "13.1", "13.1.115", "libcudart.so.13"},
                                {"13.2.1", "13.2", "13.2.78", "libcudart.so.13"}};

/// `FOLDER/NAME.so.VERSION` and the links that lead to it: the soname and, for the linker, `NAME.so`.
std::vector<StandInFile> library(const std::string& folder, const std::string& name,
                                 const std::string& version, const std::string& soname) {
  const auto file = name + ".so." + version;
  return {{.path = folder + file, .content = shared_object(soname), .mode = 0755},
          {.path = folder + soname, .link_to = file},
          {.path = folder + name + ".so", .link_to = soname}};
}

void add(std::vector<StandInFile>& files, const std::vector<StandInFile>& more) {
  files.insert(files.end(), more.begin(), more.end());
}

/// The first `count` numbers of a dotted version.
std::string leading(std::string_view version, std::size_t count) {
  auto numbers = split(version, ".");
  numbers.resize(std::min(count, numbers.size()));
  return join(numbers, ".");
}

StandInFile version_file(const Toolkit& toolkit) {
  if (toolkit.release == "10.2")
    return {.path = "opt/cuda/version.txt", .content = fmt::format("CUDA Version {}\n", toolkit.pkgver)};
  return {.path = "opt/cuda/version.json",
          .content = fmt::format(R"({{
   "cuda" : {{ "name" : "CUDA SDK", "version" : "{}" }},
   "cuda_nvcc" : {{ "name" : "CUDA NVCC", "version" : "{}" }}
}}
)",
                                 toolkit.pkgver, toolkit.build)};
}

void fill_cuda(StandIn& package, std::string_view pkgver) {
  const auto* toolkit = std::find_if(std::begin(toolkits), std::end(toolkits),
                                     [&](const Toolkit& one) { return one.pkgver == pkgver; });
  if (toolkit == std::end(toolkits)) throw std::logic_error("no such toolkit in the table");
  package.replaces = {"cuda-toolkit", "cuda-sdk"};
  package.backup = {"etc/profile.d/cuda.sh", "etc/ld.so.conf.d/cuda.conf"};
  package.install_script =
      "post_install() {\n  echo 'The cuda binaries are in /opt/cuda/bin.'\n  ldconfig -r .\n}\n"
      "post_upgrade() {\n  ldconfig -r .\n}\n";
  package.files = {{.path = "opt/cuda/bin/nvcc",
                    .content = fmt::format("#!/bin/sh\necho 'nvcc: NVIDIA (R) Cuda compiler driver'\n"
                                           "echo 'Cuda compilation tools, release {}, V{}'\n",
                                           toolkit->release, toolkit->build),
                    .mode = 0755},
                   version_file(*toolkit),
                   {.path = "etc/profile.d/cuda.sh",
                    .content = fmt::format(
                        "# cuda {}\nexport CUDA_PATH=/opt/cuda\nexport PATH=$PATH:/opt/cuda/bin\n", pkgver),
                    .mode = 0755},
                   {.path = "etc/ld.so.conf.d/cuda.conf",
                    .content = "/opt/cuda/lib64\n/opt/cuda/nvvm/lib64\n/opt/cuda/extras/CUPTI/lib64\n"},
                   {.path = "usr/share/licenses/cuda/EULA.txt", .content = "stand-in\n"}};
  if (toolkit->release == "10.2")
    package.files.push_back({.path = "opt/cuda/bin/gcc", .link_to = "/usr/bin/gcc-8"});
  add(package.files,
      library("opt/cuda/lib64/", "libcudart", std::string(toolkit->build), std::string(toolkit->soname)));
}

void fill_cudnn(StandIn& package, std::string_view pkgver) {
  const auto numbers = split(pkgver, ".");
  package.files = library("usr/lib/", "libcudnn", leading(pkgver, 3), "libcudnn.so." + numbers[0]);
  // The numbers moved from cudnn.h to a header of their own with cuDNN 8.
  package.files.push_back({.path = numbers[0] == "7" ? "usr/include/cudnn.h" : "usr/include/cudnn_version.h",
                           .content = fmt::format("#define CUDNN_MAJOR {}\n#define CUDNN_MINOR {}\n"
                                                  "#define CUDNN_PATCHLEVEL {}\n",
                                                  numbers[0], numbers[1], numbers[2])});
}

void fill_old_compiler(StandIn& package, std::string_view pkgver) {
  const auto major = leading(pkgver, 1);
  const auto folder = fmt::format("usr/lib/gcc/x86_64-pc-linux-gnu/{}/", pkgver);
  if (package.name.ends_with("-libs")) {
    add(package.files, library(folder, "libstdc++", major == "8" ? "6.0.25" : "6.0.28", "libstdc++.so.6"));
    return;
  }
  for (const auto* program : {"gcc", "g++"})
    package.files.push_back(
        {.path = fmt::format("usr/bin/{}-{}", program, major),
         .content = fmt::format("#!/bin/sh\necho '{}-{} (GCC) {}'\n", program, major, pkgver),
         .mode = 0755});
}

void fill_driver(StandIn& package, const std::string& pkgver) {
  if (package.name == "opencl-nvidia") {
    package.files = library("usr/lib/", "libnvidia-opencl", pkgver, "libnvidia-opencl.so.1");
    package.files.push_back({.path = "etc/OpenCL/vendors/nvidia.icd", .content = "libnvidia-opencl.so.1\n"});
    return;
  }
  add(package.files, library("usr/lib/", "libcuda", pkgver, "libcuda.so.1"));
  add(package.files, library("usr/lib/", "libnvidia-ml", pkgver, "libnvidia-ml.so.1"));
}

/// What a package has of its own; the others, glibc among them, ship a marker that no host has.
void fill(StandIn& package) {
  const auto version = package.version.substr(package.version.find(':') + 1);
  const auto pkgver = version.substr(0, version.rfind('-'));
  const std::string modules = "usr/lib/modules/6.18.2-arch2-1/";
  if (package.name == "cuda") {
    fill_cuda(package, pkgver);
  } else if (package.name == "cudnn") {
    fill_cudnn(package, pkgver);
  } else if (package.name == "nccl") {
    package.files = library("usr/lib/", "libnccl", pkgver, "libnccl.so.2");
  } else if (package.name.starts_with("gcc10") || package.name.starts_with("gcc8")) {
    fill_old_compiler(package, pkgver);
  } else if (package.name == "nvidia-utils" || package.name == "opencl-nvidia") {
    fill_driver(package, pkgver);
  } else if (package.name == "linux") {
    package.files = {{.path = modules + "vmlinuz", .content = "stand-in\n"},
                     {.path = modules + "pkgbase", .content = "linux\n"}};
  } else if (package.name == "nvidia-open") {
    package.files = {{.path = modules + "extramodules/nvidia.ko.zst", .content = "stand-in\n"}};
  } else {
    package.files = {{.path = "usr/share/licenses/" + package.name + "/STAND-IN", .content = version + "\n"}};
  }
}

StandIn stand_in(const Row& row) {
  StandIn package{.name = std::string(row.name),
                  .version = std::string(row.version),
                  .depends = split(row.depends, " "),
                  .provides = split(row.provides, " "),
                  .conflicts = split(row.conflicts, " ")};
  fill(package);
  return package;
}

}  // namespace

std::vector<StandIn> world_packages(Place place) {
  std::vector<StandIn> packages;
  for (const auto& row : table)
    if (row.place == place) packages.push_back(stand_in(row));
  return packages;
}

StandIn rolling_package(std::string_view name) {
  for (const auto& row : table)
    if (row.name == name && (row.place == core || row.place == extra)) return stand_in(row);
  throw std::logic_error("no such package in the rolling world");
}

}  // namespace cudapin
