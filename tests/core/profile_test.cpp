// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile.hpp"

#include "core/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cudapin {

namespace {

const std::string valid =
    "name: test-11.1\n"                                 // 1
    "summary: a test\n"                                 // 2
    "reason: because\n"                                 // 3
    "generations: [ampere]\n"                           // 4
    "snapshot: 2020-02-29\n"                            // 5
    "packages:\n"                                       // 6
    "  cuda: 11.1.0-2\n"                                // 7
    "  gcc10: 1:10.2.0-3\n"                             // 8
    "files:\n"                                          // 9
    "  - file: gcc10-1:10.2.0-3-x86_64.pkg.tar.zst\n"   // 10
    "    depends: [binutils>=2.28, libisl.so=23-64]\n"  // 11
    "    as: dependency\n"                              // 12
    "  - file: cuda-11.1.0-2-x86_64.pkg.tar.zst\n"      // 13
    "    depends: [gcc]\n"                              // 14
    "    provides: [cuda-sdk]\n"                        // 15
    "pin_if_installed: [cuda-tools]\n"                  // 16
    "requires: {driver: \">=450.80.02\"}\n"             // 17
    "environment: {NVCC_CCBIN: /usr/bin/g++-10}\n"      // 18
    "unverified: [the day]\n";                          // 19

/// `valid` with the first `from` made `to`.
std::string with(const std::string& from, const std::string& to) {
  auto text = valid;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    parse_profile(text, "p");
  } catch (const Error& error) {
    CHECK(error.hint == "man cudapin-profile");
    return error.what();
  }
  return {};
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Case {
  std::string from;
  std::string to;
  std::string message;
};
const Case mistakes[] = {
    // keys and types
    {"summary:", "sumary:",
     "p:1:1: a profile has no 'summary'\np:2:1: unknown key 'sumary', did you mean 'summary'?"},
    {"unverified:", "zebra:", "p:19:1: unknown key 'zebra'"},
    {"summary: a test", "summary: [a]", "p:2:10: 'summary' must be text"},
    {"summary: a test", "summary:", "p:2:1: 'summary' must be text"},
    {"summary: a test", "summary: \"a\\nb\"", "p:2:10: 'summary' must be one line"},
    {"summary: a test", "summary: \"a\\x1b[31mb\"", "p:2:10: 'summary' has control characters"},
    {"generations: [ampere]", "generations: ampere", "p:4:14: 'generations' must be a list"},
    {"unverified: [the day]", "extends: [a]", "p:19:10: 'extends' must be text"},
    {"unverified: [the day]", "extends: A",
     "p:19:10: 'A' is no profile name: lower-case letters, digits, '.', '+' and '-'"},
    {"unverified: [the day]", "extends: ampere-11.1", "p:19:10: no profile is called 'ampere-11.1'"},
    {"name: test-11.1", "name: Test",
     "p:1:7: 'Test' is no profile name: lower-case letters, digits, '.', '+' and '-'"},
    {"name: test-11.1", "name: -x",
     "p:1:7: '-x' is no profile name: lower-case letters, digits, '.', '+' and '-'"},
    {"[ampere]", "[ampre]", "p:4:15: unknown generation 'ampre', did you mean 'ampere'?"},
    {"[ampere]", "[ampere, ampere]", "p:4:23: generation 'ampere' is given twice"},
    {"[ampere]", "[]", "p:4:14: 'generations' is empty"},
    // days
    {"2020-02-29", "2021-02-29", "p:5:11: '2021-02-29' is no day of the calendar (YYYY-MM-DD)"},
    {"2020-02-29", "2020-2-29", "p:5:11: '2020-2-29' is no day of the calendar (YYYY-MM-DD)"},
    {"2020-02-29", "20-20-02-1", "p:5:11: '20-20-02-1' is no day of the calendar (YYYY-MM-DD)"},
    // packages
    {"  gcc10: 1", "  gcc: 1",
     "p:8:3: 'gcc' must stay as the system has it: a profile never moves gcc, gcc-libs, glibc or pacman\n"
     "p:10:11: 'gcc10-1:10.2.0-3-x86_64.pkg.tar.zst' is a file of 'gcc10', which is not in 'packages'"},
    {"  gcc10: 1", "  ../x: 1",
     "p:8:3: '../x' is no package name\n"
     "p:10:11: 'gcc10-1:10.2.0-3-x86_64.pkg.tar.zst' is a file of 'gcc10', which is not in 'packages'"},
    {"cuda: 11.1.0-2", "cuda: \"545\"",
     "p:7:9: '545' is no CUDA version, did you mean driver? (it goes under 'requires')"},
    {"cuda: 11.1.0-2", "cuda: \"535.183.01\"",
     "p:7:9: '535.183.01' is no CUDA version, did you mean driver? (it goes under 'requires')"},
    {"cuda: 11.1.0-2", "cuda: 455.23.04-1",
     "p:7:9: '455.23.04-1' is no CUDA version, did you mean driver? (it goes under 'requires')"},
    {"cuda: 11.1.0-2", "cuda: 8.0.4.30-1", "p:7:9: '8.0.4.30-1' is no CUDA version, did you mean cudnn?"},
    {"cuda: 11.1.0-2", "cuda: 9.1.1.17", "p:7:9: '9.1.1.17' is no CUDA version, did you mean cudnn?"},
    {"cuda: 11.1.0-2", "cuda: 8.6", "p:7:9: '8.6' is no CUDA version, did you mean cudnn?"},
    {"cuda: 11.1.0-2", "cuda: 11.10",
     "p:7:9: '11.10' is no exact version: the pkgrel is missing, as in 11.10-1 or 11.10-*"},
    {"cuda: 11.1.0-2", "cuda: \">=11.1\"",
     "p:13:11: 'cuda-11.1.0-2-x86_64.pkg.tar.zst' is version 11.1.0-2, but 'packages' has '>=11.1'"},
    {"cuda: 11.1.0-2", "cuda: 11.1.*",
     "p:13:11: 'cuda-11.1.0-2-x86_64.pkg.tar.zst' is version 11.1.0-2, but 'packages' has '11.1.*'"},
    {"cuda: 11.1.0-2", "cuda: 11.*.1",
     "p:7:9: '11.*.1' is no wildcard: a version up to a dot or dash and then '*', as in 8.0.*"},
    {"cuda: 11.1.0-2", "cuda: \">=11.1, <12\"",
     "p:7:9: '>=11.1, <12' is no range: bounds with blanks between them, as in \">=455.23 <460\""},
    {"cuda: 11.1.0-2", "cuda: \">=12 <11\"", "p:7:9: no version can meet '>=12 <11'"},
    {"cuda: 11.1.0-2", "cuda: \">=455.23 <460\"",
     "p:7:9: '>=455.23 <460' is no CUDA version, did you mean driver? (it goes under 'requires')"},
    {"cuda: 11.1.0-2", "cuda: a/b", "p:7:9: 'a/b' is no package version"},
    {"cuda: 11.1.0-2", "cuda: [11.1.0-2]", "p:7:9: the version of 'cuda' must be text"},
    {"cuda: 11.1.0-2", "cuda: 11.1.1-1",
     "p:13:11: 'cuda-11.1.0-2-x86_64.pkg.tar.zst' is version 11.1.0-2, but 'packages' has 11.1.1-1"},
    {"  gcc10: 1:10.2.0-3\n", "  gcc10: 1:10.2.0-3\n  cudnn: 8.0.4.30-1\n",
     "p:9:3: 'cudnn' has no entry in 'files'"},
    // files
    {"cuda-11.1.0-2-x86_64.pkg.tar.zst", "../cuda-11.1.0-2-x86_64.pkg.tar.zst",
     "p:13:11: '../cuda-11.1.0-2-x86_64.pkg.tar.zst' is no package file name"},
    {"cuda-11.1.0-2-x86_64.pkg.tar.zst", "gcc10-1:10.2.0-3-x86_64.pkg.tar.xz",
     "p:7:3: 'cuda' has no entry in 'files'\n"
     "p:13:11: a second file for 'gcc10', the first is at line 10"},
    {"    depends: [gcc]\n", "", "p:13:5: a file has no 'depends'"},
    {"[gcc]", "[\"gcc>=\"]", "p:14:15: 'gcc>=' is no dependency (name, or name>=version)"},
    {"[gcc]", "[\"a b\"]", "p:14:15: 'a b' is no dependency (name, or name>=version)"},
    {"[gcc]", "[\"gcc>=1\\x7f\"]", "p:14:15: 'gcc>=1?' is no dependency (name, or name>=version)"},
    {"[gcc]", "[gcc=>1]", "p:14:15: 'gcc=>1' is no dependency (name, or name>=version)"},
    {"as: dependency", "as: dep", "p:12:9: 'as' must be 'dependency' or 'explicit'"},
    {"provides: [cuda-sdk]", "only_if_installed: yes", "p:15:24: 'only_if_installed' must be true or false"},
    {"provides: [cuda-sdk]", "replaces: cuda-sdk", "p:15:15: 'replaces' must be a list"},
    {"provides:", "privides:", "p:15:5: unknown key 'privides', did you mean 'provides'?"},
    // the rest
    {"[cuda-tools]", "[cuda]", "p:16:20: 'cuda' is in 'packages' already"},
    {"[cuda-tools]", "[glibc]",
     "p:16:20: 'glibc' must stay as the system has it: a profile never moves gcc, gcc-libs, glibc or "
     "pacman"},
    {"\">=450.80.02\"", "450.80.02", "p:17:20: '450.80.02' is no bound, give one like \">=450.80.02\""},
    {"\">=450.80.02\"", "\">=\"", "p:17:20: '>=' is no bound, give one like \">=450.80.02\""},
    {"NVCC_CCBIN", "nvcc", "p:18:15: 'nvcc' is no variable: upper-case letters, digits and '_'"},
    {"NVCC_CCBIN", "LD_LIBRARY_PATH", "p:18:15: a profile never sets 'LD_LIBRARY_PATH'"},
    {"NVCC_CCBIN", "LD_PRELOAD", "p:18:15: a profile never sets 'LD_PRELOAD'"},
    {"NVCC_CCBIN", "PATH", "p:18:15: a profile never sets 'PATH'"},
    {"/usr/bin/g++-10", "\"a\\nb\"", "p:18:27: the value of 'NVCC_CCBIN' must be one line"},
};

}  // namespace

TEST_CASE("profile: everything in it is read") {
  const auto profile = parse_profile(valid, "p.yaml");
  CHECK(profile.name == "test-11.1");
  CHECK(profile.summary == "a test");
  CHECK(profile.reason == "because");
  CHECK(profile.generations == std::vector<std::string>{"ampere"});
  CHECK(profile.snapshot == "2020-02-29");
  REQUIRE(profile.packages.size() == 2);
  CHECK(profile.packages[0].name == "cuda");
  CHECK(profile.packages[0].version.text() == "11.1.0-2");
  CHECK(profile.packages[0].file == "cuda-11.1.0-2-x86_64.pkg.tar.zst");
  CHECK(profile.packages[0].reason == Reason::explicitly);
  CHECK(profile.packages[0].provides == std::vector<Dependency>{{"cuda-sdk", "", ""}});
  REQUIRE(profile.find("gcc10"));
  CHECK(profile.find("gcc10")->version.text() == "1:10.2.0-3");
  CHECK(profile.find("gcc10")->reason == Reason::dependency);
  CHECK(profile.find("gcc10")->depends ==
        std::vector<Dependency>{{"binutils", ">=", "2.28"}, {"libisl.so", "=", "23-64"}});
  CHECK(!profile.find("cudnn"));
  CHECK(profile.pin_if_installed == std::vector<std::string>{"cuda-tools"});
  CHECK(profile.requirements == std::vector<Dependency>{{"driver", ">=", "450.80.02"}});
  CHECK(profile.environment ==
        std::vector<std::pair<std::string, std::string>>{{"NVCC_CCBIN", "/usr/bin/g++-10"}});
  CHECK(profile.unverified == std::vector<std::string>{"the day"});
  CHECK(profile.origin == "p.yaml");
}

TEST_CASE("profile: each mistake is told where it stands") {
  for (const auto& each : mistakes) {
    CAPTURE(each.to);
    CHECK(refusal(with(each.from, each.to)) == each.message);
  }
}

TEST_CASE("profile: real CUDA 8 and 9 versions are not taken for cuDNN") {
  for (const auto* version : {"8.0.61-3", "9.0.176-4", "9.1.85.3-5", "9.2.148-1", "10.2.89-5", "13.1.1-1"}) {
    CAPTURE(version);
    auto text = with("cuda: 11.1.0-2", std::string("cuda: ") + version);
    const std::string file = "cuda-11.1.0-2-x86_64";
    text.replace(text.find(file), file.size(), std::string("cuda-") + version + "-x86_64");
    CHECK(refusal(text).empty());
  }
}

TEST_CASE("profile: a package given twice is told with both places") {
  CHECK_THROWS_WITH_AS(parse_profile(with("files:", "  cuda: 11.1.1-1\nfiles:"), "p"),
                       "p:9:3: duplicate key 'cuda', first given at line 7", Error);
}

TEST_CASE("profile: what is missing altogether is named") {
  CHECK(refusal("{}") ==
        "p:1:1: a profile has no 'name'\n"
        "p:1:1: a profile has no 'summary'\n"
        "p:1:1: a profile has no 'reason'\n"
        "p:1:1: a profile has no 'generations'\n"
        "p:1:1: a profile has no 'packages'\n"
        "p:1:1: a profile has no 'files'");
  CHECK(refusal("") == "p:1:1: a profile must be a mapping (key: value)");
  CHECK(refusal("ampere-11.1") == "p:1:1: a profile must be a mapping (key: value)");
}

TEST_CASE("profile: the built-in ones are whole") {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SOURCE_DIR "/profiles")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    const auto profile = parse_profile(read_file(entry.path()), entry.path().string());
    names.push_back(profile.name);
    CHECK(profile.name + ".yaml" == entry.path().filename().string());
    REQUIRE(profile.find("cuda"));
    REQUIRE(profile.find("cudnn"));
    CHECK(profile.requirements.at(0).name == "driver");
    std::vector<Package> set;
    for (const auto& package : profile.packages)
      set.push_back({.name = package.name, .version = package.version.text(), .provides = package.provides});
    for (const auto& package : profile.packages)
      for (const auto& wanted : package.depends)
        if (profile.find(wanted.name)) CHECK_MESSAGE(find_satisfier(set, wanted), wanted.text());
  }
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"ada-12", "ampere-11.1", "ampere-11.8", "blackwell-13", "hopper-12",
                                          "pascal-10.2", "pascal-580", "turing-10.2", "turing-11.8",
                                          "volta-10.2"});
}

TEST_CASE("profile: ampere-11.1 is the set that people ask for") {
  const auto profile = parse_profile(read_file(SOURCE_DIR "/profiles/ampere-11.1.yaml"), "p");
  std::vector<std::string> versions;
  for (const auto& package : profile.packages)
    versions.push_back(package.name + " " + package.version.text());
  CHECK(versions == std::vector<std::string>{"cuda 11.1.0-2", "cudnn 8.0.4.30-1", "nccl 2.7.8-3",
                                             "gcc10 1:10.2.0-3", "gcc10-libs 1:10.2.0-3"});
  CHECK(profile.requirements == std::vector<Dependency>{{"driver", ">=", "450.80.02"}});
}

}  // namespace cudapin
