// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/resolve.hpp"
#include "support/lab.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A lab whose archive has repositories of some days.
struct SnapshotLab : Lab {
  void profile(const std::string& text) const {
    write_text(
        root.at("/etc/cudapin/profiles/lab.yaml"),
        "name: lab\nsummary: of our lab\nreason: it fits\ngenerations: [ampere]\nsnapshot: 2020-10-12\n" +
            text);
  }
  /// The packages of that day, also as files in the archive.
  void day(const std::string& month, const std::string& number, const std::vector<StandIn>& packages) {
    const auto folder = archive_folder / "a/repos" / month / number;
    std::vector<SyncEntry> entries;
    for (const auto& package : packages) entries.push_back({package, add_to_archive(package)});
    for (const auto* name : {"core", "extra"}) {
      fs::create_directories(folder / name / "os/x86_64");
      write_sync_database(folder / name / "os/x86_64" / (std::string(name) + ".db"),
                          name == std::string("extra") ? entries : std::vector<SyncEntry>{});
    }
  }
  std::vector<std::string> asked_for(const std::string& part) const {
    std::vector<std::string> paths;
    for (const auto& request : server.requests())
      if (has(request.path, part)) paths.push_back(request.path);
    return paths;
  }
};

}  // namespace

TEST_CASE("resolving: a range becomes the newest version that the archive lists and it is pinned") {
  SnapshotLab lab;
  for (const auto* version : {"8.0.2.39-1", "8.0.5.39-1", "8.1.0.77-1"})
    lab.add_to_archive(StandIn{.name = "cudnn", .version = version, .depends = {"cuda"}});
  lab.profile("packages: {cudnn: 8.0.*}\n");
  const auto used = lab.use("lab");
  CAPTURE(used.err);
  REQUIRE(used.status == ExitStatus::done);
  CHECK(has(used.out, "cudnn is the newest '8.0.*' that fits: 8.0.5.39-1"));
  CHECK(lab.version("cudnn") == "8.0.5.39-1");
  const auto untouched = lab.fingerprint();
  CHECK(has(lab.use("lab").out, "in force already"));
  CHECK(lab.fingerprint() == untouched);
}

TEST_CASE("resolving: what is in no list and in no snapshot is taken as another profile names it") {
  SnapshotLab lab;
  lab.profile("extends: ampere-11.1\npackages: {cudnn: 8.0.*}\n");
  const auto used = lab.use("lab");
  CAPTURE(used.err);
  REQUIRE(used.status == ExitStatus::done);
  CHECK(has(used.out, "cudnn is the newest '8.0.*' that fits: 8.0.4.30-1"));
  CHECK(lab.version("cudnn") == "8.0.4.30-1");
  CHECK(lab.version("cuda") == "11.1.0-2");
}

TEST_CASE("resolving: optional dependencies that the machine lacks are shown and never taken") {
  SnapshotLab lab;
  lab.add_to_archive(StandIn{.name = "libfit",
                             .version = "8.0-1",
                             .optional = {"gdb: for its debugger", "cuda: for the GPU", "perl"}});
  lab.profile("packages: {libfit: 8.*}\n");
  const auto used = lab.use("lab");
  CAPTURE(used.err);
  REQUIRE(used.status == ExitStatus::done);
  CHECK(has(used.out, "optional dependencies of libfit:\n  gdb: for its debugger\n  perl\n"));
  CHECK(!has(used.out, "for the GPU"));
  CHECK(lab.version("gdb") == "");
}

TEST_CASE("resolving: a dry run of root leaves no file and not even what could be had again") {
  SnapshotLab lab;
  lab.add_to_archive(StandIn{.name = "cudnn", .version = "8.0.5.39-1", .depends = {"cuda"}});
  lab.day("2020/10", "12", {{.name = "bar", .version = "3-1"}});
  lab.profile("packages: {cudnn: 8.0.*}\n");
  const auto before = lab.fingerprint();
  const auto shown = lab.use("lab", {"--dry-run"});
  CAPTURE(shown.err);
  CHECK(shown.status == ExitStatus::done);
  CHECK(has(shown.out, "8.0.5.39-1"));
  CHECK(lab.fingerprint() == before);
}

TEST_CASE("resolving: what is needed and not here comes from the snapshot as an unpinned dependency") {
  SnapshotLab lab;
  lab.day("2020/10", "12",
          {{.name = "cudnn", .version = "8.0.4.30-9", .depends = {"cuda", "libbar.so=2-64"}},
           {.name = "bar", .version = "2.1-1", .depends = {"baz"}, .provides = {"libbar.so=2-64"}},
           {.name = "baz", .version = "1-1"}});
  lab.profile("packages: {cudnn: 8.0.4.30-*}\n");
  const auto used = lab.use("lab");
  CAPTURE(used.err);
  REQUIRE(used.status == ExitStatus::done);
  CHECK(has(used.out, "bar 2.1-1 comes along"));
  CHECK(has(used.out, "2020-10-12"));
  CHECK(has(used.out, "Download: "));
  CHECK(lab.version("baz") == "1-1");
  const TestHost host(lab.root);
  CHECK(read_state(host.host)->pins.size() == 1);
  CHECK(has(read_text(lab.root.local_database() / "bar-2.1-1/desc"), "%REASON%\n1"));
  CHECK(lab.asked_for("/core.db").size() == 1);
  SUBCASE("the index is kept: nobody is asked for databases again") {
    REQUIRE(lab.cudapin({"undo", "--noconfirm"}).status ==
            ExitStatus::failed);  // the old cudnn was kept nowhere
    REQUIRE(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
    fs::remove_all(lab.root.local_database() / "bar-2.1-1");
    CHECK(has(lab.use("lab", {"--dry-run"}).out, "bar 2.1-1 comes along"));
    CHECK(lab.asked_for(".db").size() == 4);
  }
}

TEST_CASE("resolving: a day that the archive lacks is the nearest earlier one and that is said") {
  SnapshotLab lab;
  const std::vector<StandIn> packages{{.name = "bar", .version = "3-1"}};
  lab.day("2020/10", "02", {});
  lab.day("2020/10", "09", packages);
  lab.day("2020/10", "14", {});
  lab.add_to_archive(StandIn{.name = "cudnn", .version = "8.0.4.30-9", .depends = {"cuda", "bar"}});
  lab.profile(
      "packages: {cudnn: 8.0.4.30-9}\nfiles:\n"
      "  - {file: cudnn-8.0.4.30-9-x86_64.pkg.tar.zst, depends: [cuda, bar]}\n");
  const auto shown = lab.use("lab", {"--dry-run"});
  CAPTURE(shown.err);
  REQUIRE(shown.status == ExitStatus::done);
  CHECK(has(shown.out, "the archive has no 2020-10-12; the repositories of 2020-10-09 are taken"));
  CHECK(has(shown.out, "bar"));
}

TEST_CASE("resolving: without root the plan is made and the index kept in the person's own cache") {
  SnapshotLab lab;
  lab.day("2020/10", "12", {{.name = "bar", .version = "3-1"}});
  lab.add_to_archive(StandIn{.name = "cudnn", .version = "8.0.4.30-9", .depends = {"bar"}});
  lab.profile(
      "packages: {cudnn: 8.0.4.30-9}\nfiles:\n"
      "  - {file: cudnn-8.0.4.30-9-x86_64.pkg.tar.zst, depends: [bar]}\n");
  lab.privileged = false;
  const auto before = lab.fingerprint();
  const auto shown = lab.use("lab", {"--dry-run"});
  CAPTURE(shown.err);
  CHECK(shown.status == ExitStatus::done);
  CHECK(has(shown.out, "bar"));
  CHECK(lab.fingerprint() == before);
}

TEST_CASE("resolving: what the package itself needs counts and a lie is found before anything changes") {
  SnapshotLab lab;
  lab.add_to_archive(StandIn{.name = "cudnn", .version = "8.0.4.30-9", .depends = {"cuda", "glibc>=99"}});
  lab.profile(
      "packages: {cudnn: 8.0.4.30-9}\nfiles:\n"
      "  - {file: cudnn-8.0.4.30-9-x86_64.pkg.tar.zst, depends: [cuda]}\n");
  const auto before = lab.fingerprint(false);
  const auto refused = lab.use("lab");
  CHECK(refused.status == ExitStatus::failed);
  CHECK(has(refused.err, "cudnn 8.0.4.30-9 needs 'glibc>=99'"));
  CHECK(lab.fingerprint(false) == before);
}

TEST_CASE("resolving: what would break is named with the choice and leaves when the person says so") {
  SnapshotLab lab;
  lab.root.install(StandIn{.name = "trainer", .version = "2-1", .depends = {"cudnn>=9"}});
  const auto before = lab.fingerprint(false);
  const auto refused = lab.use("ampere-11.1");
  CHECK(has(refused.err, "the installed trainer 2-1 needs 'cudnn>=9'"));
  CHECK(has(refused.err, "--remove trainer"));
  CHECK(lab.fingerprint(false) == before);
  CHECK(has(lab.use("ampere-11.1", {"--remove", "nobody"}).err,
            "'nobody' cannot be removed: it is not installed"));
  CHECK(has(lab.use("ampere-11.1", {"--remove", "glibc"}).err, "the system stands on it"));
  const auto used = lab.use("ampere-11.1", {"--remove", "trainer"});
  CAPTURE(used.err);
  CHECK(used.status == ExitStatus::done);
  CHECK(lab.version("trainer").empty());
  CHECK(lab.version("cudnn") == "8.0.4.30-1");
}

TEST_CASE("resolving: who loads a library that leaves is told though no dependency says so") {
  Lab lab;
  lab.root.install(StandIn{
      .name = "ollama-cuda",
      .depends = {"cuda"},
      .files = {
          {.path = "usr/bin/ollama", .content = shared_object("", {"libcudart.so.13"}), .mode = 0755}}});
  const auto shown = lab.use("ampere-11.1", {"--dry-run", "--json"});
  CAPTURE(shown.out);
  CHECK(has(shown.out,
            "ollama-cuda 1-1 will probably stop working: it loads libcudart.so.13, which leaves with cuda"));
}

TEST_CASE(
    "resolving: C020: where an upgrade by pacman would stop is told before the pins are written and by the "
    "doctor") {
  Lab lab;
  const auto folder = lab.root.at("/var/lib/pacman/sync");
  fs::create_directories(folder);
  const StandIn next{.name = "python-pytorch-cuda", .version = "99-1", .depends = {"cuda>=13.2"}};
  const StandIn cuda{.name = "cuda", .version = "13.2-1"};
  write_sync_database(folder / "extra.db",
                      std::vector<SyncEntry>{{next, build_package(next, lab.root.packages())},
                                             {cuda, build_package(cuda, lab.root.packages())}});
  write_text(lab.root.pacman_conf(), lab.pacman_conf() + "\n[extra]\nServer = file:///nowhere\n");
  const auto shown = lab.use("ampere-11.1", {"--dry-run", "--json"});
  CAPTURE(shown.err);
  CHECK(has(shown.out, "the pins hold back: cuda 11.1.0-2 (there is 13.2-1)"));
  CHECK(has(shown.out,
            "'pacman -Syu' will stop: python-pytorch-cuda 99-1 needs 'cuda>=13.2', and cuda is pinned at "
            "11.1.0-2"));
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(has(lab.cudapin({"doctor", "--gpu", "RTX 3090", "--json"}).out,
            "'pacman -Syu' will stop: python-pytorch-cuda 99-1 needs 'cuda>=13.2', and cuda is pinned at "
            "11.1.0-2"));
}

}  // namespace cudapin
