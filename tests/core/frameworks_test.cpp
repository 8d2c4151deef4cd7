// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frameworks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

Examination machine(const char* card, const std::string& driver, const std::string& cuda) {
  Examination found;
  found.gpus = {gpu_by_word(card)};
  found.driver_loaded = driver;
  if (!cuda.empty()) found.toolkits = {{.folder = "/opt/cuda", .version = cuda, .has_compiler = true}};
  found.profiles = {{"pascal-10.2", "10.2.89", {"pascal"}}, {"ampere-11.1", "11.1.0", {"ampere"}}};
  return found;
}

PythonEnvironment with(FrameworkSeen torch, bool apex = false) {
  PythonEnvironment environment{.folder = "/home/ada/venv", .frameworks = {std::move(torch)}};
  if (apex) environment.frameworks.push_back({.name = "apex", .version = "0.1"});
  return environment;
}

FrameworkSeen torch(const std::string& version, const std::string& cuda) {
  return {.name = "torch", .version = version, .cuda = cuda, .path = "/home/ada/venv/torch/version.py"};
}

const Finding* find(const std::vector<Finding>& findings, std::string_view part) {
  const auto found = std::ranges::find_if(
      findings, [&](const Finding& one) { return one.what.find(part) != one.what.npos; });
  return found == findings.end() ? nullptr : &*found;
}

bool has_error(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& one) { return one.severity == Severity::error; });
}

}  // namespace

TEST_CASE("frameworks: a cu110 wheel runs on the RTX 3090 by its sm_80 code") {
  const auto findings = judge_environment(with(torch("1.7.0", "11.0")), machine("RTX 3090", "455.23.04", ""));
  CHECK(!has_error(findings));
  CHECK(find(findings, "runs on the GeForce RTX 3090 by its sm_80 code"));
}

TEST_CASE("frameworks: a cu102 wheel cannot run on the RTX 3090") {
  const auto findings = judge_environment(with(torch("1.7.0", "10.2")), machine("RTX 3090", "455.23.04", ""));
  REQUIRE(!findings.empty());
  CHECK(findings[0].severity == Severity::error);
  CHECK(find(findings, "cannot run on the GeForce RTX 3090"));
}

TEST_CASE("frameworks: apex refuses nvcc 11.1 for torch cu110 and the way out is the matching pair") {
  const auto findings =
      judge_environment(with(torch("1.7.0", "11.0"), true), machine("RTX 3090", "455.23.04", "11.1.0"));
  const auto* refusal = find(findings, "apex");
  REQUIRE(refusal);
  CHECK(refusal->severity == Severity::error);
  CHECK(refusal->remedy.find("torch 1.8.0+cu111 and CUDA 11.1") != std::string::npos);
  CHECK(refusal->remedy.find("ampere-11.1") != std::string::npos);
}

TEST_CASE("frameworks: C107: without apex a minor difference warns and another major number is an error") {
  const auto minor =
      judge_environment(with(torch("2.3.0", "12.1")), machine("RTX 3090", "590.48.01", "12.3.0"));
  const auto* warned = find(minor, "builds with a warning");
  REQUIRE(warned);
  CHECK(warned->severity == Severity::warning);
  CHECK(warned->remedy.find("12.1") != std::string::npos);
  CHECK(
      has_error(judge_environment(with(torch("2.3.0", "12.1")), machine("RTX 3090", "590.48.01", "11.8.0"))));
  CHECK(!has_error(
      judge_environment(with(torch("1.8.1", "11.1")), machine("RTX 3090", "590.48.01", "11.1.0"))));
}

TEST_CASE("frameworks: a wheel that brings its CUDA wants only the floor of its major from the driver") {
  CHECK(!has_error(judge_environment(with(torch("1.8.1", "11.1")), machine("RTX 3090", "455.23.04", ""))));
  CHECK(has_error(judge_environment(with(torch("2.3.0", "12.1")), machine("RTX 3090", "470.42.01", ""))));
}

TEST_CASE("frameworks: a build that names only a CUDA major is held against that major's driver") {
  FrameworkSeen seen{.name = "jax", .version = "0.4.30", .cuda = "12", .path = "x"};
  CHECK(has_error(judge_environment(with(seen), machine("RTX 3090", "470.42.01", ""))));
  CHECK(!has_error(judge_environment(with(seen), machine("RTX 3090", "535.54.03", ""))));
}

TEST_CASE("frameworks: tensorflow is judged by the least architecture of its wheels") {
  FrameworkSeen seen{.name = "tensorflow", .version = "2.17.0", .cuda = "12.3", .path = "x"};
  CHECK(has_error(judge_environment(with(seen), machine("GTX 980", "550.54.14", ""))));
  CHECK(!has_error(judge_environment(with(seen), machine("GTX 1060", "550.54.14", ""))));
}

TEST_CASE("frameworks: a carried cuDNN without code for the card is an error") {
  auto environment = with(torch("2.11.0", "12.8"));
  environment.cudnn = "9.17.1.4";
  environment.cudart = "12.8";
  CHECK(has_error(judge_environment(environment, machine("V100", "570.86.15", ""))));
}

TEST_CASE("frameworks: code in general form only is told from code for the card") {
  const auto* build = tables::find_framework_build("torch", "2.9.0", "13.0");
  REQUIRE(build);
  CHECK(reach(*build, 86) == Reach::compiled);
  CHECK(reach(*build, 89) == Reach::compatible);
  CHECK(reach(*build, 61) == Reach::none);
  tables::FrameworkBuild ahead = *build;
  ahead.architectures = "100";
  CHECK(reach(ahead, 121) == Reach::ptx);
}

}  // namespace cudapin
