// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility.hpp"
#include "core/error.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

std::string name_of(std::string_view word) { return gpu_by_word(word).name; }
std::string capability_of(std::string_view word) { return gpu_by_word(word).capability; }

Error error_of(std::string_view word) {
  try {
    gpu_by_word(word);
  } catch (const Error& error) {
    return error;
  }
  return Error("nothing thrown");
}

}  // namespace

TEST_CASE("cards: a PCI id names product and chip and generation") {
  const Gpu expected{.name = "GeForce RTX 3090",
                     .pci_id = "10de:2204",
                     .generation = "ampere",
                     .capability = "8.6",
                     .address = {}};
  for (const auto* id : {"10de:2204", "2204", "0x2204", "10DE:2204", "0x10de:2204"})
    CHECK(gpu_by_pci_id(id) == expected);
  CHECK(gpu_by_pci_id("10de:1c03").name == "GeForce GTX 1060 6GB");
  CHECK(gpu_by_pci_id("10de:1db4").capability == "7.0");
  CHECK(gpu_by_pci_id("10de:2335").generation == "hopper");
  CHECK(gpu_by_pci_id("10de:2b85").capability == "12.0");
}

TEST_CASE("cards: an id without a product name goes by its chip") {
  const auto gpu = gpu_by_pci_id("10de:1d12");
  CHECK(gpu.name == "GP108");
  CHECK(gpu.capability == "6.1");
  CHECK(gpu.generation == "pascal");
}

TEST_CASE("cards: an unknown id keeps its id and guesses nothing") {
  const auto gpu = gpu_by_pci_id("10de:fffe");
  CHECK(gpu.pci_id == "10de:fffe");
  CHECK(gpu.generation.empty());
  CHECK(gpu.capability.empty());
  for (const auto* id : {"", "10de:", "10de:22044", "1002:73bf", "xyzw", "10de: 204"})
    CHECK(gpu_by_pci_id(id).capability.empty());
}

TEST_CASE("cards: a word may be a capability") {
  CHECK(gpu_by_word("8.6").generation == "ampere");
  CHECK(gpu_by_word("12.1").generation == "blackwell");
  CHECK(gpu_by_word("6.1").pci_id.empty());
  CHECK_THROWS_AS(gpu_by_word("8.5"), Error);
}

TEST_CASE("cards: a word may be a part of a name in any writing") {
  for (const auto* word :
       {"3090", "rtx 3090", "RTX3090", "geforce rtx 3090", "GeForce-RTX-3090", "rtx_3090"}) {
    CAPTURE(word);
    CHECK(name_of(word) == "GeForce RTX 3090");
  }
  CHECK(name_of("3090 ti") == "GeForce RTX 3090 Ti");
  CHECK(name_of("3090Ti") == "GeForce RTX 3090 Ti");
  CHECK(name_of("gtx 1060") == "GeForce GTX 1060 3GB");
  CHECK(capability_of("v100") == "7.0");
  CHECK(capability_of("h200") == "9.0");
  CHECK(capability_of("a100") == "8.0");
  CHECK(name_of("t4") == "Tesla T4");
  CHECK(gpu_by_word("rtx 3060").pci_id == "10de:2503");
  CHECK(gpu_by_word("rtx 4070").pci_id == "10de:2786");
  CHECK(name_of("L4") == "L4");
}

TEST_CASE("cards: four digits that people say for a product are not taken for an id") {
  CHECK(name_of("1080") == "GeForce GTX 1080");
  CHECK(gpu_by_word("10de:1080").generation == "fermi");
  CHECK(name_of("2204") == "GeForce RTX 3090");
}

TEST_CASE("cards: the whole name wins over names that go on") {
  CHECK(capability_of("rtx 3050") == "8.6");
  CHECK(capability_of("rtx 3050 a") == "8.9");
  CHECK(capability_of("gtx 960") == "5.2");
  CHECK(capability_of("gtx 960m") == "5.0");
  CHECK(capability_of("titan v") == "7.0");
  CHECK(capability_of("gtx titan x") == "5.2");
  CHECK(capability_of("gtx titan") == "3.5");
}

TEST_CASE("cards: a word for cards of several capabilities is refused with their names") {
  const auto error = error_of("titan");
  CHECK(std::string(error.what()).find("'titan' may be ") == 0);
  CHECK(std::string(error.what()).find("TITAN V (7.0)") != std::string::npos);
  CHECK(std::string(error.what()).find("TITAN RTX (7.5)") != std::string::npos);
  CHECK(error.hint.starts_with("--gpu "));
  for (const auto* word : {"rtx 6000", "titan x", "100"}) CHECK_THROWS_AS(gpu_by_word(word), Error);
}

TEST_CASE("cards: an unknown word is refused with the nearest name") {
  const auto error = error_of("rtx 309o");
  CHECK(error.hint == "--gpu 'GeForce RTX 3090'");
  for (const auto* word : {"", " ", "radeon rx 7900", "10de:fffe", "gtx 3090", "'; drop"})
    CHECK_THROWS_AS(gpu_by_word(word), Error);
}

}  // namespace cudapin
