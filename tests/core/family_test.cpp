// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/family.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("family: flavours of the module and parts of the toolkit") {
  CHECK(same_family("nvidia-dkms", "nvidia-open"));
  CHECK(same_family("nvidia", "nvidia-open-lts"));
  CHECK(same_family("linux612-nvidia", "nvidia-dkms"));
  CHECK(same_family("linux70-nvidia-open", "linux612-nvidia-580xx"));
  CHECK(same_family("cuda", "cuda-tools"));
}

TEST_CASE("family: nothing else leaves for anything") {
  CHECK(!same_family("nvidia-dkms", "cuda"));
  CHECK(!same_family("nvidia-dkms", "nvidia-utils"));
  CHECK(!same_family("cuda", "cudnn"));
  CHECK(!same_family("linux-nvidia", "nvidia"));
  CHECK(!same_family("linux", "linux-lts"));
  CHECK(!same_family("htop", "htop"));
}

}  // namespace cudapin
