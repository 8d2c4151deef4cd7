// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/examine.hpp"

#include "core/explanation.hpp"
#include "support/test_root.hpp"
#include "system/child.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A root with files beside packages, and a proc and sys of its own.
struct Patient {
  Patient() : test(root) {}
  void file(std::string_view path, std::string_view text) const { write_text(root.at(path), text); }
  void link(std::string_view path, const std::string& target) const {
    fs::create_directories(root.at(path).parent_path());
    fs::create_symlink(target, root.at(path));
  }
  void card(const std::string& address, const std::string& device,
            const std::string& device_class = "0x030000", const std::string& driver = "nvidia",
            const std::string& vendor = "0x10de") const {
    const auto folder = root.sys() / "bus/pci/devices" / address;
    write_text(folder / "vendor", vendor + "\n");
    write_text(folder / "device", device + "\n");
    write_text(folder / "class", device_class + "\n");
    fs::create_symlink("../../drivers/" + driver, folder / "driver");
  }
  Examination examine() const { return cudapin::examine(test.host, root.conf()); }

  TestRoot root;
  mutable TestHost test;
};

/// The lines of a toolkit that a doctor reads.
void toolkit(const Patient& patient, const std::string& folder, const std::string& version, int gcc) {
  patient.file(folder + "/bin/nvcc", "not to be run");
  patient.file(folder + "/version.json", "{\"cuda\": {\"version\": \"" + version + "\"}}");
  patient.file(folder + "/include/crt/host_config.h",
               "#if __GNUC__ > " + std::to_string(gcc) + "\n#error\n#endif\n");
}

}  // namespace

TEST_CASE("examine: an empty root is told without a failure") {
  const Patient patient;
  const auto found = patient.examine();
  CHECK(found.gpus.empty());
  CHECK(found.toolkits.empty());
  CHECK(found.profile.empty());
  CHECK(found.unreadable.empty());
}

TEST_CASE("examine: C085 a 3D controller counts and audio and USB and switches do not") {
  const Patient patient;
  patient.card("0000:01:00.0", "0x1d12", "0x030200");
  patient.card("0000:01:00.1", "0x10fa", "0x040300");
  patient.card("0000:01:00.2", "0x1ad8", "0x0c0330");
  patient.card("0000:02:00.0", "0x1af1", "0x068000");
  const auto found = patient.examine();
  REQUIRE(found.gpus.size() == 1);
  CHECK(found.gpus[0].generation == "pascal");
}

TEST_CASE("examine: C089 a card bound for a virtual machine is apart") {
  const Patient patient;
  patient.card("0000:01:00.0", "0x2204");
  patient.card("0000:02:00.0", "0x1fb9", "0x030000", "vfio-pci");
  const auto found = patient.examine();
  CHECK(found.gpus.size() == 1);
  REQUIRE(found.passed_through.size() == 1);
  CHECK(found.passed_through[0].address == "0000:02:00.0");
}

TEST_CASE("examine: a laptop's other controller is seen beside the card") {
  const Patient patient;
  patient.card("0000:00:02.0", "0x9a60", "0x030000", "i915", "0x8086");
  patient.card("0000:01:00.0", "0x1d12", "0x030200");
  CHECK(patient.examine().other_gpus == std::vector<std::string>{"0x8086:0x9a60"});
}

TEST_CASE("examine: C106 toolkits come in the order in which a build takes them") {
  const Patient patient;
  toolkit(patient, "/opt/cuda", "11.1.0", 10);
  toolkit(patient, "/usr/local/cuda-9.0", "9.0.176", 6);
  patient.link("/usr/local/cuda", "/usr/local/cuda-9.0");
  patient.link("/usr/bin/nvcc", "/opt/cuda/bin/nvcc");
  patient.test.host.environment = {{"CUDA_HOME", "/usr/local/cuda"}, {"PATH", "/usr/bin:/bin"}};
  const auto found = patient.examine();
  REQUIRE(found.toolkits.size() == 2);
  CHECK(found.toolkits[0].folder == "/usr/local/cuda-9.0");
  CHECK(found.toolkits[0].through == "CUDA_HOME");
  CHECK(found.toolkits[0].version == "9.0.176");
  CHECK(found.toolkits[0].gcc_max == 6);
  CHECK(found.toolkits[1].folder == "/opt/cuda");
  CHECK(found.toolkits[1].through == "PATH");
}

TEST_CASE("examine: C103 compilers are found by name and a stale variable by its path") {
  const Patient patient;
  patient.root.install(StandIn{.name = "gcc", .version = "15.2.1+r22-1"});
  patient.file("/usr/bin/g++-14", "");
  patient.file("/usr/bin/g++", "");
  patient.test.host.environment = {{"NVCC_CCBIN", "/usr/bin/g++-13"}};
  const auto found = patient.examine();
  CHECK(found.default_gcc == 15);
  REQUIRE(found.compilers.size() == 2);
  CHECK(found.compilers[0].path == "/usr/bin/g++-14");
  CHECK(found.compilers[1].major == 15);
  CHECK(found.missing_files == std::vector<std::string>{"/usr/bin/g++-13"});
}

TEST_CASE("examine: C056 the loader's path is searched for another cuDNN") {
  const Patient patient;
  patient.file("/home/ada/lib/libcudnn.so.8.3.2", "");
  patient.file("/home/ada/lib/libcudnn.so.8", "");
  patient.test.host.environment = {{"LD_LIBRARY_PATH", "/nowhere:/home/ada/lib"}};
  const auto found = patient.examine();
  REQUIRE(found.libraries.size() == 1);
  CHECK(found.libraries[0].path == "/home/ada/lib/libcudnn.so");
  CHECK(found.libraries[0].version == "8.3.2");
}

TEST_CASE("examine: headers tell whether a toolkit is patched for a new glibc") {
  const Patient patient;
  patient.root.install(StandIn{.name = "glibc", .version = "2.42+r17+gd7274d718e6f-1"});
  toolkit(patient, "/opt/cuda", "13.0.2", 15);
  const std::string plain = "extern double                 rsqrt(double x);\n";
  const std::string cospi = "extern double                 cospi(double x) noexcept (true);\n";
  patient.file("/opt/cuda/include/crt/math_functions.h", plain + cospi);
  CHECK(!patient.examine().toolkits[0].takes_new_glibc);
  patient.file("/opt/cuda/include/crt/math_functions.h",
               "extern double                 rsqrt(double x) noexcept (true);\n" + cospi);
  CHECK(patient.examine().toolkits[0].takes_new_glibc);
  CHECK(patient.examine().glibc == "2.42+r17+gd7274d718e6f");
}

TEST_CASE("examine: C082 Windows' Linux is known by its kernel") {
  const Patient patient;
  write_text(patient.root.proc() / "version", "Linux version 5.15.90.1-microsoft-standard-WSL2 (gcc)\n");
  patient.file("/usr/lib/wsl/lib/libcuda.so.1", "");
  CHECK(patient.examine().in_wsl);
}

TEST_CASE("examine: C083 a card without power is known by bbswitch") {
  const Patient patient;
  write_text(patient.root.proc() / "acpi/bbswitch", "0000:01:00.0 OFF\n");
  CHECK(patient.examine().powered_off == std::vector<std::string>{"0000:01:00.0"});
  write_text(patient.root.proc() / "acpi/bbswitch", "0000:01:00.0 ON\n");
  CHECK(patient.examine().powered_off.empty());
}

TEST_CASE("examine: C088 a slice of a card is known by its name") {
  const Patient patient;
  const auto file = patient.root.proc() / "driver/nvidia/gpus/0000:02:01.0/information";
  write_text(file, "Model: \t\t GRID V100D-8Q\nIRQ: 1\n");
  CHECK(patient.examine().virtual_gpu == "GRID V100D-8Q");
  write_text(file, "Model: \t\t NVIDIA A100-SXM4-80GB\n");
  CHECK(patient.examine().virtual_gpu.empty());
}

TEST_CASE("examine: C073 a container is known by its marks") {
  const Patient patient;
  CHECK(patient.examine().container.empty());
  patient.file("/run/.containerenv", "");
  CHECK(patient.examine().container == "podman");
  CHECK(!patient.examine().has_device);
  patient.file("/dev/nvidiactl", "");
  CHECK(patient.examine().has_device);
}

TEST_CASE("examine: the loaded module tells its flavour and an unloaded one its package") {
  const Patient patient;
  patient.root.install(StandIn{.name = "nvidia-open", .version = "590.48.01-1"});
  patient.root.install(StandIn{.name = "nvidia-utils", .version = "590.48.01-3"});
  CHECK(patient.examine().module_flavour == "open");
  CHECK(patient.examine().module_package == "nvidia-open");
  write_text(patient.root.proc() / "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Release\n");
  CHECK(patient.examine().module_flavour == "closed");
}

TEST_CASE("examine: C049 packages of the families are read and their ids are no driver") {
  const Patient patient;
  for (const auto* name : {"mhwd-nvidia-430xx", "linux58-nvidia-450xx", "vim"})
    patient.root.install(StandIn{.name = name, .version = "430.64-1.0"});
  const auto found = patient.examine();
  CHECK(found.package("linux58-nvidia-450xx"));
  CHECK(!found.package("vim"));
  CHECK(found.module_package == "linux58-nvidia-450xx");
}

TEST_CASE("examine: hooks are seen where they are and where they are hidden") {
  const Patient patient;
  const std::string name = "00-cudapin-4-decide.hook";
  const auto decide = [&] {
    const auto found = patient.examine();
    const auto hook = std::ranges::find(found.hooks, name, &HookSeen::name);
    REQUIRE(hook != found.hooks.end());
    return *hook;
  };
  CHECK(!decide().installed);
  patient.file("/usr/share/libalpm/hooks/" + name, "[Trigger]\n");
  CHECK(decide().installed);
  CHECK(decide().hidden_by.empty());
  patient.link("/etc/pacman.d/hooks/" + name, "/dev/null");
  CHECK(decide().hidden_by == "/etc/pacman.d/hooks/" + name);
  CHECK(decide().masked);
  fs::remove(patient.root.at("/etc/pacman.d/hooks/" + name));
  patient.file("/etc/pacman.d/hooks/" + name, "[Trigger]\n");
  CHECK(!decide().masked);
}

TEST_CASE("examine: an entry that a killed commit left is reported") {
  const Patient patient;
  patient.root.install(StandIn{.name = "cuda", .version = "11.1.0-2"});
  fs::resize_file(patient.root.local_database() / "cuda-11.1.0-2/desc", 0);
  CHECK(patient.examine().broken_entries == std::vector<std::string>{"cuda-11.1.0-2"});
}

TEST_CASE("examine: included files and the end of the log are read") {
  const Patient patient;
  patient.file("/etc/pacman.conf", "[options]\nInclude = /etc/pacman.d/pins.conf\n");
  patient.file("/etc/pacman.d/pins.conf", "IgnorePkg = cuda\n");
  patient.file("/var/log/pacman.log", "[2026-11-29T10:00:00+0000] [PACMAN] starting full system upgrade\n");
  const auto found = patient.examine();
  REQUIRE(found.pacman_conf.size() == 2);
  CHECK(found.pacman_conf[1].text == "IgnorePkg = cuda\n");
  CHECK(found.pacman_log.starts_with("[2026-11-29T10:00:00+0000]"));
}

TEST_CASE("examine: the real toolkit of this machine is found with its version and its limit") {
  if (!fs::exists("/usr/local/cuda/bin/nvcc")) {
    MESSAGE("skipped: no toolkit in /usr/local/cuda");
    return;
  }
  TestRoot root;
  TestHost test(root);
  test.host.root = "/";
  test.host.environment = {{"PATH", "/usr/local/cuda/bin:/usr/bin"}};
  const auto found = examine(test.host, root.conf());
  REQUIRE(!found.toolkits.empty());
  CHECK(found.toolkits[0].through == "PATH");
  CHECK(found.toolkits[0].has_compiler);
  CHECK(found.toolkits[0].version.starts_with("13.0"));
  CHECK(found.toolkits[0].gcc_max == 15);
  CHECK(!found.toolkits[0].takes_new_glibc);
  CHECK(found.default_gcc >= 12);
  CHECK(!found.glibc.empty());
}

TEST_CASE("examine: what the real compiler says to an old card is explained on this machine") {
  if (!fs::exists("/usr/local/cuda/bin/nvcc")) {
    MESSAGE("skipped: no toolkit in /usr/local/cuda");
    return;
  }
  TestRoot root;
  TestHost test(root);
  const TestFolder folder;
  write_text(folder / "a.cu", "int main() {}\n");
  test.host.root = "/";
  test.host.environment = {{"PATH", "/usr/local/cuda/bin"}};
  auto found = examine(test.host, root.conf());
  found.gpus = {gpu_by_word("GTX 1060")};
  for (const auto* option : {"-arch=sm_61", "--arch=sm_61", "--gpu-architecture=compute_61"}) {
    CAPTURE(option);
    const auto said = run_child(
        {"/usr/local/cuda/bin/nvcc", option, "-o", (folder / "a").string(), (folder / "a.cu").string()});
    CHECK(said.status != 0);
    const auto explanations = explain(said.err, found);
    REQUIRE(explanations.size() == 1);
    CHECK(explanations[0].finding.what.find("the last toolkit that does is 12.9") != std::string::npos);
  }
}

}  // namespace cudapin
