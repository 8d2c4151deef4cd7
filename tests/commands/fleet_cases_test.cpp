// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in labs and fleets of real people.
#include "core/text.hpp"
#include "support/guard_root.hpp"
#include "support/publisher.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace cudapin {

namespace {

/// Without the line breaks of a narrow terminal.
std::string unwrapped(const std::string& text) { return join(split(text, " \n"), " "); }

std::string for_generation(const std::string& name, const std::string& generation) {
  return "name: " + name + "\nextends: ampere-11.1\ngenerations: [" + generation + "]\n";
}

}  // namespace

TEST_CASE("C112: a profile for other cards is refused and a dry run on one node changes nothing") {
  Lab lab;
  write_text(lab.root.at("/etc/cudapin/profiles/kepler-lab.yaml"), for_generation("kepler-lab", "kepler"));
  const auto untouched = lab.fingerprint();
  for (const auto* mode : {"--noconfirm", "--dry-run"}) {
    const auto result = lab.cudapin({"use", "kepler-lab", mode, "--gpu", "RTX 2080"});
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(holds(unwrapped(result.err), "kepler"), result.err);
    CHECK(lab.fingerprint() == untouched);
  }
  CHECK(lab.cudapin({"use", "ampere-11.1", "--dry-run"}).status == ExitStatus::done);
  CHECK(lab.fingerprint() == untouched);
}

TEST_CASE("C113: unlike nodes share one folder and each gets what is for its card") {
  Lab lab;
  Publisher admin;
  const TestFolder folder;
  write_text(folder / "a-ampere.yaml", for_generation("a-ampere", "ampere"));
  write_text(folder / "b-turing.yaml", for_generation("b-turing", "turing"));
  REQUIRE(admin.trust_at(lab).status == ExitStatus::done);
  REQUIRE(admin.profile(lab, {"publish", folder.path().string()}).status == ExitStatus::done);
  REQUIRE(lab.cudapin({"profile", "subscribe", folder.path().string(), "--noconfirm"}).status ==
          ExitStatus::done);
  const auto suggested = [&](const std::string& card) { return lab.cudapin({"suggest", "--gpu", card}).out; };
  CHECK(holds(suggested("RTX 3090"), "a-ampere"));
  CHECK(!holds(suggested("RTX 3090"), "b-turing"));
  CHECK(holds(suggested("RTX 2080"), "b-turing"));
  CHECK(!holds(suggested("RTX 2080"), "a-ampere"));
  CHECK(suggested("RTX 2080") == suggested("RTX 2080"));
  CHECK(lab.cudapin({"use", "b-turing", "--noconfirm", "--gpu", "RTX 3090"}).status == ExitStatus::failed);
  CHECK(lab.version("cuda") == "13.1.1-1");
}

TEST_CASE("C115: an upgrade of everything is stopped and toolkits in homes are left alone") {
  Lab lab;
  write_text(lab.root.at("/home/alice/cuda-10.2/bin/nvcc"), "her own\n");
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(read_text(lab.root.at("/home/alice/cuda-10.2/bin/nvcc")) == "her own\n");
  GuardRoot guard;
  guard.pin();
  guard.install("cuda", "11.1.0-2");
  guard.install("nvidia-utils", "590.48.01-1");
  REQUIRE(guard.run("record upgrade", "cuda\ncudnn\nnvidia-utils\n").status == 0);
  const auto answer = guard.run("decide", "");
  CHECK(answer.status == 3);
  CHECK(holds(answer.told, "cuda"));
}

TEST_CASE("C116: a driver's number given for cuda is told as one") {
  Lab lab;
  const TestFolder folder;
  for (const std::string version : {"\"545\"", "\"535.183.01\"", "535.183.01-1"}) {
    write_text(folder / "lab.yaml", "name: lab\nextends: ampere-11.1\npackages: {cuda: " + version + "}\n");
    const auto result = lab.cudapin({"validate", (folder / "lab.yaml").string()});
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(holds(result.err, "driver"), result.err);
  }
}

TEST_CASE("C118: what else depends on the generation is named before anything changes") {
  Lab lab;
  lab.root.install(StandIn{
      .name = "datacenter-gpu-manager",
      .version = "3.3.9-1",
      .depends = {"cuda"},
      .files = {{.path = "usr/bin/dcgmi", .content = shared_object("", {"libcudart.so.13"}), .mode = 0755}}});
  const auto plan = nlohmann::json::parse(lab.use("ampere-11.1", {"--dry-run", "--json"}).out);
  const auto told = plan["findings"].dump();
  CHECK_MESSAGE(holds(told, "datacenter-gpu-manager 3.3.9-1 will probably stop working"), told);
  CHECK(lab.version("cuda") == "13.1.1-1");
}

TEST_CASE("C121: in a container nvidia-utils goes only to the driver of the host") {
  Lab lab;
  write_text(lab.root.at("/run/.containerenv"), "");
  write_text(lab.proc / "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release Build\n");
  lab.add_to_archive(StandIn{.name = "nvidia-utils", .version = "580.119.02-1"});
  write_text(
      lab.root.at("/etc/cudapin/profiles/lab.yaml"),
      "name: lab\nsummary: s\nreason: r\ngenerations: [ampere]\npackages: {nvidia-utils: 580.119.02-1}\n"
      "files: [{file: nvidia-utils-580.119.02-1-x86_64.pkg.tar.zst, depends: []}]\n");
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.use("lab");
  CHECK(result.status == ExitStatus::failed);
  CHECK_MESSAGE(holds(unwrapped(result.err), "590.48.01"), result.err);
  CHECK(lab.fingerprint(false) == untouched);
  // A toolkit is the container's own affair.
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);
}

}  // namespace cudapin
