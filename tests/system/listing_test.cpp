// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/listing.hpp"

#include "support/archive_fixture.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::vector<PackageFileName> cudas(const std::vector<std::string>& versions) {
  std::vector<PackageFileName> files;
  for (const auto& version : versions)
    files.push_back({"cuda", *Version::parse(version), "x86_64", ".pkg.tar.zst"});
  return files;
}

std::vector<std::string> nearest(const std::vector<std::string>& versions, const char* wanted) {
  return nearest_versions(cudas(versions), *Version::parse(wanted), 5);
}

}  // namespace

TEST_CASE("listing: links are read whatever the text says") {
  const auto files = files_in_page(
      "<a href=\"../\">../</a><a "
      "href=\"gcc14-14.3.1%2Br416%2Bg44d-2-x86_64.pkg.tar.zst\">gcc14-14.3.1+r..&gt;</a>"
      "<a href=\"gcc14-14.3.1%2Br416%2Bg44d-2-x86_64.pkg.tar.zst.sig\">x</a>"
      "<a href=\"/packages/g/gcc14/gcc14-1%3A10.2.0-3-x86_64.pkg.tar.zst\">y</a>"
      "<a href=\"gcc14-libs-14.3.1-2-x86_64.pkg.tar.zst\">of another package</a><a href=\"",
      "gcc14");
  REQUIRE(files.size() == 2);
  CHECK(files[0].version.text() == "14.3.1+r416+g44d-2");
  CHECK(files[1].version.text() == "1:10.2.0-3");
  CHECK(files_in_page("", "gcc14").empty());
}

TEST_CASE("listing: the archive's own pages are read") {
  const fs::path page(REAL_INPUTS "/ala-listings/a_ansible.8cd47f5c.html");
  if (!fs::exists(page)) {
    MESSAGE("skipped: no " << page.string());
    return;
  }
  const auto files = files_in_page(read_file(page), "ansible");
  CHECK(files.size() > 10);
  CHECK(files[0].text() == "ansible-1.4.4-4-any.pkg.tar.xz");
}

TEST_CASE("listing: the nearest versions lie on both sides") {
  const std::vector<std::string> all{"10.2.89-5", "11.1.0-2", "11.1.1-1", "11.1.1-1",
                                     "9.2.148-1", "11.3.1-1", "11.8.0-1", "13.1.1-1"};
  CHECK(nearest(all, "11.2.0-1") ==
        std::vector<std::string>{"10.2.89-5", "11.1.0-2", "11.1.1-1", "11.3.1-1", "11.8.0-1"});
  CHECK(nearest(all, "8.0-1") ==
        std::vector<std::string>{"9.2.148-1", "10.2.89-5", "11.1.0-2", "11.1.1-1", "11.3.1-1"});
  CHECK(nearest(all, "14.0-1") ==
        std::vector<std::string>{"11.1.0-2", "11.1.1-1", "11.3.1-1", "11.8.0-1", "13.1.1-1"});
  CHECK(nearest({"1-1"}, "2-1") == std::vector<std::string>{"1-1"});
  CHECK(nearest({}, "2-1").empty());
}

TEST_CASE("listing: a server's index is fetched and nothing of it stays") {
  ArchiveFixture archive;
  archive.add("cuda-11.1.0-2-x86_64.pkg.tar.zst", package_bytes(1000));
  const auto scratch = archive.folder / "page";
  const auto files = listed_files(archive.host, archive.server.url(), "cuda", scratch);
  REQUIRE(files.size() == 1);
  CHECK(files[0].version.text() == "11.1.0-2");
  CHECK(!fs::exists(scratch));
  CHECK(listed_files(archive.host, archive.server.url(), "cudnn", scratch).empty());
  CHECK(listed_files(archive.host, "http://127.0.0.1:1", "cuda", scratch).empty());
}

}  // namespace cudapin
