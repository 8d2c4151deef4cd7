// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile_words.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("profile words: days are those of the calendar") {
  for (const auto* day : {"2020-10-12", "2020-02-29", "2024-12-31"}) CHECK_MESSAGE(is_date(day), day);
  for (const auto* day : {"", "2021-02-29", "2020-13-01", "2020-00-10", "2020-10-00", "2020-10-1", "20201012",
                          "2020/10/12", "2020-10-12 ", "2-20-10-12", "-020-10-12"})
    CHECK_MESSAGE(!is_date(day), day);
}

TEST_CASE("profile words: names and variables") {
  for (const auto* name : {"ampere-11.1", "a", "11.8+lab"}) CHECK_MESSAGE(is_profile_name(name), name);
  for (const auto* name : {"", "-a", ".a", "../a", "A", "a b", "a/b", "ä"})
    CHECK_MESSAGE(!is_profile_name(name), name);
  CHECK(is_variable("NVCC_CCBIN"));
  CHECK(is_variable("_X1"));
  for (const auto* name : {"", "1A", "a", "A-B", "A=B", "A B"}) CHECK_MESSAGE(!is_variable(name), name);
  CHECK(is_loading_variable("LD_AUDIT"));
  CHECK(!is_loading_variable("CUDA_PATH"));
}

TEST_CASE("profile words: only whole dependencies are taken") {
  CHECK(whole_dependency("cuda>=11") == Dependency{"cuda", ">=", "11"});
  CHECK(whole_dependency("libisl.so=23-64") == Dependency{"libisl.so", "=", "23-64"});
  CHECK(whole_dependency("gcc") == Dependency{"gcc", "", ""});
  for (const auto* text : {"", ">=1", "a>=", "a=>1", "a==1", "a: for b", "a >=1", "a>= 1", "a>=1\n", "-a"})
    CHECK_MESSAGE(!whole_dependency(text), text);
}

TEST_CASE("profile words: an exact version has nothing to say") {
  CHECK(version_problem("cuda", "11.1.0-2").empty());
  CHECK(version_problem("gcc10", "1:10.2.0-3").empty());
  CHECK(version_problem("nvidia-utils", "455.28-1").empty());
  CHECK(version_problem("cudnn", "8.0.4.30-1").empty());
  CHECK(!version_problem("cuda", "455.28-1").empty());
  CHECK(!version_problem("cuda", "8.0.4.30-1").empty());
}

}  // namespace cudapin
