// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_site.hpp"

#include "core/compatibility.hpp"
#include "core/error.hpp"

#include <doctest/doctest.h>

namespace cudapin::tables {

namespace {

/// The tables are the built-in ones again afterwards.
struct Site {
  explicit Site(const char* text) { use_site_rows({{text, "site.yaml"}}); }
  ~Site() { use_site_rows({}); }
};

}  // namespace

TEST_CASE("site rows: a new toolkit stands in its place and is judged by") {
  const auto before = toolkits().size();
  CHECK(find_toolkit("13.6.0") == nullptr);
  {
    const Site site(
        "cuda:\n  - {version: 13.6.0, driver: '625.10', gcc_max: 17, architectures: [86, 80]}\n"
        "drivers:\n  - {branch: 625, cuda: '13.6'}\n");
    CHECK(toolkits().size() == before + 1);
    REQUIRE(find_toolkit("13.6.0"));
    CHECK(find_toolkit("13.6.0")->gcc_max == 17);
    CHECK(find_toolkit("13.6.0")->architectures.front() == 80);
    CHECK(&toolkits().back() == find_toolkit("13.6.0"));
    CHECK(highest_cuda("625.10.01") == "13.6");
    CHECK(judge({.gpus = {gpu_by_word("8.6")}, .driver = "625.10", .toolkit = "13.6.0"}).empty());
  }
  CHECK(toolkits().size() == before);
  CHECK(highest_cuda("625.10.01").empty());
}

TEST_CASE("site rows: a row for a known version replaces it") {
  const auto before = cudnns().size();
  const Site site("cudnn:\n  - {version: 8.0.4.30, builds: ['11.1'], supports: [11.1-11.1], least: '3.5'}\n");
  CHECK(cudnns().size() == before);
  CHECK(find_cudnn("8.0.4.30")->builds == "11.1");
}

TEST_CASE("site rows: a card and a kernel and a build of a framework can be added") {
  const Site site(
      "cards:\n  - {id: '10de:2fff', name: GeForce RTX 6090, capability: '12.0', driver: '625.10'}\n"
      "kernels:\n  - {driver: 625.10.01, kernel: '7.3'}\n"
      "frameworks:\n  - {framework: torch, version: 2.16.0, tag: cu136, cuda: '13.6', architectures: [86, "
      "120]}\n");
  CHECK(gpu_by_pci_id("10de:2fff").name == "GeForce RTX 6090");
  CHECK(gpu_by_pci_id("10de:2fff").generation == "blackwell");
  REQUIRE(find_kernel_limit("625.10.01"));
  CHECK(find_kernel_limit("625.10.01")->kernel == "7.3");
  REQUIRE(find_framework_build("torch", "2.16.0", "13.6"));
  CHECK(find_framework_build("torch", "2.16.0", "13.6")->architectures == "86 120");
}

TEST_CASE("site rows: every problem of a file is told with its place and the tables stay whole") {
  const auto before = toolkits().size();
  try {
    use_site_rows({{"cuda:\n  - {version: new, driver: '625'}\n  - {driver: '625'}\ncards: 3\ncudaa: []\n",
                    "site.yaml"}});
    FAIL("accepted");
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const auto* part :
         {"site.yaml:2:", "'new' is no version", "site.yaml:3:", "'cards' must be a list", "cudaa"}) {
      CAPTURE(part);
      CHECK(text.find(part) != text.npos);
    }
  }
  CHECK(toolkits().size() == before);
}

}  // namespace cudapin::tables
