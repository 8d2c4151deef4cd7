// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/standin.hpp"

#include "support/test_keyring.hpp"
#include "support/test_root.hpp"
#include "system/child.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <vector>

namespace cudapin {

namespace {

const StandIn cudnn{
    .name = "cudnn",
    .version = "8.0.4.30-1",
    .depends = {"cuda>=11"},
    .provides = {"libcudnn.so=8-64"},
    .backup = {"etc/cudnn.conf"},
    .install_script = "post_install() {\n  true\n}\n",
    .files = {{.path = "usr/lib/libcudnn.so.8.0.4", .content = shared_object("libcudnn.so.8"), .mode = 0755},
              {.path = "usr/lib/libcudnn.so.8", .link_to = "libcudnn.so.8.0.4"},
              {.path = "usr/lib/libcudnn.copy", .hard_link = "usr/lib/libcudnn.so.8.0.4"},
              {.path = "etc/cudnn.conf", .content = "a = 1\n"}},
    .bulk = 100'000};

/// The status words that gpg gives for FILE.sig.
std::string gpg_status(const TestKeyring& keys, const std::filesystem::path& file) {
  return run_child({"gpg", "--homedir", keys.gpg_dir(), "--batch", "--status-fd", "1", "--verify",
                    file.string() + ".sig", file})
      .out;
}

}  // namespace

TEST_CASE("standin: pacman installs one and finds every file as it should be") {
  const TestRoot root;
  root.install(cudnn);
  CHECK(root.installed("cudnn") == "8.0.4.30-1");
  const std::vector<std::string> pacman{"pacman",       "--config", root.pacman_conf(),         "--root",
                                        root.path(),    "--dbpath", root.at("/var/lib/pacman"), "--logfile",
                                        root.at("/log")};
  auto check = pacman;
  check.insert(check.end(), {"-Qkk", "cudnn"});
  const auto result = run_child(check);
  CHECK_MESSAGE(result.status == 0, result.out, result.err);
  CHECK(result.out.find("0 altered files") != result.out.npos);
  CHECK(read_text(root.at("/usr/lib/libcudnn.copy")) == shared_object("libcudnn.so.8"));
}

TEST_CASE("standin: the same description gives the same bytes") {
  const TestFolder one;
  const TestFolder two;
  for (const auto* extension : {".pkg.tar.zst", ".pkg.tar.xz", ".pkg.tar.gz", ".pkg.tar"})
    CHECK(read_text(build_package(cudnn, one.path(), extension)) ==
          read_text(build_package(cudnn, two.path(), extension)));
}

TEST_CASE("standin: a shared object can be loaded and says its soname and needs") {
  const TestFolder folder;
  const auto path = folder / "libx.so";
  write_text(path, shared_object("libx.so.1"));
  void* library = ::dlopen(path.c_str(), RTLD_NOW);
  REQUIRE_MESSAGE(library, ::dlerror());
  ::dlclose(library);
  write_text(path, shared_object("libx.so.1", {"libcudart.so.11.0", "libc.so.6"}));
  const auto dynamic = run_child({"readelf", "-d", path}).out;
  for (const auto* word : {"soname: [libx.so.1]", "[libcudart.so.11.0]", "[libc.so.6]"})
    CHECK_MESSAGE(dynamic.find(word) != dynamic.npos, dynamic);
}

TEST_CASE("standin: a static program says its text and ends with its status") {
  const TestFolder folder;
  const auto path = folder / "program";
  write_text(path, static_program(3, "refused\n"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const auto result = run_child({path});
  CHECK(result.status == 3);
  CHECK(result.out == "refused\n");
}

TEST_CASE("standin: each kind of key gives its own answer of gpg") {
  TestKeyring keys;
  const TestFolder folder;
  const auto file = build_package({.name = "cuda"}, folder.path());
  const std::vector<std::pair<TestKey, std::vector<std::string>>> cases{
      {TestKey::trusted, {"GOODSIG", "TRUST_FULLY"}},
      {TestKey::untrusted, {"GOODSIG", "TRUST_UNDEFINED"}},
      {TestKey::expired, {"EXPKEYSIG"}},
      {TestKey::revoked, {"REVKEYSIG"}},
      {TestKey::absent, {"NO_PUBKEY"}}};
  for (const auto& [key, words] : cases) {
    keys.sign(file, key);
    const auto status = gpg_status(keys, file);
    for (const auto& word : words) CHECK_MESSAGE(status.find(word) != status.npos, status);
  }
  keys.sign(file);
  damage_file(file, 0.5);
  CHECK(gpg_status(keys, file).find("BADSIG") != std::string::npos);
}

TEST_CASE("standin: pacman reads a written sync database") {
  const TestRoot root;
  TestKeyring keys;
  const auto file = build_package(cudnn, root.packages());
  keys.sign(file);
  const std::vector<SyncEntry> entries{{cudnn, file}, {{.name = "cuda", .version = "11.1.0-2"}, {}}};
  write_sync_database(root.at("/var/lib/pacman/sync/community.db"), entries);
  write_text(root.pacman_conf(),
             read_text(root.pacman_conf()) + "SigLevel = Never\n[community]\nServer = file:///x\n");
  const auto result =
      run_child({"pacman", "--config", root.pacman_conf(), "--root", root.path(), "--dbpath",
                 root.at("/var/lib/pacman"), "--logfile", root.at("/log"), "-Si", "cudnn", "cuda"});
  CHECK_MESSAGE(result.status == 0, result.err);
  for (const auto* word : {"8.0.4.30-1", "cuda>=11", "11.1.0-2", "libcudnn.so=8-64", "Signature"})
    CHECK_MESSAGE(result.out.find(word) != result.out.npos, result.out);
}

}  // namespace cudapin
