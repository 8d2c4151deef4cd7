// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiles.hpp"
#include "core/compatibility.hpp"
#include "core/compatibility_data.hpp"
#include "support/lab.hpp"
#include "support/rolling_world.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

nlohmann::json report(Lab& lab, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"doctor", "--json", "--gpu", "RTX 3090"});
  return nlohmann::json::parse(lab.cudapin(more).out);
}

/// Every finding of that severity in one text.
std::string texts(const nlohmann::json& report, const std::string& severity) {
  std::string all;
  for (const auto& topic : report["topics"])
    for (const auto& finding : topic["findings"])
      if (finding["severity"] == severity) all += finding["what"].get<std::string>() + "\n";
  return all;
}

}  // namespace

TEST_CASE("doctor: it looks and changes nothing") {
  Lab lab;
  const auto before = lab.fingerprint();
  lab.cudapin({"doctor"});
  lab.cudapin({"doctor", "ampere-11.1", "--gpu", "RTX 3090"});
  lab.cudapin({"doctor", "--explain", "no kernel image is available for execution on the device"});
  lab.cudapin({"suggest", "--gpu", "RTX 3090"});
  CHECK(lab.fingerprint() == before);
}

TEST_CASE("doctor: the exit status tells whether there is an error") {
  Lab lab;
  write_text(lab.proc / "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  460.56  Release Build\n");
  const auto sick = lab.cudapin({"doctor", "--gpu", "RTX 3090"});
  CHECK(sick.status == ExitStatus::failed);
  CHECK(has(sick.out, "driver 460.56 is loaded"));
  const auto json = report(lab);
  CHECK(json["schema"] == 1);
  CHECK(json["errors"].get<int>() > 0);
  CHECK(json["topics"][0]["findings"][0]["severity"] == "error");
}

TEST_CASE("doctor: pins are judged as pacman sees them") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(!has(texts(report(lab), "error"), "is pinned"));
  auto conf = lab.pacman_conf();
  conf.insert(conf.find("IgnorePkg"), "#");
  write_text(lab.root.pacman_conf(), conf);
  CHECK(has(texts(report(lab), "error"), "cuda is pinned, but pacman does not ignore it"));
}

TEST_CASE("doctor: an interrupted change is reported first of its topic") {
  Lab lab;
  fs::create_directories(lab.root.at("/var/lib/cudapin/journal"));
  CHECK(has(texts(report(lab), "error"), "was interrupted"));
}

TEST_CASE("doctor: a profile is judged in the place of what is installed") {
  Lab lab;
  const auto fits = report(lab, {"ampere-11.1"});
  const auto topic =
      std::ranges::find_if(fits["topics"], [](auto& one) { return one["name"] == "profile ampere-11.1"; });
  CHECK((topic == fits["topics"].end() || (*topic)["findings"].size() < 4));
  CHECK(!has(texts(fits, "error"), "ampere-11.1"));
  const auto pascal = lab.cudapin({"doctor", "pascal-10.2", "--gpu", "RTX 3090"});
  CHECK(pascal.status == ExitStatus::failed);
  CHECK(has(pascal.out, "has no code for the GeForce RTX 3090"));
}

TEST_CASE("doctor: of two cards the profile says which it does not serve") {
  Lab lab;
  const auto mixed =
      lab.cudapin({"doctor", "ampere-11.1", "--gpu", "RTX 3090", "--gpu", "GTX 1060", "--json"});
  const auto json = nlohmann::json::parse(mixed.out);
  CHECK(has(texts(json, "error") + texts(json, "warning"), "GeForce GTX 1060"));
}

TEST_CASE("doctor: an error text is explained and a log is read from standard input") {
  Lab lab;
  const auto one = lab.cudapin({"doctor", "--gpu", "RTX 3090", "--explain",
                                "nvcc fatal   : Unsupported gpu architecture 'compute_86'"});
  CHECK(one.status == ExitStatus::done);
  CHECK(has(one.out, "hint:"));
  lab.answers = "make: ok\nnvcc fatal   : Unsupported gpu architecture 'compute_61'\n";
  const auto log = lab.cudapin({"doctor", "--gpu", "GTX 1060", "--explain", "-", "--json"});
  const auto json = nlohmann::json::parse(log.out);
  REQUIRE(json["explanations"].size() == 1);
  CHECK(json["explanations"][0]["id"] == "nvcc_unsupported_arch");
  CHECK(lab.cudapin({"doctor", "--gpu", "GTX 1060", "--json", "--explain"}).out == log.out);
  const auto none = lab.cudapin({"doctor", "--explain", "all is well"});
  CHECK(none.status == ExitStatus::failed);
  CHECK(has(none.err, "no message in this text is known"));
}

TEST_CASE("doctor: an environment is judged against the machine") {
  Lab lab;
  const TestFolder venv;
  write_text(venv / "lib/python3.8/site-packages/torch-1.7.0+cu102.dist-info/METADATA", "");
  const auto judged = lab.cudapin({"doctor", "--gpu", "RTX 3090", "--env", venv.path().string()});
  CHECK(judged.status == ExitStatus::failed);
  CHECK(has(judged.out, "cannot run on the GeForce RTX 3090"));
  CHECK(lab.cudapin({"doctor", "--env", "/nowhere"}).status == ExitStatus::failed);
  CHECK(lab.cudapin({"doctor", "--env", "/a", "--explain", "b"}).status == ExitStatus::usage);
}

TEST_CASE("doctor: a configuration that pacman refuses is one finding among others") {
  Lab lab;
  write_text(lab.root.pacman_conf(), "[options]\nParallelDownloads = 3 # three\n");
  const auto json = report(lab);
  CHECK(has(texts(json, "error"), "ParallelDownloads"));
  CHECK(json["topics"].size() > 1);
}

TEST_CASE("doctor: every built-in profile fits every card of the generations it names") {
  const TestRoot root;
  TestHost test(root);
  test.host.profiles = fs::path(SOURCE_DIR) / "profiles";
  CHECK(known_profiles(test.host).size() >= 8);
  for (const auto& entry : known_profiles(test.host)) {
    const auto profile = load_profile(test.host, entry.name);
    const auto upstream = [&](const char* name) {
      const auto* package = profile.find(name);
      return package ? package->version.upstream() : std::string{};
    };
    int cards = 0;
    for (const auto& product : tables::products()) {
      auto gpu = gpu_by_pci_id(product.id);
      if (std::ranges::find(profile.generations, gpu.generation) == profile.generations.end()) continue;
      CAPTURE(profile.name);
      CAPTURE(gpu.name);
      ++cards;
      const auto findings = judge({.gpus = {gpu}, .toolkit = upstream("cuda"), .cudnn = upstream("cudnn")});
      for (const auto& finding : findings) {
        CAPTURE(finding.what);
        CHECK(finding.severity != Severity::error);
      }
    }
    CHECK(cards > 0);
  }
}

TEST_CASE("doctor: a site's rows are judged by and a bad file of them is one finding") {
  Lab lab;
  write_text(lab.root.at("/etc/cudapin/compatibility.d/lab.yaml"),
             "cards:\n  - {id: '10de:2fff', name: Lab Card, capability: '8.6', driver: '455.23'}\n");
  CHECK(report(lab, {"--gpu", "10de:2fff"})["topics"].size() > 0);
  write_text(lab.root.at("/etc/cudapin/compatibility.d/lab.yaml"), "cards: 3\n");
  CHECK(has(texts(report(lab), "error"), "'cards' must be a list"));
  fs::remove(lab.root.at("/etc/cudapin/compatibility.d/lab.yaml"));
  CHECK(!has(texts(report(lab), "error"), "must be a list"));
  CHECK(lab.cudapin({"doctor", "--gpu", "10de:2fff"}).out.empty());
}

TEST_CASE("suggest: profiles for the card come best first and others not at all") {
  Lab lab;
  const auto ampere = nlohmann::json::parse(lab.cudapin({"suggest", "--json", "--gpu", "RTX 3090"}).out);
  REQUIRE(!ampere["suggestions"].empty());
  for (const auto& one : ampere["suggestions"]) CHECK(!has(one["profile"].get<std::string>(), "pascal"));
  for (std::size_t i = 1; i < ampere["suggestions"].size(); ++i)
    CHECK(ampere["suggestions"][i - 1]["warnings"].get<int>() <=
          ampere["suggestions"][i]["warnings"].get<int>());
  const auto text = lab.cudapin({"suggest", "--gpu", "RTX 3090"});
  CHECK(text.status == ExitStatus::done);
  CHECK(has(text.out, "ampere-11."));
}

TEST_CASE("suggest: a card that no profile serves gets the reasons") {
  Lab lab;
  const auto none = lab.cudapin({"suggest", "--gpu", "2.0"});
  CHECK(none.status == ExitStatus::failed);
  CHECK(has(none.out, "no profile fits"));
  CHECK(lab.cudapin({"suggest"}).status == ExitStatus::failed);
}

TEST_CASE("env: lines for the installed toolkit and this card and no loader path unless asked") {
  Lab lab;
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto bash = lab.cudapin({"env", "ampere-11.1", "--shell", "bash", "--gpu", "RTX 3090"});
  CHECK(bash.status == ExitStatus::done);
  CHECK(has(bash.out, "export CUDA_HOME='/opt/cuda'\n"));
  CHECK(has(bash.out, "export NVCC_CCBIN='/usr/bin/g++-10'\n"));
  CHECK(has(bash.out, "export CMAKE_CUDA_ARCHITECTURES='86'\n"));
  CHECK(has(bash.out, "export TORCH_CUDA_ARCH_LIST='8.6'\n"));
  CHECK(!has(bash.out, "LD_LIBRARY_PATH"));
  const auto fish =
      lab.cudapin({"env", "ampere-11.1", "--shell", "fish", "--gpu", "RTX 3090", "--library-path"});
  CHECK(has(fish.out, "set -gx CUDA_HOME '/opt/cuda';\n"));
  CHECK(has(fish.out, "set -gx LD_LIBRARY_PATH '/opt/cuda/lib64' $LD_LIBRARY_PATH;\n"));
  CHECK(lab.cudapin({"env", "ampere-11.1", "--shell", "tcsh"}).status == ExitStatus::usage);
}

TEST_CASE("env: a toolkit that is another or not there is told") {
  Lab lab;
  const auto other = lab.cudapin({"env", "ampere-11.1", "--gpu", "RTX 3090"});
  CHECK(has(other.err, "is installed in /opt/cuda, and ampere-11.1 has 11.1.0"));
  fs::remove_all(lab.root.at("/opt/cuda"));
  const auto none = lab.cudapin({"env", "ampere-11.1", "--gpu", "RTX 3090"});
  CHECK(none.status == ExitStatus::failed);
  CHECK(has(none.err, "sudo cudapin use ampere-11.1"));
}

}  // namespace cudapin
