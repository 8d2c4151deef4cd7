// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

using enum Severity;

std::vector<Gpu> cards(std::initializer_list<const char*> words) {
  std::vector<Gpu> gpus;
  for (const auto* word : words) gpus.push_back(gpu_by_word(word));
  return gpus;
}

std::vector<Finding> judged(const char* card, const char* toolkit, const char* driver = "",
                            const char* cudnn = "") {
  return judge({.gpus = cards({card}), .driver = driver, .toolkit = toolkit, .cudnn = cudnn});
}

/// "error: …" lines.
std::vector<std::string> sentences(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const auto& finding : findings)
    lines.push_back((finding.severity == error     ? "error: "
                     : finding.severity == warning ? "warning: "
                                                   : "note: ") +
                    finding.what);
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("compatibility: the RTX 3090 with driver 455.23.04 takes CUDA 11.1.0 though its bundle is newer") {
  CHECK(judged("10de:2204", "11.1.0", "455.23.04", "8.0.4.30").empty());
  CHECK(judged("10de:2204", "11.1.0", "455.23", "").size() == 1);  // the driver that adds the card is .04
}

TEST_CASE("compatibility: a toolkit before the card is refused in one sentence") {
  CHECK(sentences(judged("rtx 3090", "10.2.89")) ==
        Lines{"error: CUDA 10.2 has no code for the GeForce RTX 3090 (sm_86); the first toolkit that has it "
              "is 11.1"});
  CHECK(sentences(judged("rtx 5090", "12.6.3")) ==
        Lines{"error: CUDA 12.6 has no code for the GeForce RTX 5090 (sm_120); the first toolkit that has it "
              "is 12.8"});
  CHECK(sentences(judged("v100", "8.0.61"))[0].find("(sm_70); the first toolkit that has it is 9.0") !=
        std::string::npos);
}

TEST_CASE("compatibility: a toolkit that dropped the card is refused in one sentence") {
  auto gpu = gpu_by_word("v100");
  gpu.name = "Tesla V100";
  CHECK(sentences(judge({.gpus = {gpu}, .toolkit = "13.1.0"})) ==
        Lines{"error: CUDA 13.1 no longer compiles for the Tesla V100 (sm_70); the last toolkit that does is "
              "12.9"});
  CHECK(judged("v100", "12.9.1", "580.95.05").empty());
  CHECK(judged("gtx 680", "10.2.89").empty());
  CHECK(judged("gtx 680", "11.0.2")[0].severity == error);
  CHECK(judged("gtx 780", "11.8.0").empty());
  CHECK(judged("gtx 780", "12.0.0")[0].severity == error);
}

TEST_CASE("compatibility: older binary code that runs on the card is a warning") {
  CHECK(sentences(judged("rtx 3090", "11.0.3", "455.45.01")) ==
        Lines{"warning: CUDA 11.0 runs sm_80 code on the GeForce RTX 3090 but cannot compile compute_86; the "
              "first "
              "toolkit that does is 11.1"});
  CHECK(judged("rtx 4090", "11.7.1")[0].severity == warning);
  CHECK(judged("rtx 2080", "9.2.148")[0].severity == warning);
  CHECK(judged("10.7", "13.3.0")[0].what.find("probably runs sm_103 code") != std::string::npos);
  CHECK(judged("11.0", "12.9.0")[0].what.find("sm_101") != std::string::npos);
}

TEST_CASE("compatibility: sets that are known to work give no findings") {
  CHECK(judged("gtx 1060", "10.2.89", "455.45.01", "7.6.5.32").empty());
  CHECK(judged("v100", "12.9.1", "575.57.08", "9.10.2.21").empty());
  CHECK(judged("10de:2335", "11.8.0", "550.90.07", "8.9.7.29").empty());
  CHECK(judged("rtx 3090", "11.2.2", "460.32.03", "8.1.1.33").empty());
  CHECK(judged("gtx 1060", "8.0.61", "375.26").empty());
  CHECK(judged("rtx 5090", "13.0.2", "580.95.05", "9.13.1.26").empty());
}

TEST_CASE("compatibility: a driver that dropped the card is refused and names its last branch") {
  CHECK(sentences(judged("10de:1c03", "10.2.89", "590.48.01")) ==
        Lines{"error: driver 590.48.01 no longer drives the GeForce GTX 1060 6GB; the last branch that does "
              "is 580"});
  CHECK(judged("10de:1c03", "13.1.0", "590.48.01").size() == 2);
  CHECK(judged("gtx 970", "", "580.178.04").empty());
  CHECK(judged("v100", "", "595.45.04")[0].severity == error);
  CHECK(judged("gtx 680", "", "495.29.05")[0].what.find("branch that does is 470") != std::string::npos);
  CHECK(judged("rtx 2080", "", "620").empty());
}

TEST_CASE("compatibility: a driver older than the card is refused and names the first one") {
  CHECK(sentences(judged("rtx 3090", "", "450.80.02")) ==
        Lines{"error: driver 450.80.02 is too old for the GeForce RTX 3090; the first driver that knows it "
              "is 455.23.04"});
  CHECK(judged("rtx 3070", "", "455.23.04")[0].severity == error);
  CHECK(judged("10de:2206", "", "450.51")[0].severity == error);
  CHECK(judged("12.0", "", "565.77")[0].severity == error);
  CHECK(judged("8.7", "", "300.1").empty());
}

TEST_CASE("compatibility: a first driver known only as a bound or from a list is no error") {
  CHECK(judged("10de:2487", "", "470.57.02")[0].severity == note);
  CHECK(judged("10de:2d83", "", "570.133.07")[0].severity == warning);
  CHECK(judged("10de:2d83", "", "570.133.07")[0].what.find("probably") != std::string::npos);
  CHECK(judged("10de:2203", "", "510.47.03")[0].severity == warning);
  CHECK(judged("10de:2203", "", "510.60.02").empty());
  CHECK(judged("10de:2203", "", "495.29.05").empty());
  CHECK(
      sentences(judged("10de:2786", "", "530.41.03")) ==
      Lines{"warning: driver 530.41.03 probably does not know the GeForce RTX 4070; driver 525.116.03 does"});
}

TEST_CASE("compatibility: a driver between the floor of the major and the table runs with limits") {
  const auto findings = judged("8.0", "11.1.0", "450.80.02");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == warning);
  CHECK(findings[0].what.find("with limits") != std::string::npos);
  CHECK(findings[0].evidence == "CUDA 11.1.0: driver 455.23, with limits from 450.80.02");
  CHECK(judged("7.5", "12.9.1", "525.60.13")[0].severity == warning);
  CHECK(judged("7.5", "13.1.0", "580.65.06")[0].severity == warning);
}

TEST_CASE("compatibility: a driver below the floor is refused") {
  CHECK(sentences(judged("6.1", "11.1.0", "440.33")) ==
        Lines{"error: driver 440.33 is too old for CUDA 11.1.0, which needs 450.80.02"});
  CHECK(judged("7.5", "12.0.0", "520.61.05")[0].severity == error);
  CHECK(judged("7.5", "13.0.0", "575.64.05")[0].severity == error);
}

TEST_CASE("compatibility: before CUDA 11 there is no minor version compatibility") {
  CHECK(judged("6.1", "10.2.89", "440.33").empty());
  CHECK(judged("6.1", "10.2.89", "435.21")[0].severity == error);
  CHECK(judged("6.1", "10.0.130", "410.48").empty());
  CHECK(judged("6.1", "9.1.85", "390.46").empty());
  CHECK(judged("6.1", "9.1.85", "387.26")[0].severity == warning);
  CHECK(judged("6.1", "9.1.85", "384.183")[0].severity == error);
}

TEST_CASE("compatibility: CUDA 11.0 is not held to a floor that is newer than itself") {
  CHECK(judged("8.0", "11.0.2", "450.51.05").empty());
  CHECK(judged("6.1", "11.0.3", "450.36.06")[0].what.find("probably too old") != std::string::npos);
}

TEST_CASE("compatibility: a newer driver serves every older toolkit") {
  for (const auto* toolkit : {"8.0.61", "9.2.148", "10.2.89", "11.1.0", "12.9.1"})
    CHECK(judged("gtx 1060", toolkit, "580.178.04").empty());
}

TEST_CASE("compatibility: cuDNN up to 8.0 wants the exact series") {
  CHECK(judged("6.1", "11.0.3", "", "7.6.5.32")[0].severity == error);
  CHECK(judged("6.1", "10.2.89", "", "8.0.2.39").empty());
  CHECK(judged("6.1", "9.1.85", "", "7.6.5.32")[0].severity == error);
  CHECK(sentences(judged("8.6", "11.1.0", "", "8.0.2.39")) ==
        Lines{"error: cuDNN 8.0.2.39 is not built for CUDA 11.1"});
  CHECK(judged("8.6", "11.1.0", "", "8.0.4").empty());
}

TEST_CASE("compatibility: cuDNN from 8.1 on wants the major and warns above its range") {
  CHECK(judged("8.6", "11.2.0", "", "8.1.0.77").empty());
  CHECK(judged("8.6", "11.1.1", "", "8.1.0.77").empty());
  CHECK(judged("8.6", "11.4.0", "", "8.1.0.77")[0].severity == warning);
  CHECK(judged("6.1", "10.1.243", "", "8.1.0.77")[0].severity == error);
  CHECK(judged("8.6", "12.0.0", "", "8.7.0.84")[0].severity == warning);  // uncertain which builds there are
  CHECK(judged("8.6", "12.0.0", "", "8.5.0.96")[0].severity == error);
  CHECK(judged("8.6", "12.6.0", "", "9.1.0.70")[0].what.find("probably") != std::string::npos);
  CHECK(judged("8.6", "11.8.0", "", "9.11.0.98")[0].remedy == "use cuDNN 9.10.2.21");
}

TEST_CASE("compatibility: cuDNN without code for the card is refused") {
  CHECK(
      sentences(judged("7.0", "12.9.1", "", "9.17.0.29")) ==
      Lines{"error: cuDNN 9.17.0.29 has no code for the card of capability 7.0 (sm_70); its least is sm_75"});
  CHECK(judged("7.0", "12.9.1", "", "9.17.0.29")[0].remedy == "use cuDNN 9.10.2.21");
  CHECK(judged("7.0", "12.9.1", "", "9.12.0.46")[0].what.find("probably") != std::string::npos);
  CHECK(judged("3.0", "10.2.89", "", "8.0.5.39").empty());
  CHECK(judged("3.0", "", "", "8.0.5.39").empty());
  CHECK(judged("3.5", "11.8.0", "", "8.9.7.29")[0].severity == error);
}

TEST_CASE("compatibility: a host compiler that fits silences the others") {
  const auto with = [](const char* toolkit, std::vector<int> majors) {
    return judge({.gpus = cards({"7.5"}), .toolkit = toolkit, .host_gcc = std::move(majors)});
  };
  CHECK(with("11.1.0", {}).empty());
  CHECK(with("11.1.0", {15, 10}).empty());
  CHECK(sentences(with("11.1.0", {13, 15})) ==
        Lines{"warning: CUDA 11.1 takes gcc 5 to 10 as host compiler, and there is only gcc 13, 15"});
  CHECK(with("11.1.0", {15})[0].remedy == "install gcc10 and build with NVCC_CCBIN=/usr/bin/g++-10");
  CHECK(with("11.5.0", {11})[0].what.find("gcc 6 to 10") != std::string::npos);
  CHECK(with("10.2.89", {9})[0].what.find("gcc 8 at most") != std::string::npos);
  CHECK(with("13.4.1", {17})[0].what.find("probably") != std::string::npos);
}

TEST_CASE("compatibility: a glibc newer than the headers is a warning") {
  const auto with = [](const char* toolkit, const char* glibc) {
    return judge({.gpus = cards({"7.5"}), .toolkit = toolkit, .glibc = glibc});
  };
  CHECK(
      sentences(with("11.1.0", "2.42")) ==
      Lines{
          "warning: CUDA 11.1 runs but does not build with glibc 2.42: its headers take glibc 2.40 at most"});
  CHECK(with("11.1.0", "2.42")[0].remedy ==
        "build in a container with glibc 2.40 or older, or use CUDA 13.2 or newer");
  CHECK(with("11.1.0", "2.40+r16+gaa533d58ff-2").empty());
  CHECK(with("13.1.0", "2.41").empty());
  CHECK(with("13.1.0", "2.42").size() == 1);
  CHECK(with("13.2.0", "2.43").empty());
  CHECK(with("10.2.89", "2.41")[0].what.find("probably does not build") != std::string::npos);
}

TEST_CASE("compatibility: several cards are each judged and named and the worst comes first") {
  const auto findings = judge(
      {.gpus = cards({"gtx 1060", "rtx 3090", "rtx 3090"}), .driver = "590.48.01", .toolkit = "11.0.3"});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == error);
  CHECK(findings[0].what.find("GeForce GTX 1060") != std::string::npos);
  CHECK(findings[1].severity == warning);
  CHECK(findings[1].what.find("GeForce RTX 3090") != std::string::npos);
}

TEST_CASE("compatibility: no card is a note and an unknown one a warning that names its id") {
  const auto none = judge({.toolkit = "11.1.0"});
  REQUIRE(none.size() == 1);
  CHECK(none[0].severity == note);
  auto gpu = gpu_by_pci_id("10de:fffe");
  gpu.address = "0000:01:00.0";
  const auto unknown = judge({.gpus = {gpu}, .toolkit = "11.1.0"});
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].severity == warning);
  CHECK(unknown[0].what.find("10de:fffe") != std::string::npos);
  CHECK(unknown[0].evidence == "10de:fffe at 0000:01:00.0");
  CHECK(unknown[0].remedy.find("--gpu") != std::string::npos);
}

TEST_CASE("compatibility: what is not known is never an error") {
  CHECK(judge({.gpus = cards({"8.6"})}).empty());
  CHECK(judge({.gpus = cards({"8.6"}), .driver = "garbage", .toolkit = "11.1.0", .cudnn = ""}).empty());
  CHECK(judged("8.6", "garbage", "", "8.0.4.30")[0].severity != error);
  CHECK(judged("8.6", "13.6.0")[0].severity == warning);
  CHECK(judged("8.6", "7.5.18")[0].severity == note);
  CHECK(judged("8.6", "", "", "7.1.4")[0].severity == note);
  CHECK(judged("8.6", "11.1.0", "999.1").empty());
}

TEST_CASE(
    "compatibility: every finding of every set is a sentence with evidence and every bad one a remedy") {
  const auto acceptable = [](const Finding& finding) {
    const bool sentence = !finding.what.empty() && finding.what.back() != '.' &&
                          finding.what.find("  ") == std::string::npos &&
                          finding.what.find('\n') == std::string::npos;
    return sentence && !finding.evidence.empty() && (finding.severity == note || !finding.remedy.empty());
  };
  std::size_t findings = 0;
  for (const auto& card : cards({"2.0", "gtx 680", "10de:1380", "gtx 1060", "v100", "10de:1e89", "rtx 3090",
                                 "10de:2203", "rtx 4090", "h100", "10de:2336", "rtx 5090", "10.7"}))
    for (const auto* toolkit : {"", "7.5", "8.0.61", "9.1.85", "10.2.89", "11.0.3", "11.1.0", "11.4.0",
                                "12.6.3", "12.9.1", "13.1.0", "13.5.0", "14.0.0"})
      for (const auto* driver :
           {"", "304.48", "387.26", "450.80.02", "510.47.03", "530.41.03", "580.95.05", "620.1"})
        for (const auto* cudnn : {"", "7.1.4", "7.6.5.32", "8.0.4.30", "8.1.0.77", "8.7.0.84", "9.12.0.46"})
          for (const auto& finding : judge({.gpus = {card},
                                     .driver = driver,
                                     .toolkit = toolkit,
                                     .cudnn = cudnn,
                                     .glibc = "2.43",
                                     .host_gcc = {4, 17}})) {
            ++findings;
            CAPTURE(finding.what);
            if (!acceptable(finding)) CHECK(acceptable(finding));
          }
  CHECK(findings > 10000);
}

TEST_CASE("compatibility: the highest CUDA of a driver is what nvidia-smi prints") {
  CHECK(highest_cuda("590.48.01") == "13.1");
  CHECK(highest_cuda("455.23.04") == "11.1");
  CHECK(highest_cuda("565.77") == "12.7");
  CHECK(highest_cuda("390.157") == "");
  CHECK(highest_cuda("601.1") == "");
  CHECK(highest_cuda("") == "");
}

TEST_CASE("compatibility: first and last toolkit of a capability") {
  CHECK(first_toolkit("8.6") == "11.1");
  CHECK(last_toolkit("8.6") == "");
  CHECK(first_toolkit("6.1") == "8.0");
  CHECK(last_toolkit("6.1") == "12.9");
  CHECK(last_toolkit("3.0") == "10.2");
  CHECK(first_toolkit("12.0") == "12.8");
  CHECK(first_toolkit("nonsense") == "");
}

TEST_CASE("compatibility: generations come oldest first") {
  CHECK(generation_names() == std::vector<std::string>{"fermi", "kepler", "maxwell", "pascal", "volta",
                                                       "turing", "ampere", "ada", "hopper", "blackwell",
                                                       "rubin"});
}

}  // namespace cudapin
