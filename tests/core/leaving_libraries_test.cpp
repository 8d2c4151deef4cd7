// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/leaving_libraries.hpp"

#include <doctest/doctest.h>

namespace cudapin {

using Names = std::set<std::string>;

TEST_CASE("leaving libraries: names with a version are libraries and others are not") {
  const std::vector<std::string> paths{"opt/cuda/lib64/libcudart.so.13",
                                       "opt/cuda/lib64/libcudart.so",
                                       "opt/cuda/lib64/",
                                       "usr/lib/libcudnn.so.9.18.1",
                                       "usr/lib/python3/libc.py",
                                       "opt/cuda/bin/ptxas",
                                       "opt/cuda/lib64/libcudart_static.a",
                                       "usr/lib/x.so.1"};
  CHECK(library_names(paths) == Names{"libcudart.so.13", "libcudnn.so.9.18.1"});
}

TEST_CASE("leaving libraries: of a package that is not here only its own version can be said to leave") {
  Names names{"libcudart.so.13", "libcudart.so.13.1.80", "libcufft.so.12", "libnvvm.so.4"};
  auto same = names;
  keep_those_of_the_version(same, "13.1.1-1", "13.0.2-1");
  CHECK(same.empty());
  keep_those_of_the_version(names, "1:13.1.1-1", "11.1.0-2");
  CHECK(names == Names{"libcudart.so.13", "libcudart.so.13.1.80"});
}

TEST_CASE("leaving libraries: who loads what leaves is told and who loads what stays is not") {
  const std::vector<ChangedLibraries> changed{
      {"cuda 13.1-1", {"libcudart.so.13", "libnvvm.so.4"}, {"libcudart.so.11.0", "libnvvm.so.4"}},
      {"cudnn 9-1", {"libcudnn.so.9"}, {}, false}};
  const std::vector<LibraryUser> users{{"blender", "5.0-1", {"libcudart.so.13", "libc.so.6"}, {}},
                                       {"ollama-cuda", "1-1", {"libnvvm.so.4"}, {}},
                                       {"torch", "2-1", {"libcudnn.so.9", "libcudart.so.12"}, {}}};
  const auto findings = judge_leaving(changed, users);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].what ==
        "blender 5.0-1 will stop working: it loads libcudart.so.13, which leaves with cuda 13.1-1");
  CHECK(findings[0].remedy.find("--remove blender") != std::string::npos);
  CHECK(findings[1].what ==
        "torch 2-1 will probably stop working: it loads libcudnn.so.9, which leaves with cudnn 9-1");
}

TEST_CASE("leaving libraries: what another changed package brings has not left") {
  const std::vector<ChangedLibraries> changed{{"cuda-tools 12-1", {"libx.so.1"}, {}},
                                              {"cuda 12-1", {}, {"libx.so.1"}}};
  CHECK(judge_leaving(changed, std::vector<LibraryUser>{{"a", "1-1", {"libx.so.1"}, {}}}).empty());
}

TEST_CASE("leaving libraries: who brings a library itself does not lose it") {
  const std::vector<ChangedLibraries> changed{{"cuda 13-1", {"libcudart.so.13"}, {}}};
  CHECK(
      judge_leaving(changed, std::vector<LibraryUser>{{"a", "1-1", {"libcudart.so.13"}, {"libcudart.so.13"}},
                                                      {"b", "1-1", {"libcudart.so.13"}, {}}})
          .size() == 1);
}

}  // namespace cudapin
