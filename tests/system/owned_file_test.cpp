// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/owned_file.hpp"

#include "core/error.hpp"
#include "support/test_folder.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

struct Site {
  Site() {
    write_text(folder / "etc/locks/a.lock.yaml", "text");
    fs::permissions(file, fs::perms(0644));
    for (const auto* name : {"etc", "etc/locks"}) fs::permissions(folder / name, fs::perms(0755));
  }
  OwnedText read() const { return read_owned(folder / "etc", "locks/a.lock.yaml"); }

  TestFolder folder;
  const fs::path file = folder / "etc/locks/a.lock.yaml";
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("owned file: only what root alone can have written is the system's own") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  const Site site;
  CHECK(site.read().text == "text");
  CHECK(site.read().objection.empty());
  SUBCASE("others may write the file") {
    fs::permissions(site.file, fs::perms(0664));
    CHECK(contains(site.read().objection, "a.lock.yaml' may be written by others"));
  }
  SUBCASE("others may write its folder") {
    fs::permissions(site.folder / "etc/locks", fs::perms(0757));
    CHECK(contains(site.read().objection, "locks' may be written by others"));
  }
  SUBCASE("others may write the folder above") {
    fs::permissions(site.folder / "etc", fs::perms(0777));
    CHECK(contains(site.read().objection, "etc' may be written by others"));
  }
  SUBCASE("it belongs to somebody else") {
    REQUIRE(::chown(site.file.c_str(), 65534, 65534) == 0);
    CHECK(contains(site.read().objection, "does not belong to root"));
  }
  SUBCASE("its folder belongs to somebody else") {
    REQUIRE(::chown((site.folder / "etc/locks").c_str(), 65534, 65534) == 0);
    CHECK(contains(site.read().objection, "does not belong to root"));
  }
  SUBCASE("it is a link") {
    fs::rename(site.file, site.folder / "elsewhere");
    fs::create_symlink(site.folder / "elsewhere", site.file);
    CHECK(contains(site.read().objection, "symbolic link"));
  }
  SUBCASE("a folder on the way is a link") {
    fs::rename(site.folder / "etc/locks", site.folder / "elsewhere");
    fs::create_symlink(site.folder / "elsewhere", site.folder / "etc/locks");
    CHECK(contains(site.read().objection, "symbolic link"));
  }
  if (!site.read().objection.empty()) CHECK(site.read().text == "text");  // still read, as any file
}

TEST_CASE("owned file: one that is missing or too large is an error") {
  const Site site;
  CHECK_THROWS_AS(read_owned(site.folder / "etc", "locks/b.lock.yaml"), Error);
  write_text(site.file, std::string((1 << 20) + 1, 'x'));
  CHECK_THROWS_AS(site.read(), Error);
}

}  // namespace cudapin
