// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/distribution.hpp"

#include "support/test_root.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("distribution: os-release below root decides") {
  const TestRoot root;
  const TestHost test(root);
  CHECK(!is_manjaro(test.host));
  write_text(root.at("/usr/lib/os-release"), "ID=manjaro\n");
  CHECK(is_manjaro(test.host));
  write_text(root.at("/etc/os-release"), "ID=arch\n");
  CHECK(!is_manjaro(test.host));
}

}  // namespace cudapin
