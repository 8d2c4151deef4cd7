// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/standin.hpp"
#include "support/test_root.hpp"
#include "system/local_entries.hpp"
#include "system/sync_entries.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::string database_of(const TestRoot& root) { return root.at("/var/lib/pacman").string(); }

StandIn cuda(const std::string& version) {
  return {.name = "cuda-tools",
          .version = version,
          .depends = {"cuda", "libx.so=1-64"},
          .provides = {"tools=1"},
          .files = {{.path = "opt/cuda/bin/nsys"}}};
}

}  // namespace

TEST_CASE("local entries: the real database is read without libalpm") {
  const TestRoot root;
  root.install(cuda("1:11.3.1-1"));
  const auto dbpath = database_of(root);
  const auto versions = installed_versions(dbpath);
  CHECK(versions.size() == 1);
  CHECK(versions.at("cuda-tools") == "1:11.3.1-1");
  const auto links = installed_links(dbpath, "cuda-tools", "1:11.3.1-1");
  CHECK(links.version == "1:11.3.1-1");
  CHECK(links.depends == std::vector<std::string>{"cuda", "libx.so=1-64"});
  CHECK(links.provides == std::vector<std::string>{"tools=1"});
  CHECK(owned_files(dbpath, "cuda-tools", "1:11.3.1-1") == std::vector<std::string>{"opt/cuda/bin/nsys"});
  CHECK(owned_files(dbpath, "cuda-tools", "2-1").empty());
  CHECK(installed_versions("/nowhere").empty());
}

TEST_CASE("sync entries: every database is asked and only for what is wanted") {
  const TestRoot root;
  const auto folder = root.at("/var/lib/pacman/sync");
  fs::create_directories(folder);
  const std::vector<SyncEntry> extra{{cuda("11.4-1"), {}}, {StandIn{.name = "cuda"}, {}}};
  const std::vector<SyncEntry> testing{{cuda("11.5-1"), {}}};
  write_sync_database(folder / "extra.db", extra);
  write_sync_database(folder / "testing.db", testing);
  write_text(folder / "broken.db", "no archive\n");
  write_text(folder / "extra.db.sig", "signature");
  const auto entries =
      sync_entries(database_of(root), [](std::string_view name) { return name == "cuda-tools"; });
  REQUIRE(entries.size() == 1);
  REQUIRE(entries.at("cuda-tools").size() == 2);
  CHECK(entries.at("cuda-tools")[0].version == "11.4-1");
  CHECK(entries.at("cuda-tools")[1].version == "11.5-1");
  CHECK(entries.at("cuda-tools")[0].depends == std::vector<std::string>{"cuda", "libx.so=1-64"});
  CHECK(sync_entries("/nowhere", [](std::string_view) { return true; }).empty());
}

TEST_CASE("sync entries: a real database of 2022 is read") {
  const auto real = fs::path(REAL_INPUTS) / "sync-db/2022-09-10_malr/extra.db.tar.gz";
  if (!fs::exists(real)) {
    MESSAGE("skipped: no real databases here");
    return;
  }
  const TestFolder folder;
  fs::create_directories(folder / "sync");
  fs::copy_file(real, folder / "sync/extra.db");
  const auto entries =
      sync_entries(folder.path().string(), [](std::string_view name) { return name == "nvidia-utils"; });
  REQUIRE(entries.count("nvidia-utils") == 1);
  CHECK(entries.at("nvidia-utils")[0].version == "515.65.01-2");
}

}  // namespace cudapin
