// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explanation.hpp"

#include "core/frameworks.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

Examination machine(const char* card, const std::string& driver, const std::string& cuda) {
  Examination found;
  found.gpus = {gpu_by_word(card)};
  found.driver_loaded = found.driver_on_disk = driver;
  if (!cuda.empty()) found.toolkits = {{.folder = "/opt/cuda", .version = cuda, .has_compiler = true}};
  found.kernel = "6.12.1-arch1-1";
  found.kernels = {"6.12.1-arch1-1"};
  found.profiles = {{"pascal-10.2", "10.2.89", {"pascal"}},
                    {"ampere-11.1", "11.1.0", {"ampere"}},
                    {"ampere-11.8", "11.8.0", {"ampere"}}};
  return found;
}

Finding only(std::string_view text, const Examination& found) {
  const auto explanations = explain(text, found);
  REQUIRE(explanations.size() == 1);
  return explanations[0].finding;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string example(std::string_view id) {
  std::ifstream in(fs::path(TEST_DATA) / "errors" / (std::string(id) + ".txt"));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("explanation: every kind of message has an answer with a cause and evidence and a remedy") {
  const auto here = machine("RTX 3090", "455.23.04", "11.0.3");
  for (const auto& error : tables::known_errors()) {
    CAPTURE(error.id);
    bool answered = false;
    for (const auto& explanation : explain(example(error.id), here))
      if (explanation.id == error.id) {
        answered = true;
        CHECK(!explanation.finding.what.empty());
        CHECK(!explanation.finding.evidence.empty());
        CHECK(!explanation.finding.remedy.empty());
      }
    CHECK(answered);
  }
}

TEST_CASE("explanation: no answer fails on a machine of which nothing is known") {
  for (const auto& error : tables::known_errors()) {
    CAPTURE(error.id);
    CHECK(!explain(example(error.id), {}).empty());
  }
}

TEST_CASE("explanation: the text reads on its own") {
  for (const auto& here :
       {machine("RTX 3090", "455.23.04", "11.0.3"), machine("GTX 1060", "590.48.01", "13.0.0"),
        machine("RTX 5090", "", ""), Examination{}})
    for (const auto& error : tables::known_errors())
      for (const auto& explanation : explain(example(error.id), here)) {
        const auto& finding = explanation.finding;
        CAPTURE(finding.what);
        CAPTURE(finding.remedy);
        for (const auto* text : {&finding.what, &finding.evidence, &finding.remedy}) {
          CHECK(!has(*text, "{}"));
          CHECK(!has(*text, "  "));
          CHECK(!has(*text, "no driver translates"));
          CHECK(!has(*text, "no driver accepted"));
          CHECK(!has(*text, ".99"));
          CHECK(!has(*text, "CUDA  "));
          for (const auto* internal : {"alpm", "curl", "gpgme", "yaml", "NVML", "cubin"})
            CHECK(!has(*text, internal));
        }
        CHECK(finding.what.back() != '.');
      }
}

TEST_CASE("explanation: an unsupported architecture has one remedy on each of two cards") {
  const auto text = "nvcc fatal   : Unsupported gpu architecture 'compute_86'";
  const auto old_toolkit = only(text, machine("RTX 3090", "590.48.01", "11.0.3"));
  CHECK(has(old_toolkit.what, "the first toolkit that does is 11.1"));
  CHECK(has(old_toolkit.remedy, "cudapin use ampere-11.8"));
  CHECK(has(old_toolkit.remedy, "sm_80"));
  const auto other_card = only(text, machine("GTX 1060", "455.23.04", "11.0.3"));
  CHECK(has(other_card.what, "no card here needs it"));
  CHECK(has(other_card.remedy, "CMAKE_CUDA_ARCHITECTURES=\"61\""));
  const auto other_compiler = only(text, machine("RTX 3090", "590.48.01", "11.1.0"));
  CHECK(has(other_compiler.remedy, "/opt/cuda/bin"));
}

TEST_CASE("explanation: an option with two dashes is told apart from its architecture") {
  const auto text = "nvcc fatal   : Unknown option '--arch=sm_61'";
  const auto dropped = only(text, machine("GTX 1060", "580.95.05", "13.0.0"));
  CHECK(has(dropped.what, "one dash only; besides"));
  CHECK(has(dropped.what, "the last toolkit that does is 12.9"));
  CHECK(only(text, machine("GTX 1060", "580.95.05", "12.9.0")).remedy == "nvcc -arch=sm_61");
}

TEST_CASE("explanation: a dropped architecture leads back to the last toolkit") {
  const auto text = "nvcc fatal   : Unsupported gpu architecture 'sm_61'";
  const auto pascal = only(text, machine("GTX 1060", "580.95.05", "13.0.0"));
  CHECK(has(pascal.what, "no longer compiles for sm_61; the last toolkit that does is 12.9"));
  CHECK(pascal.remedy == "sudo cudapin use pascal-10.2");
  CHECK(
      has(only(text, machine("RTX 3090", "580.95.05", "13.0.0")).remedy, "CMAKE_CUDA_ARCHITECTURES=\"86\""));
}

TEST_CASE("explanation: a new glibc has one remedy on each of two machines and none where it fits") {
  const auto text = "error: exception specification is incompatible with that of previous function \"rsqrt\"";
  auto here = machine("RTX 3090", "590.48.01", "13.0.0");
  here.glibc = "2.43";
  CHECK(has(only(text, here).remedy, "CUDA 13.2 or newer"));
  auto pascal = machine("GTX 1060", "580.95.05", "12.9.0");
  pascal.glibc = "2.43";
  const auto bound = only(text, pascal);
  CHECK(has(bound.remedy, "container with glibc 2.40"));
  CHECK(!has(bound.remedy, "13.2"));
  here.glibc = "2.36";
  CHECK(has(only(text, here).what, "another machine or another toolkit"));
}

TEST_CASE("explanation: a refused gcc tells the one that is here from the one that is not") {
  const auto text = "#error -- unsupported GNU version! gcc versions later than 10 are not supported!";
  auto here = machine("RTX 3090", "590.48.01", "11.1.0");
  here.default_gcc = 15;
  here.compilers = {{15, "/usr/bin/g++"}};
  CHECK(has(only(text, here).remedy, "install gcc10"));
  here.compilers.push_back({10, "/usr/bin/g++-10"});
  CHECK(has(only(text, here).remedy, "NVCC_CCBIN=/usr/bin/g++-10"));
  CHECK(has(only(text, here).evidence, "NVCC_CCBIN is not set in this shell"));
}

TEST_CASE("explanation: a driver mismatch is told from one that is over") {
  auto here = machine("RTX 3090", "460.56", "");
  here.driver_on_disk = "460.73.01";
  const auto text =
      "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 460.73\n";
  CHECK(only(text, here).remedy == "sudo reboot");
  here.work = {"one"};
  CHECK(only(text, here).remedy == "reboot when the running work has ended");
  here.driver_loaded = "460.73.01";
  CHECK(has(only(text, here).what, "container"));
}

TEST_CASE("explanation: apex against the wheel that the article had leads to the matching pair") {
  const auto found = machine("RTX 3090", "455.23.04", "11.1.0");
  const auto finding = only(example("apex_mismatch"), found);
  CHECK(has(finding.what, "built with 11.0"));
  CHECK(has(finding.what, "does not compile for GeForce RTX 3090"));
  CHECK(has(finding.remedy, "torch 1.8.0+cu111 with CUDA 11.1"));
}

TEST_CASE("explanation: a missing module names the reason that this machine has") {
  const auto text = example("smi_no_driver");
  CHECK(has(only(text, machine("GTX 1060", "595.71.05", "")).remedy, "nvidia-580xx-dkms"));
  auto moved = machine("RTX 3090", "590.48.01", "");
  moved.driver_loaded.clear();
  moved.kernels = {"6.13.1-arch1-1"};
  CHECK(only(text, moved).remedy == "sudo reboot");
  moved.kernels = {"6.12.1-arch1-1"};
  moved.driver_on_disk = "470.42.01";
  CHECK(has(only(text, moved).what, "goes up to 5.13"));
}

TEST_CASE("explanation: messages that only wrap others come last") {
  const auto text = example("cmake_compiler_id") + example("gcc_too_new");
  const auto explanations = explain(text, machine("RTX 3090", "590.48.01", "11.1.0"));
  REQUIRE(explanations.size() == 2);
  CHECK(explanations[0].id == "gcc_too_new");
}

TEST_CASE("explanation: a driver number is read as a CUDA series") {
  const auto finding = only("The NVIDIA driver on your system is too old (found version 11040).",
                            machine("RTX 3090", "470.42.01", ""));
  CHECK(has(finding.what, "offered 11.4"));
  CHECK(has(finding.remedy, "cu11"));
}

}  // namespace cudapin
