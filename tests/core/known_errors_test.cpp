// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/known_errors.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> ids_in(std::string_view text) {
  std::set<std::string> ids;
  for (const auto& message : known_messages_in(text)) ids.emplace(message.error->id);
  return ids;
}

}  // namespace

TEST_CASE("known errors: every kind has a recorded example and is recognised in it") {
  const auto folder = fs::path(TEST_DATA) / "errors";
  CHECK(tables::known_errors().size() == 51);
  for (const auto& error : tables::known_errors()) {
    CAPTURE(error.id);
    const auto text = content(folder / (std::string(error.id) + ".txt"));
    REQUIRE(!text.empty());
    CHECK(ids_in(text).contains(std::string(error.id)));
  }
}

TEST_CASE("known errors: every kind is recognised in one log of them all and in no plain one") {
  std::string log;
  for (const auto& error : tables::known_errors())
    log += "[ 12%] Building CUDA object a.o\n" +
           content(fs::path(TEST_DATA) / "errors" / (std::string(error.id) + ".txt"));
  CHECK(ids_in(log).size() == 51);
  CHECK(ids_in("[100%] Built target all\nmake: *** [Makefile:2: a] Error 1\n").empty());
  CHECK(ids_in("").empty());
}

TEST_CASE("known errors: what stands for the stars comes back") {
  const auto one = known_messages_in("nvcc fatal   : Unsupported gpu architecture 'compute_86'\n");
  REQUIRE(one.size() == 1);
  CHECK(one[0].words == std::vector<std::string>{"compute_86"});
  CHECK(one[0].quote == "nvcc fatal : Unsupported gpu architecture 'compute_86'");
  const auto pair = known_messages_in(
      "RuntimeError:\nThe detected CUDA version (12.4) mismatches the version that was used to "
      "compile\nPyTorch "
      "(11.8). Please make sure to use the same CUDA versions.\n");
  REQUIRE(pair.size() == 1);
  CHECK(pair[0].words == std::vector<std::string>{"12.4", "11.8"});
  const auto gcc = known_messages_in(
      "host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions later than 10 are not "
      "supported! The nvcc flag");
  REQUIRE(gcc.size() == 1);
  CHECK(gcc[0].words == std::vector<std::string>{"10"});
}

TEST_CASE("known errors: colours and quotes and wrapping do not hide a message") {
  CHECK(
      ids_in("\x1b[01;31merror: \x1b[mexception specification is incompatible with that of previous function "
             "\xE2\x80\x9Crsqrt\xE2\x80\x9D") == std::set<std::string>{"glibc_math_noexcept"});
  CHECK(
      ids_in("Cuda extensions are being compiled with a version of Cuda that does not\r\n  match the version "
             "used to compile Pytorch binaries.") == std::set<std::string>{"apex_mismatch"});
  CHECK(ids_in("it says: No devices were found").empty());
  CHECK(ids_in("x\nNo devices were found") == std::set<std::string>{"smi_no_devices"});
}

TEST_CASE("known errors: a star stands for the shortest text") {
  const auto found = known_messages_in(
      "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object "
      "file");
  REQUIRE(found.size() == 2);
  CHECK(found[0].words == std::vector<std::string>{"libcudnn", "8"});
  CHECK(found[1].words == std::vector<std::string>{"8"});
}

TEST_CASE("known errors: messages come in the order of the log") {
  const auto found = known_messages_in(
      "no kernel image is available for execution on the device\n"
      "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].error->id == "cuda_209");
  CHECK(found[1].error->id == "nvml_mismatch");
}

}  // namespace cudapin
