// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_partners.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

using Packages = std::map<std::string, UpgradablePackage>;
using Names = std::vector<std::string>;

Names closed(const Names& names, const Packages& installed) { return close_over_partners(names, installed); }

}  // namespace

TEST_CASE("guard partners: the driver family stays with the kernels that its modules are for") {
  const Packages installed{{"nvidia-open", {}}, {"nvidia-utils", {}},  {"opencl-nvidia", {}}, {"linux", {}},
                           {"linux-lts", {}},   {"linux-headers", {}}, {"cuda", {}},          {"htop", {}}};
  const Names family{"linux", "linux-headers", "nvidia-open", "nvidia-utils", "opencl-nvidia"};
  CHECK(closed({"nvidia-utils"}, installed) == family);
  CHECK(closed({"linux"}, installed) == family);
  CHECK(closed({"linux-lts"}, installed) == Names{"linux-lts"});
}

TEST_CASE("guard partners: toolkit and frameworks stay together") {
  const Packages installed{
      {"cuda", {}}, {"cudnn", {}}, {"python-pytorch-cuda", {}}, {"htop", {}}, {"nvidia-utils", {}}};
  CHECK(closed({"cudnn"}, installed) == Names{"cuda", "cudnn", "python-pytorch-cuda"});
  CHECK(closed({"gcc10"}, {}) == Names{"gcc10"});
}

TEST_CASE("guard partners: exact dependencies tie in both directions") {
  Packages installed{
      {"kept", {{"1-1", {"libx=1.0", "liby>=1", "libz.so=1-64"}, {"kept-api=1"}}, {}}},
      {"libx", {{"1.0-1", {}, {}}, {"1.1-1", {}, {}}}},
      {"liby", {{"1-1", {}, {}}, {"9-1", {}, {}}}},
      {"libz", {{"1-1", {}, {"libz.so=1-64"}}, {"2-1", {}, {"libz.so=1-64"}}}},
      {"user", {{"1-1", {"kept=1"}, {}}, {"2-1", {"kept=2"}, {}}}},
      {"api-user", {{"1-1", {"kept-api=1"}, {}}, {"2-1", {"kept-api=2"}, {}}}},
      {"old-user", {{"1-1", {"kept=1"}, {}}, {"2-1", {"kept=1"}, {}}}},
      {"standing-user", {{"1-1", {"kept=1"}, {}}, {}}},
  };
  CHECK(closed({"kept"}, installed) == Names{"api-user", "kept", "libx", "user"});
  installed["libz"].next.provides = {"libz.so=2-64"};
  CHECK(closed({"kept"}, installed) == Names{"api-user", "kept", "libx", "libz", "user"});
}

TEST_CASE("guard partners: ties are followed to their end") {
  const Packages installed{{"a", {{"1-1", {"b=1"}, {}}, {"2-1", {"b=2"}, {}}}},
                           {"b", {{"1-1", {"c=1"}, {}}, {"2-1", {"c=2"}, {}}}},
                           {"c", {{"1-1", {}, {}}, {"2-1", {}, {}}}},
                           {"d", {{"1-1", {}, {}}, {"2-1", {}, {}}}}};
  CHECK(closed({"c"}, installed) == Names{"a", "b", "c"});
  CHECK(closed({"a"}, installed) == Names{"a", "b", "c"});
}

}  // namespace cudapin
