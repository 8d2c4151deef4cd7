// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/machine.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A machine on a temporary folder: root, proc and sys side by side.
class Fake {
 public:
  Fake() {
    std::string name = (fs::temp_directory_path() / "machine-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    for (const auto* part : {"root", "proc", "sys/bus/pci/devices"}) fs::create_directories(folder_ / part);
  }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;
  ~Fake() { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    return folder_ / name;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  void link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, path(name));
  }

  void card(const std::string& address, const std::string& device,
            const std::string& device_class = "0x030000", const std::string& driver = "nvidia",
            const std::string& vendor = "0x10de") const {
    const auto folder = "sys/bus/pci/devices/" + address + "/";
    write(folder + "vendor", vendor + "\n");
    write(folder + "device", device + "\n");
    write(folder + "class", device_class + "\n");
    if (!driver.empty()) link(folder + "driver", "../../../../bus/pci/drivers/" + driver);
  }

  Machine inspect() const {
    Host host;
    host.root = folder_ / "root";
    host.proc = folder_ / "proc";
    host.sys = folder_ / "sys";
    return inspect_machine(host);
  }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("machine: a display card is found with its address and generation") {
  const Fake fake;
  fake.card("0000:01:00.0", "0x2204");
  const auto machine = fake.inspect();
  REQUIRE(machine.gpus.size() == 1);
  CHECK(machine.gpus[0] == Gpu{.name = "GeForce RTX 3090",
                               .pci_id = "10de:2204",
                               .generation = "ampere",
                               .capability = "8.6",
                               .address = "0000:01:00.0"});
}

TEST_CASE("machine: a laptop's 3D controller counts and so does a display controller") {
  const Fake fake;
  fake.card("0000:01:00.0", "0x1d12", "0x030200", "");
  fake.card("0000:02:00.0", "0x2335", "0x038000");
  const auto machine = fake.inspect();
  REQUIRE(machine.gpus.size() == 2);
  CHECK(machine.gpus[0].capability == "6.1");
  CHECK(machine.gpus[1].capability == "9.0");
}

TEST_CASE("machine: other vendors and other functions of a card do not count") {
  const Fake fake;
  fake.card("0000:00:02.0", "0x5917", "0x030000", "i915", "0x8086");
  fake.card("0000:01:00.0", "0x1c8d");
  fake.card("0000:01:00.1", "0x0fb9", "0x040300", "snd_hda_intel");
  fake.card("0000:01:00.2", "0x1ad8", "0x0c0330", "xhci_hcd");
  fake.card("0000:05:00.0", "0x22a3", "0x068000", "nvidia-nvswitch");
  const auto machine = fake.inspect();
  REQUIRE(machine.gpus.size() == 1);
  CHECK(machine.gpus[0].name == "GeForce GTX 1050 Mobile");
}

TEST_CASE("machine: a card passed through to a virtual machine is left out") {
  const Fake fake;
  fake.card("0000:01:00.0", "0x2204");
  fake.card("0000:02:00.0", "0x1fb9", "0x030000", "vfio-pci");
  CHECK(fake.inspect().gpus.size() == 1);
}

TEST_CASE("machine: two equal cards are two and come in the order of their addresses") {
  const Fake fake;
  fake.card("0000:81:00.0", "0x2204");
  fake.card("0000:01:00.0", "0x2204");
  const auto machine = fake.inspect();
  REQUIRE(machine.gpus.size() == 2);
  CHECK(machine.gpus[0].address == "0000:01:00.0");
  CHECK(machine.gpus[1].address == "0000:81:00.0");
}

TEST_CASE("machine: an unknown id is kept and not guessed") {
  const Fake fake;
  fake.card("0000:01:00.0", "0xfffe");
  const auto machine = fake.inspect();
  REQUIRE(machine.gpus.size() == 1);
  CHECK(machine.gpus[0].pci_id == "10de:fffe");
  CHECK(machine.gpus[0].generation.empty());
}

TEST_CASE("machine: PCI folders reached by links inside sys are read") {
  const Fake fake;
  fake.write("sys/devices/pci0000:00/0000:01:00.0/vendor", "0x10de\n");
  fake.write("sys/devices/pci0000:00/0000:01:00.0/device", "0x2204\n");
  fake.write("sys/devices/pci0000:00/0000:01:00.0/class", "0x030000\n");
  fake.link("sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:01:00.0");
  CHECK(fake.inspect().gpus.size() == 1);
}

TEST_CASE("machine: broken PCI entries are passed over") {
  const Fake fake;
  fake.write("sys/bus/pci/devices/0000:00:00.0/vendor", "");
  fake.write("sys/bus/pci/devices/0000:00:01.0/vendor", std::string(1 << 20, 'x'));
  fake.link("sys/bus/pci/devices/0000:00:02.0", "/nowhere");
  fake.write("sys/bus/pci/devices/readme", "no folder");
  fake.card("0000:01:00.0", "\x1b[31mred", "0x030000");
  ::mkfifo(fake.path("sys/bus/pci/devices/0000:03:00.0/vendor").c_str(), 0644);
  const auto machine = fake.inspect();
  REQUIRE(machine.gpus.size() == 1);
  CHECK(machine.gpus[0].capability.empty());
  CHECK(machine.gpus[0].name.find('\x1b') == std::string::npos);
}

TEST_CASE("machine: the loaded driver is read from either module flavour") {
  const Fake fake;
  fake.write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  455.23.04  Fri Sep 11 22:00:00 UTC 2020\n"
             "GCC version:  gcc version 10.2.0 (GCC)\n");
  CHECK(fake.inspect().driver_loaded == "455.23.04");
  fake.write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release Build  (root@)\n"
             "GCC version:  gcc version 15.2.1 20251112 (GCC)\n");
  CHECK(fake.inspect().driver_loaded == "590.48.01");
  fake.write("proc/driver/nvidia/version", "\ngarbage\nGCC version:  gcc version 10.2.0\n");
  CHECK(fake.inspect().driver_loaded == "");
  fake.write("sys/module/nvidia/version", "580.119.02\n");
  CHECK(fake.inspect().driver_loaded == "580.119.02");
}

TEST_CASE("machine: the driver on disk is the suffix of its library and not the soname") {
  const Fake fake;
  fake.link("root/usr/lib/libcuda.so.1", "libcuda.so.455.45.01");
  fake.write("root/usr/lib/libcuda.so.455.45.01", "");
  CHECK(fake.inspect().driver_on_disk == "455.45.01");
  fake.link("root/usr/lib/libnvidia-ml.so.1", "libnvidia-ml.so.580.95.05");
  fake.write("root/usr/lib/libnvidia-ml.so.580.95.05", "");
  fake.write("root/usr/lib/libnvidia-ml.so.580.119.02", "");
  fake.write("root/usr/lib/libnvidia-ml.so.580.bak", "");
  fake.write("root/usr/lib/libnvidia-ml.so.999.", "");
  CHECK(fake.inspect().driver_on_disk == "580.119.02");
}

TEST_CASE("machine: nvcc is read from version.json then version.txt then the header") {
  const Fake fake;
  fake.write("root/opt/cuda/include/cuda_runtime_api.h", "/* top */\n#define CUDART_VERSION  11010\n");
  CHECK(fake.inspect().nvcc == "11.1");
  fake.write("root/opt/cuda/version.txt", "CUDA Version 10.2.89\nCUDA Patch Version 10.2.1\n");
  CHECK(fake.inspect().nvcc == "10.2.89");
  fake.write("root/opt/cuda/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "11.4.20210623"},
    "cuda_nvcc": {"name": "CUDA NVCC", "version": "11.4.48"}})");
  CHECK(fake.inspect().nvcc == "11.4.48");
  fake.write("root/opt/cuda/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "11.6.2"}})");
  CHECK(fake.inspect().nvcc == "11.6.2");
}

TEST_CASE("machine: a hostile version.json gives way to the next source") {
  const Fake fake;
  fake.write("root/opt/cuda/version.txt", "CUDA Version 10.2.89\n");
  for (const auto& text :
       {std::string("{"), std::string("[1]"), std::string(R"({"cuda": 3, "cuda_nvcc": {"version": 4}})"),
        std::string(R"({"cuda": {"version": "11.1; rm"}})"), std::string(200000, '['),
        std::string("\0\xff", 2)}) {
    fake.write("root/opt/cuda/version.json", text);
    CHECK(fake.inspect().nvcc == "10.2.89");
  }
  fs::remove(fake.path("root/opt/cuda/version.json"));
  ::mkfifo(fake.path("root/opt/cuda/version.json").c_str(), 0644);
  CHECK(fake.inspect().nvcc == "10.2.89");
}

TEST_CASE("machine: libcudart and cuDNN are the real files beside the sonames") {
  const Fake fake;
  const std::string folder = "root/opt/cuda/targets/x86_64-linux/lib/";
  fake.link(folder + "libcudart.so", "libcudart.so.11.0");
  fake.link(folder + "libcudart.so.11.0", "libcudart.so.11.1.74");
  fake.write(folder + "libcudart.so.11.1.74", "");
  CHECK(fake.inspect().libcudart == "11.1.74");
  fake.link("root/opt/cuda/lib64", "targets/x86_64-linux/lib");
  fake.write(folder + "libcudnn.so.7.6.5", "");
  CHECK(fake.inspect().libcudart == "11.1.74");
  CHECK(fake.inspect().cudnn == "7.6.5");
  fake.link("root/usr/lib/libcudnn.so.8", "libcudnn.so.8.0.4");
  fake.write("root/usr/lib/libcudnn.so.8.0.4", "");
  CHECK(fake.inspect().cudnn == "8.0.4");
}

TEST_CASE("machine: without its library cuDNN is read from its header") {
  const Fake fake;
  fake.write("root/usr/include/cudnn.h",
             "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 5\n");
  CHECK(fake.inspect().cudnn == "7.6.5");
  fake.write("root/usr/include/cudnn_version.h",
             "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7\n"
             "#define CUDNN_VERSION (CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n");
  CHECK(fake.inspect().cudnn == "8.9.7");
}

TEST_CASE("machine: an absolute link below another root stays below it") {
  const Fake fake;
  fake.write("root/opt/cuda-11.1/version.txt", "CUDA Version 11.1.74\n");
  fake.link("root/opt/cuda", "/opt/cuda-11.1");
  CHECK(fake.inspect().nvcc == "11.1.74");
}

TEST_CASE("machine: the kernel is its release") {
  const Fake fake;
  fake.write("proc/version", "Linux version 5.9.10-arch1-1 (linux@archlinux) #1 SMP\n");
  CHECK(fake.inspect().kernel == "5.9.10-arch1-1");
  fake.write("proc/sys/kernel/osrelease", "6.17.9-zen1-1-zen\n");
  CHECK(fake.inspect().kernel == "6.17.9-zen1-1-zen");
}

TEST_CASE("machine: nothing found is an empty machine") {
  const Fake fake;
  const auto machine = fake.inspect();
  CHECK(machine.gpus.empty());
  for (const auto& text : {machine.driver_loaded, machine.driver_on_disk, machine.nvcc, machine.libcudart,
                           machine.cudnn, machine.kernel})
    CHECK(text.empty());
  Host nowhere;
  nowhere.root = nowhere.proc = nowhere.sys = "/nowhere/at/all";
  CHECK(inspect_machine(nowhere).gpus.empty());
}

}  // namespace cudapin
