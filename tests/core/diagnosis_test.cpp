// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

Gpu card(const char* word) {
  auto gpu = gpu_by_word(word);
  gpu.address = "0000:01:00.0";
  return gpu;
}

/// A machine on which everything fits: an RTX 3090 with CUDA 11.1 and what goes with it.
Examination healthy() {
  Examination found;
  found.gpus = {card("RTX 3090")};
  found.driver_loaded = found.driver_on_disk = "590.48.01";
  found.module_flavour = "open";
  found.module_package = "nvidia-open";
  found.kernel = "6.17.9-arch1-1";
  found.kernels = {"6.17.9-arch1-1"};
  found.toolkits = {{.folder = "/opt/cuda", .version = "11.1.0", .has_compiler = true}};
  found.cudnn = "8.0.4";
  found.compilers = {{10, "/usr/bin/g++-10"}, {15, "/usr/bin/g++"}};
  found.default_gcc = 15;
  found.environment = {{"NVCC_CCBIN", "/usr/bin/g++-10"}};
  found.glibc = "2.40";
  found.packages = {
      {.name = "nvidia-open", .version = "590.48.01-1", .depends = {{"nvidia-utils", "=", "590.48.01"}}},
      {.name = "nvidia-utils", .version = "590.48.01-3"}};
  return found;
}

/// Each finding reads as a sentence without the names of libraries, and what complains says on what grounds
/// and what to do.
std::vector<Topic> diagnosed(const Examination& found) {
  auto topics = diagnose(found);
  for (const auto& topic : topics)
    for (const auto& finding : topic.findings) {
      CAPTURE(finding.what);
      CHECK(finding.what.find(' ') != finding.what.npos);
      CHECK(!finding.what.ends_with('.'));
      for (const auto* word :
           {"libalpm", "nvml", "NVML", "libarchive", "yaml", "errno", "soname", "libcurl", "gpgme"})
        CHECK(finding.what.find(word) == finding.what.npos);
      CHECK(!finding.evidence.empty());
      CHECK((finding.severity == Severity::note || !finding.remedy.empty()));
    }
  return topics;
}

const Finding* find(const Examination& found, std::string_view part) {
  static std::vector<Topic> topics;
  topics = diagnosed(found);
  for (const auto& topic : topics)
    for (const auto& finding : topic.findings)
      if (finding.what.find(part) != finding.what.npos) return &finding;
  return nullptr;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// At or above warning.
std::vector<std::string> complaints(const Examination& found) {
  std::vector<std::string> lines;
  for (const auto& topic : diagnosed(found))
    for (const auto& finding : topic.findings)
      if (finding.severity != Severity::note) lines.push_back(finding.what);
  return lines;
}

}  // namespace

TEST_CASE("diagnosis: a machine on which all fits has nothing to complain of") {
  CHECK(complaints(healthy()) == std::vector<std::string>{});
  CHECK(!has_error(diagnose(healthy())));
}

TEST_CASE("diagnosis: a machine of which nothing is known is not accused") { CHECK(complaints({}).empty()); }

TEST_CASE("diagnosis: topics and findings come worst first") {
  auto found = healthy();
  found.driver_on_disk = "595.45.04";
  found.ignored = {"glibc"};
  const auto topics = diagnose(found);
  REQUIRE(topics.size() >= 2);
  CHECK(topics[0].name == "driver");
  CHECK(topics[0].findings[0].severity == Severity::error);
  for (std::size_t i = 1; i < topics.size(); ++i)
    CHECK(topics[i - 1].findings[0].severity >= topics[i].findings[0].severity);
}

TEST_CASE("diagnosis: the article's RTX 3090 with driver 455.23.04 and CUDA 11.1 fits") {
  auto found = healthy();
  found.driver_loaded = found.driver_on_disk = "455.23.04";
  found.module_flavour = "closed";
  found.kernel = "5.8.14-arch1-1";
  found.kernels = {found.kernel};
  found.packages = {};
  CHECK(complaints(found).empty());
}

TEST_CASE("diagnosis: the article's CUDA 11.0 runs sm_80 code on it and 10.2 cannot") {
  auto found = healthy();
  found.cudnn = "";
  found.toolkits[0].version = "11.0.3";
  const auto* runs = find(found, "runs sm_80 code");
  REQUIRE(runs);
  CHECK(runs->severity == Severity::warning);
  CHECK(has(runs->what, "cannot compile compute_86"));
  found.toolkits[0].version = "10.2.89";
  const auto* cannot = find(found, "has no code for the GeForce RTX 3090");
  REQUIRE(cannot);
  CHECK(cannot->severity == Severity::error);
}

TEST_CASE("diagnosis: the article's GTX 1060 on 10.2 is fine and on today's branch is not") {
  auto found = healthy();
  found.gpus = {card("GTX 1060")};
  found.toolkits[0].version = "10.2.89";
  found.cudnn = "7.6.5";
  found.compilers = {{8, "/usr/bin/g++-8"}};
  found.environment = {{"NVCC_CCBIN", "/usr/bin/g++-8"}};
  found.driver_loaded = found.driver_on_disk = "580.95.05";
  found.module_flavour = "closed";
  found.packages = {};
  CHECK(complaints(found).empty());
  found.driver_loaded = found.driver_on_disk = "590.48.01";
  const auto* dropped = find(found, "no longer drives the GeForce GTX 1060");
  REQUIRE(dropped);
  CHECK(dropped->severity == Severity::error);
}

TEST_CASE("diagnosis: C049 the driver is the utils' version and a lagging settings library is harmless") {
  auto found = healthy();
  found.driver_loaded = found.driver_on_disk = "450.80.02";
  found.module_flavour = "closed";
  found.kernel = "5.8.18-1-MANJARO";
  found.kernels = {found.kernel};
  found.packages = {{.name = "cuda", .version = "11.1.1-1"},
                    {.name = "mhwd-nvidia-430xx", .version = "430.64-1.0"},
                    {.name = "linux58-nvidia-450xx", .version = "450.80.02-5"},
                    {.name = "nvidia-450xx-utils", .version = "450.80.02-1"},
                    {.name = "lib32-nvidia-450xx-utils", .version = "450.80.02-1"},
                    {.name = "libxnvctrl", .version = "455.38-1"}};
  const auto* skew = find(found, "libxnvctrl 455.38-1");
  REQUIRE(skew);
  CHECK(skew->severity == Severity::note);
  CHECK(!find(found, "mhwd"));
  const auto* ptx = find(found, "runs CUDA 11.1.0 with limits");
  REQUIRE(ptx);
  CHECK(ptx->severity == Severity::warning);
  CHECK(!find(found, "comes from no package"));
}

TEST_CASE(
    "diagnosis: C050 an old driver under a new toolkit and a new gcc are two findings and the driver is "
    "first") {
  auto found = healthy();
  found.toolkits[0].version = "12.5.0";
  found.cudnn = "";
  found.driver_loaded = found.driver_on_disk = "550.78";
  found.module_flavour = "closed";
  found.kernel = "6.9.1-arch1-1";
  found.kernels = {found.kernel};
  found.default_gcc = 14;
  found.compilers = {{14, "/usr/bin/g++"}, {13, "/usr/bin/g++-13"}};
  found.environment.clear();
  const auto all = complaints(found);
  REQUIRE(all.size() == 2);
  CHECK(has(all[0], "does not compile this CUDA's PTX"));
  CHECK(has(all[1], "does not take gcc 14"));
}

TEST_CASE("diagnosis: C052 a card that the new branch ignores is named with the branch that drives it") {
  auto found = healthy();
  found.gpus = {card("GTX 1060"), card("RTX 3090")};
  found.driver_loaded.clear();
  found.driver_on_disk = "595.71.05";
  const auto* dropped = find(found, "no longer drives the GeForce GTX 1060");
  REQUIRE(dropped);
  CHECK(has(dropped->what, "580"));
  CHECK(has(dropped->remedy, "nvidia-580xx-dkms"));
  CHECK(find(found, "cards of several generations"));
}

TEST_CASE("diagnosis: C053 a Pascal card on a lower-bounded driver is caught at 590") {
  auto found = healthy();
  found.gpus = {card("GTX 1070 Ti")};
  found.toolkits.clear();
  found.cudnn.clear();
  CHECK(find(found, "no longer drives"));
  found.driver_loaded = found.driver_on_disk = "580.105.08";
  CHECK(!find(found, "no longer drives"));
}

TEST_CASE("diagnosis: C055 an RTX 3080 needs the branch that knows it") {
  auto found = healthy();
  found.driver_loaded = found.driver_on_disk = "450.51.06";
  const auto* young = find(found, "is too old for the GeForce RTX 3090");
  REQUIRE(young);
  CHECK(young->severity == Severity::error);
}

TEST_CASE(
    "diagnosis: C056 a cuDNN that LD_LIBRARY_PATH brings is told before anything else of the environment") {
  auto found = healthy();
  found.libraries = {{"/home/ada/cudnn/libcudnn.so", "8.3.2"}};
  found.environment["CUDA_HOME"] = "/gone";
  const auto topics = diagnose(found);
  const auto environment = std::ranges::find(topics, std::string("environment"), &Topic::name);
  REQUIRE(environment != topics.end());
  CHECK(has(environment->findings[0].what, "another cuDNN before the system's: 8.3.2 instead of 8.0.4"));
}

TEST_CASE("diagnosis: C058 a soname tells of no version and what cannot be met is listed") {
  auto found = healthy();
  found.packages.push_back(
      {.name = "cuda", .version = "11.2.1-1", .provides = {{"libcudart.so", "=", "11.2.1"}}});
  found.packages.push_back(
      {.name = "python-cupy", .version = "9-1", .depends = {{"libcudart.so", "=", "11.0-64"}}});
  const auto* unmet = find(found, "python-cupy was built for libcudart.so=11.0-64");
  REQUIRE(unmet);
  CHECK(unmet->severity == Severity::warning);
  found.packages[2].provides.push_back({"libcudart.so", "=", "11.0-64"});
  CHECK(!find(found, "python-cupy"));
}

TEST_CASE("diagnosis: C059 a leftover module package is named with what it wants") {
  auto found = healthy();
  found.packages = {
      {.name = "nvidia", .version = "560.31.02-3", .depends = {{"nvidia-utils", "=", "560.31.02"}}},
      {.name = "nvidia-utils", .version = "560.35.03-1"}};
  const auto* unmet = find(found, "nvidia 560.31.02-3 needs nvidia-utils=560.31.02");
  REQUIRE(unmet);
  CHECK(unmet->severity == Severity::error);
  CHECK(has(unmet->remedy, "remove nvidia"));
}

TEST_CASE("diagnosis: C061 after an unattended upgrade running jobs are safe and the log tells when") {
  auto found = healthy();
  found.driver_loaded = "460.56";
  found.driver_on_disk = "460.73.01";
  found.work = {"process 4242 of ada (python train.py)"};
  found.pacman_log = "[2021-04-22T03:10:00+0000] [ALPM] upgraded nvidia-utils (460.56-1 -> 460.73.01-1)\n";
  const auto* mismatch = find(found, "what runs already goes on, what starts now fails");
  REQUIRE(mismatch);
  CHECK(mismatch->severity == Severity::error);
  CHECK(has(mismatch->evidence, "2021-04-22T03:10:00+0000"));
  CHECK(has(mismatch->remedy, "when the running work has ended"));
  CHECK(has(mismatch->remedy, "4242"));
}

TEST_CASE("diagnosis: C062 a driver text that is cut off is no mismatch") {
  auto found = healthy();
  found.driver_loaded = "570.86";
  found.driver_on_disk = "570.86.16";
  CHECK(!find(found, "is loaded, and"));
}

TEST_CASE(
    "diagnosis: C064 a step inside a branch breaks new programs too and the modules are named in order") {
  auto found = healthy();
  found.driver_loaded = "550.90.07";
  found.driver_on_disk = "550.107.02";
  const auto* mismatch = find(found, "driver 550.90.07 is loaded, and 550.107.02 is on disk");
  REQUIRE(mismatch);
  CHECK(has(mismatch->remedy, "nvidia_drm, nvidia_modeset, nvidia_uvm, nvidia"));
}

TEST_CASE("diagnosis: C071 a module that no package brings is beyond pins") {
  auto found = healthy();
  found.packages = {{.name = "nvidia-utils", .version = "590.48.01-1"}};
  const auto* foreign = find(found, "comes from no package");
  REQUIRE(foreign);
  CHECK(foreign->severity == Severity::warning);
}

TEST_CASE("diagnosis: C082 under Windows the driver is not ours") {
  auto found = healthy();
  found.in_wsl = true;
  found.driver_loaded.clear();
  found.driver_on_disk.clear();
  found.packages.clear();
  CHECK(find(found, "Windows' own"));
  CHECK(!find(found, "no NVIDIA driver is installed"));
  found.packages = {{.name = "nvidia-utils", .version = "590.48.01-1"}};
  const auto* wrong = find(found, "nvidia-utils gets in its way");
  REQUIRE(wrong);
  CHECK(wrong->severity == Severity::error);
}

TEST_CASE("diagnosis: C083 a card without power is reported and nothing else is asked of it") {
  auto found = healthy();
  found.powered_off = {"0000:01:00.0"};
  const auto* off = find(found, "powered off");
  REQUIRE(off);
  CHECK(off->severity == Severity::note);
}

TEST_CASE("diagnosis: C086 an unknown card is not guessed") {
  auto found = healthy();
  found.gpus = {{.name = "NVIDIA device 10de:ffff", .pci_id = "10de:ffff", .address = "0000:01:00.0"}};
  const auto* unknown = find(found, "is in no table");
  REQUIRE(unknown);
  CHECK(has(unknown->remedy, "--gpu"));
}

TEST_CASE("diagnosis: C088 a slice of a card leaves the driver to the host") {
  auto found = healthy();
  found.virtual_gpu = "GRID V100D-8Q";
  CHECK(find(found, "slice of a card"));
}

TEST_CASE("diagnosis: C089 a passed-through card is told and not judged") {
  auto found = healthy();
  found.passed_through = {card("GTX 1060")};
  CHECK(find(found, "passed through"));
  CHECK(complaints(found).empty());
}

TEST_CASE("diagnosis: C103 not installed is told from installed and not chosen and from gone") {
  auto found = healthy();
  found.toolkits[0].version = "12.9.0";
  found.cudnn.clear();
  found.default_gcc = 15;
  found.environment.clear();
  found.compilers = {{14, "/usr/bin/g++-14"}, {15, "/usr/bin/g++"}};
  const auto* unset = find(found, "gcc 14 is installed, but not chosen in this shell");
  REQUIRE(unset);
  CHECK(unset->severity == Severity::warning);
  CHECK(has(unset->remedy, "/usr/bin/g++-14"));
  found.compilers = {{15, "/usr/bin/g++"}};
  const auto* missing = find(found, "no older one is installed");
  REQUIRE(missing);
  CHECK(missing->severity == Severity::error);
  found.environment["NVCC_CCBIN"] = "/usr/bin/g++-13";
  found.missing_files = {"/usr/bin/g++-13"};
  CHECK(find(found, "NVCC_CCBIN names '/usr/bin/g++-13', which does not exist"));
}

TEST_CASE("diagnosis: C104 the limit is the toolkit's own") {
  auto found = healthy();
  found.toolkits[0].version = "9.0.176";
  found.toolkits[0].gcc_max = 6;
  found.gpus = {card("GTX 1060")};
  found.cudnn.clear();
  found.default_gcc = 7;
  found.compilers = {{6, "/usr/bin/g++-6"}, {7, "/usr/bin/g++"}};
  found.environment.clear();
  const auto* limit = find(found, "does not take gcc 7");
  REQUIRE(limit);
  CHECK(has(limit->remedy, "NVCC_CCBIN=/usr/bin/g++-6"));
  found.toolkits[0].gcc_max = 7;
  CHECK(!find(found, "does not take gcc"));
}

TEST_CASE("diagnosis: C106 every toolkit is listed and the one that wins is told from the packaged one") {
  auto found = healthy();
  found.gpus = {card("TITAN RTX")};
  found.toolkits.insert(
      found.toolkits.begin(),
      {.folder = "/usr/local/cuda-9.0", .version = "9.0.176", .through = "CUDA_HOME", .has_compiler = true});
  const auto* other =
      find(found, "builds in this shell take CUDA 9.0.176 in /usr/local/cuda-9.0 (by CUDA_HOME)");
  REQUIRE(other);
  CHECK(has(other->evidence, "CUDA 11.1.0 in /opt/cuda"));
  CHECK(has(other->remedy, "/opt/cuda"));
}

TEST_CASE("diagnosis: C109 what the toolkit can build for is said with the card") {
  auto found = healthy();
  found.toolkits[0].version = "11.0.3";
  found.cudnn.clear();
  const auto* runs = find(found, "cannot compile compute_86");
  REQUIRE(runs);
  CHECK(has(runs->remedy, "-arch=sm_80"));
  CHECK(has(runs->evidence, "sm_80"));
}

TEST_CASE("diagnosis: C110 an inherited list of architectures is held against toolkit and cards") {
  auto found = healthy();
  found.toolkits[0].version = "11.7.0";
  found.cudnn.clear();
  found.environment["TORCH_CUDA_ARCH_LIST"] = "5.2 6.0 6.1 7.0 7.5 8.0 8.6 9.0+PTX";
  const auto* asks = find(found, "asks for 9.0");
  REQUIRE(asks);
  CHECK(asks->severity == Severity::error);
  found.environment["TORCH_CUDA_ARCH_LIST"] = "6.0;7.0";
  CHECK(find(found, "does not run on the GeForce RTX 3090"));
  found.environment["TORCH_CUDA_ARCH_LIST"] = "7.0+PTX";
  CHECK(!find(found, "TORCH_CUDA_ARCH_LIST"));
  found.environment["TORCH_CUDA_ARCH_LIST"] = "Ampere";
  CHECK(!find(found, "TORCH_CUDA_ARCH_LIST"));
}

TEST_CASE("diagnosis: C001 words behind a remark are package names to pacman") {
  auto found = healthy();
  found.pacman_conf = {
      {"/etc/pacman.conf", "[options]\nIgnorePkg = intel-gmmlib # other 19.11-1 needs it\n"}};
  const auto* remark = find(found, "# other 19.11-1 needs it");
  REQUIRE(remark);
  CHECK(remark->evidence == "/etc/pacman.conf:2");
}

TEST_CASE("diagnosis: C002 globs that freeze the keyring or glibc or pacman are found") {
  auto found = healthy();
  found.ignored = {"*linux*", "pacman", "r"};
  CHECK(find(found, "'*linux*' in IgnorePkg freezes archlinux-keyring"));
  CHECK(find(found, "'pacman' in IgnorePkg freezes pacman"));
  CHECK(!find(found, "freezes glibc"));
}

TEST_CASE("diagnosis: C007 a line over the limit and C017 tabs and commas and a foreign section are found") {
  auto found = healthy();
  found.pacman_conf = {{"/etc/pacman.conf", "[options]\nIgnorePkg = " + std::string(5000, 'a') + "\n"}};
  CHECK(find(found, "the rest of it is lost"));
  found.pacman_conf[0].text = "[options]\nIgnorePkg = cuda\tcudnn\n";
  CHECK(find(found, "a tab between names"));
  found.pacman_conf[0].text = "[options]\n\tIgnorePkg\t=\tcuda cudnn\t\n#IgnorePkg = a # b\n";
  CHECK(complaints(found).empty());
  found.pacman_conf[0].text = "[options]\nIgnorePkg = cuda,cudnn\n";
  CHECK(find(found, "a comma between names"));
  found.pacman_conf[0].text = "[options]\n[multilib]\nIgnorePkg = cuda\n";
  CHECK(find(found, "IgnorePkg stands under [multilib]"));
}

TEST_CASE("diagnosis: pins are held against what pacman sees and what is installed") {
  auto found = healthy();
  found.profile = "ampere-11.1";
  found.has_guard = true;
  found.pins = {{"cuda", "11.1.0-2", "11.1.0-2", true}};
  CHECK(complaints(found).empty());
  found.pins[0].in_force = false;
  CHECK(find(found, "cuda is pinned, but pacman does not ignore it"));
  found.pins = {{"cuda", "11.1.0-2", "12.3.0-1", true}};
  CHECK(find(found, "cuda is pinned at 11.1.0-2, and 12.3.0-1 is installed"));
  found.pins = {{"cuda", "11.1.0-2", "", true}};
  CHECK(find(found, "cuda is pinned, but not installed"));
}

TEST_CASE("diagnosis: a hook that is missing or masked or replaced is an error when a profile is active") {
  auto found = healthy();
  found.hooks = {{.name = "00-a.hook", .installed = false}};
  found.has_guard = true;
  CHECK(complaints(found).empty());
  found.profile = "ampere-11.1";
  CHECK(find(found, "00-a.hook is not installed"));
  found.hooks = {
      {.name = "00-a.hook", .installed = true, .hidden_by = "/etc/pacman.d/hooks/00-a.hook", .masked = true}};
  const auto* masked = find(found, "00-a.hook is masked");
  REQUIRE(masked);
  CHECK(masked->remedy == "sudo rm /etc/pacman.d/hooks/00-a.hook");
  found.hooks[0].masked = false;
  CHECK(find(found, "replaced by another file"));
  found.hooks.clear();
  found.guard_trouble = "exit status 139";
  CHECK(find(found, "the guard does not run"));
  found.has_guard = false;
  CHECK(find(found, "the guard is not installed"));
}

TEST_CASE("diagnosis: an upgrade that was refused or broke off is told") {
  auto found = healthy();
  found.pacman_log =
      "[2026-11-29T10:00:00+0000] [PACMAN] starting full system upgrade\n"
      "[2026-11-29T10:00:30+0000] [ALPM] running '00-cudapin-4-decide.hook'...\n";
  const auto* refused = find(found, "was refused before it changed anything");
  REQUIRE(refused);
  CHECK(refused->severity == Severity::warning);
  found.pacman_log += "[2026-11-29T10:01:00+0000] [ALPM] transaction started\n";
  const auto* broken = find(found, "broke off");
  REQUIRE(broken);
  CHECK(broken->severity == Severity::error);
}

TEST_CASE("diagnosis: user space partners that break are told from those that do not") {
  auto found = healthy();
  found.packages.push_back({.name = "opencl-nvidia", .version = "580.95.05-1"});
  const auto* breaks = find(found, "opencl-nvidia 580.95.05-1");
  REQUIRE(breaks);
  CHECK(breaks->severity == Severity::error);
}

TEST_CASE("diagnosis: the module's flavour is held against the generation") {
  auto found = healthy();
  found.gpus = {card("RTX 5090")};
  found.toolkits.clear();
  found.cudnn.clear();
  found.module_flavour = "closed";
  CHECK(find(found, "needs the open kernel module"));
  found.gpus = {card("GTX 1060")};
  found.driver_loaded = found.driver_on_disk = "580.95.05";
  found.module_flavour = "open";
  const auto* closed = find(found, "needs the closed kernel module");
  REQUIRE(closed);
  CHECK(has(closed->remedy, "nvidia-580xx-dkms"));
}

TEST_CASE("diagnosis: a kernel that is newer than the driver's source takes is told") {
  auto found = healthy();
  found.driver_on_disk = "470.42.01";
  found.driver_loaded.clear();
  found.gpus.clear();
  const auto* newer = find(found, "does not build on kernel 6.17");
  REQUIRE(newer);
  CHECK(has(newer->what, "5.13"));
}

TEST_CASE("diagnosis: a running kernel whose modules are gone wants a reboot") {
  auto found = healthy();
  found.driver_loaded.clear();
  found.kernels = {"6.18.1-arch1-1"};
  const auto* gone = find(found, "modules are gone");
  REQUIRE(gone);
  CHECK(gone->remedy == "sudo reboot");
}

TEST_CASE("diagnosis: a dkms module without headers is told") {
  auto found = healthy();
  found.module_package = "nvidia-open-dkms";
  found.kernel_has_headers = false;
  CHECK(find(found, "has no headers to build with"));
}

TEST_CASE("diagnosis: a container without the device is an error and with it a note") {
  auto found = healthy();
  found.container = "docker";
  found.has_device = false;
  const auto* without = find(found, "started without the cards");
  REQUIRE(without);
  CHECK(without->severity == Severity::error);
  found.has_device = true;
  CHECK(find(found, "the driver is the host's"));
}

TEST_CASE("diagnosis: patched headers are exempt from the limit on glibc") {
  auto found = healthy();
  found.toolkits[0].version = "12.9.0";
  found.cudnn.clear();
  found.glibc = "2.42";
  CHECK(find(found, "does not build with glibc 2.42"));
  found.toolkits[0].takes_new_glibc = true;
  CHECK(!find(found, "glibc"));
}

TEST_CASE("diagnosis: what nvidia-smi shows is told from what is installed") {
  const auto* shown = find(healthy(), "nvidia-smi shows CUDA 13.1");
  REQUIRE(shown);
  CHECK(shown->severity == Severity::note);
  CHECK(has(shown->what, "the toolkit here is CUDA 11.1"));
}

}  // namespace cudapin
