// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/package.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("package: file names are taken apart from the right") {
  const auto file = parse_file_name("gcc10-libs-1:10.2.0-3-x86_64.pkg.tar.zst");
  REQUIRE(file);
  CHECK(file->name == "gcc10-libs");
  CHECK(file->version.text() == "1:10.2.0-3");
  CHECK(file->version.upstream() == "10.2.0");
  CHECK(file->arch == "x86_64");
  CHECK(file->text() == "gcc10-libs-1:10.2.0-3-x86_64.pkg.tar.zst");
  CHECK(parse_file_name("cairo-1.17.2+17+g52a7c79fd-1-x86_64.pkg.tar.xz")->version.upstream() ==
        "1.17.2+17+g52a7c79fd");
  CHECK(parse_file_name("linux510-nvidia-455xx-455.45.01-1.6-x86_64.pkg.tar.zst")->version.text() ==
        "455.45.01-1.6");
  CHECK(parse_file_name("x-r123_abc-1-any.pkg.tar.gz")->version.upstream() == "r123_abc");
}

TEST_CASE("package: what is no package file is refused") {
  for (const auto* text :
       {"", "cuda", "cuda-11.1.0-2-x86_64.pkg.tar.zst.sig", "cuda-11.1.0-2-x86_64.pkg.tar.zst.part",
        "../cuda-11.1.0-2-x86_64.pkg.tar.zst", "a/b-1-1-any.pkg.tar.xz", "-1-1-any.pkg.tar.xz",
        "cuda-11.1.0-x86_64.pkg.tar.zst", "cuda-1:-2-x86_64.pkg.tar.zst", "cuda-11 1-2-any.pkg.tar.xz"})
    CHECK_MESSAGE(!parse_file_name(text), text);
}

TEST_CASE("package: versions are text, ordered by libalpm") {
  CHECK(*Version::parse("11.10-1") > *Version::parse("11.1-1"));
  CHECK(*Version::parse("1:10.2.0-3") > *Version::parse("10.4.0-1"));
  CHECK(compare_versions("455.23.04", "455.23") > 0);
  CHECK(compare_versions("550.107.02", "550.90.07") > 0);
  CHECK(!Version::parse("11.1.0"));
  CHECK(!Version::parse("x:11.1-1"));
}

TEST_CASE("package: dependencies are met by name, version and provides") {
  const Package utils{.name = "nvidia-580xx-utils",
                      .version = "580.119.02-1",
                      .provides = {parse_dependency("nvidia-utils=580.119.02")}};
  CHECK(satisfies(utils, parse_dependency("nvidia-utils")));
  CHECK(satisfies(utils, parse_dependency("nvidia-utils=580.119.02")));
  CHECK(!satisfies(utils, parse_dependency("nvidia-utils=590.48.01")));
  CHECK(satisfies(utils, parse_dependency("nvidia-580xx-utils>=580")));
  CHECK(parse_dependency("cuda>=11.5") == Dependency{"cuda", ">=", "11.5"});
  CHECK(parse_dependency("gdb: for cuda-gdb").name == "gdb");
}

}  // namespace cudapin
