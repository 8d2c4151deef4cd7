// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/modules.hpp"

#include "core/text.hpp"
#include "support/lab.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace cudapin {

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

StandIn kernel(const std::string& version, const std::string& release) {
  return {.name = "linux",
          .version = version,
          .depends = {"coreutils", "kmod", "initramfs"},
          .files = {{.path = "usr/lib/modules/" + release + "/vmlinuz", .content = version}}};
}

StandIn module_for(const std::string& release) {
  return {.name = "nvidia",
          .version = "580.105.08-4",
          .depends = {"linux", "nvidia-utils=580.105.08"},
          .provides = {"NVIDIA-MODULE"},
          .conflicts = {"NVIDIA-MODULE"},
          .files = {{.path = "usr/lib/modules/" + release + "/extramodules/nvidia.ko.zst", .content = "m"}}};
}

/// An archive with driver 580.105.08, whose module is built for `release`, and with linux 6.17.9.
struct DriverLab : Lab {
  explicit DriverLab(const std::string& release)
      : packages{kernel("6.17.9.arch1-1", "6.17.9-arch1-1"),
                 module_for(release),
                 {.name = "nvidia-utils", .version = "580.105.08-5", .depends = {"libglvnd"}},
                 {.name = "opencl-nvidia", .version = "580.105.08-5", .depends = {"zlib"}}} {
    for (const auto& package : packages) add_to_archive(package);
  }

  /// `use` of a profile that has those of the packages.
  RunResult run(const std::set<std::string>& names) {
    std::string versions;
    std::string files;
    for (const auto& package : packages) {
      if (!names.count(package.name)) continue;
      versions += "  " + package.name + ": " + package.version + "\n";
      files += "  - {file: '" + package.file_name() + "', depends: [" + join(package.depends, ", ") +
               "], provides: [" + join(package.provides, ", ") + "], conflicts: [" +
               join(package.conflicts, ", ") + "]}\n";
    }
    write_text(root.at("/etc/cudapin/profiles/lab.yaml"),
               "name: lab\nsummary: a driver\nreason: it fits\ngenerations: [ampere]\npackages:\n" +
                   versions + "files:\n" + files);
    untouched = fingerprint(false);
    return use("lab");
  }

  std::vector<StandIn> packages;
  std::string untouched;
};

}  // namespace

TEST_CASE("modules: a driver and the kernel that its module is built for go in together") {
  DriverLab lab("6.17.9-arch1-1");
  const auto used = lab.run({"linux", "nvidia", "nvidia-utils", "opencl-nvidia"});
  CAPTURE(used.err);
  REQUIRE(used.status == ExitStatus::done);
  CHECK(lab.version("linux") == "6.17.9.arch1-1");
  CHECK(lab.version("nvidia") == "580.105.08-4");
  CHECK(lab.version("nvidia-open").empty());
}

TEST_CASE("modules: a module of another kernel is refused before the download with both names") {
  DriverLab lab("6.17.9-arch1-1");
  const auto refused = lab.run({"nvidia", "nvidia-utils", "opencl-nvidia"});
  CAPTURE(refused.err);
  CHECK(refused.status == ExitStatus::failed);
  CHECK(has(refused.err, "nvidia 580.105.08-4 was not built for linux 6.18.2.arch2-1"));
  CHECK(has(refused.err, "nvidia-dkms with linux-headers"));
  CHECK((lab.fingerprint(false) == lab.untouched));
  CHECK(std::ranges::none_of(lab.server.requests(),
                             [](const auto& request) { return has(request.path, ".pkg.tar"); }));
}

TEST_CASE("modules: a pair that only the files tell apart is refused before anything changes") {
  DriverLab lab("6.17.8-arch1-1");
  const auto refused = lab.run({"linux", "nvidia", "nvidia-utils", "opencl-nvidia"});
  CAPTURE(refused.err);
  CHECK(refused.status == ExitStatus::failed);
  CHECK(has(refused.err,
            "nvidia 580.105.08-4 is built for kernel 6.17.8-arch1-1, and linux is 6.17.9-arch1-1"));
  CHECK((lab.fingerprint(false) == lab.untouched));
}

TEST_CASE("modules: a part of the driver that would stay behind is refused with the ways out") {
  DriverLab lab("6.17.9-arch1-1");
  const auto refused = lab.run({"linux", "nvidia", "nvidia-utils"});
  CAPTURE(refused.err);
  CHECK(refused.status == ExitStatus::failed);
  CAPTURE(refused.err);
  CHECK(has(refused.err, "opencl-nvidia 590.48.01-1 would not work with nvidia-utils 580.105.08-5"));
  CHECK(has(refused.err, "--remove opencl-nvidia"));
}

TEST_CASE("modules: a kernel alone is not moved away from its driver and a driver is not let go alone") {
  DriverLab lab("6.17.9-arch1-1");
  const auto refused = lab.run({"linux"});
  CAPTURE(refused.err);
  CHECK(has(refused.err, "nvidia-open 590.48.01-3 was not built for linux 6.17.9.arch1-1"));
  CHECK(has(lab.use("ampere-11.1", {"--remove", "nvidia-open"}).err, "linux would have no driver"));
  CHECK(lab.version("linux") == "6.18.2.arch2-1");
  CHECK(lab.version("nvidia-open") == "590.48.01-3");
}

}  // namespace cudapin
