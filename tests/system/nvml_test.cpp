// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/nvml.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstring>

namespace cudapin {

namespace {

/// A process list as some driver fills it: entries of `stride` bytes, the rest untouched.
std::vector<unsigned char> list_of(const std::vector<std::uint32_t>& pids, std::size_t stride) {
  std::vector<unsigned char> bytes(1024, untouched);
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const std::uint64_t used = (i + 1) << 32 | 7;
    std::memset(bytes.data() + i * stride, 0xff, stride);
    std::memcpy(bytes.data() + i * stride, &pids[i], sizeof pids[i]);
    std::memcpy(bytes.data() + i * stride + 8, &used, sizeof used);
  }
  return bytes;
}

constexpr std::array<std::size_t, 2> old_strides{16, 24};
constexpr std::array<std::size_t, 2> strides{24, 32};

}  // namespace

TEST_CASE("nvml: C074: the same processes come out of every layout of the list") {
  const std::vector<std::uint32_t> pids{4242, 17, 99999};
  for (const auto& [stride, known] : {std::pair{16u, old_strides}, std::pair{24u, old_strides},
                                      std::pair{24u, strides}, std::pair{32u, strides}}) {
    const auto found = parse_process_list(list_of(pids, stride), pids.size(), 1, known, 4194304);
    REQUIRE(found.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(found[i].pid == static_cast<pid_t>(pids[i]));
      CHECK(found[i].used == ((i + 1) << 32 | 7));
      CHECK(found[i].minor == 1);
    }
  }
}

TEST_CASE("nvml: a list in no known layout is nothing and memory may be unknown") {
  CHECK(parse_process_list(list_of({4242, 17}, 40), 2, 0, strides, 4194304).empty());
  CHECK(parse_process_list(list_of({4242}, 24), 500, 0, strides, 4194304).empty());
  auto bytes = list_of({4242}, 24);
  std::memset(bytes.data() + 8, 0xff, 8);
  const auto found = parse_process_list(bytes, 1, 0, strides, 4194304);
  REQUIRE(found.size() == 1);
  CHECK(!found[0].used);
}

TEST_CASE("nvml: C076: answers cross the pipe whole and unknown stays unknown") {
  const NvmlAnswer answer{
      {{0, "NVIDIA H200\n[N/A]", 97u, std::uint64_t{5}, std::uint64_t{9}}, {3, "", {}, {}, {}}},
      {{4242, 0, std::uint64_t{7}}, {17, 3, {}}}};
  const auto back = parse_nvml_lines(to_lines(answer));
  REQUIRE(back.gpus.size() == 2);
  CHECK(back.gpus[0].name == "NVIDIA H200?[N/A]");
  CHECK(back.gpus[0].utilization == 97u);
  CHECK(back.gpus[0].memory_used == 5u);
  CHECK(back.gpus[1].minor == 3);
  CHECK(!back.gpus[1].utilization);
  REQUIRE(back.processes.size() == 2);
  CHECK(back.processes[0].used == 7u);
  CHECK(!back.processes[1].used);
}

TEST_CASE("nvml: C065: a library that is missing or hangs costs a second at most") {
  CHECK(!ask_nvml("/nowhere/libnvidia-ml.so.1"));
  const auto start = std::chrono::steady_clock::now();
  CHECK(!ask_nvml(FAKE_NVML_HANGS));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("nvml: C068: a sick GPU is told and hides no other") {
  const auto answer =
      parse_nvml_lines("gpu 0 ? ? ? Unknown Error\ngpu 1 97 5 9 NVIDIA H200\nprocess 4242 1 7\n");
  REQUIRE(answer.gpus.size() == 2);
  CHECK(answer.gpus[0].name == "Unknown Error");
  CHECK(!answer.gpus[0].utilization);
  CHECK(answer.gpus[1].utilization == 97u);
  CHECK(answer.processes.size() == 1);
}

TEST_CASE("nvml: a library answers through the functions it has") {
  const auto answer = ask_nvml(FAKE_NVML);
  REQUIRE(answer);
  REQUIRE(answer->gpus.size() == 1);
  CHECK(answer->gpus[0].name == "Stand-in");
  CHECK(answer->gpus[0].minor == 5);
  CHECK(!answer->gpus[0].utilization);
  REQUIRE(answer->processes.size() == 2);
  CHECK(answer->processes[0].pid == 1);
  CHECK(answer->processes[1].pid == 2);
}

}  // namespace cudapin
