// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/examination.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("examination: a driver text that is cut off is no other driver") {
  CHECK(same_driver("570.86", "570.86.16"));
  CHECK(same_driver("580.178.04", "580.178"));
  CHECK(same_driver("460.56", "460.56"));
  CHECK(!same_driver("550.90.07", "550.107.02"));
  CHECK(!same_driver("550.9", "550.90.07"));
  CHECK(!same_driver("580.173.02", "580.178"));
}

TEST_CASE("examination: three spellings of a cuDNN version are one") {
  CHECK(cudnn_version("7.6.5") == "7.6.5");
  CHECK(cudnn_version("7605") == "7.6.5");
  CHECK(cudnn_version("(7, 6, 5)") == "7.6.5");
  CHECK(cudnn_version("8907") == "8.9.7");
  CHECK(cudnn_version("90100") == "9.1.0");
  CHECK(cudnn_version("7301") == "7.3.1");
  CHECK(cudnn_version("") == "");
  CHECK(cudnn_version("42") == "");
}

TEST_CASE("examination: lists of architectures are read in every spelling") {
  using List = std::vector<int>;
  CHECK(architectures_in("5.2 6.0 6.1 7.0 7.5 8.0 8.6 9.0+PTX") == List{52, 60, 61, 70, 75, 80, 86, 90});
  CHECK(architectures_in("86;80-real") == List{80, 86});
  CHECK(architectures_in("Ampere;7.5") == List{75, 80, 86});
  CHECK(architectures_in("compute_90a") == List{90});
  CHECK(architectures_in("10.0 12.0") == List{100, 120});
  CHECK(architectures_in("All native") == List{});
}

TEST_CASE("examination: without older compilers the default one is judged") {
  Examination found;
  CHECK(found.gcc_majors().empty());
  found.default_gcc = 15;
  CHECK(found.gcc_majors() == std::vector<int>{15});
}

}  // namespace cudapin
