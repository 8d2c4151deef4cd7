// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/catalog.hpp"

#include "core/error.hpp"
#include "support/archive_fixture.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Kind = Fault::Kind;
using Texts = std::vector<std::string>;

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
const std::string newer = "cuda-11.1.1-1-x86_64.pkg.tar.zst";

struct Lab : ArchiveFixture {
  Lab() {
    host.root = folder / "root";
    fs::create_directories(host.root);
    sources = {folder / "store", {folder / "cache"}, {server.url()}};
  }
  Catalog catalog(const std::string& name = "cuda") const { return catalog_of(host, sources, name); }
  Sources sources;
};

Texts texts(const Catalog& catalog) {
  Texts result;
  for (const auto& each : catalog.files) result.push_back(each.file.text());
  return result;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string packed(const std::string& text) {
  std::string out(1 << 20, '\0');
  std::size_t used = 0;
  auto* const writer = archive_write_new();
  archive_write_add_filter_xz(writer);
  archive_write_set_format_raw(writer);
  REQUIRE(archive_write_open_memory(writer, out.data(), out.size(), &used) == ARCHIVE_OK);
  auto* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(writer, entry);
  archive_write_data(writer, text.data(), text.size());
  archive_write_close(writer);
  archive_entry_free(entry);
  archive_write_free(writer);
  out.resize(used);
  return out;
}

/// An index as the archive has it, long enough to come in several pieces.
std::string index_text() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "acl-2." + std::to_string(i) + "-1-x86_64\n";
  text += "cuda-10.2.89-5-x86_64\ncuda-11.1.0-2-x86_64\ncuda-tools-11.1.0-2-x86_64\n";
  for (int i = 0; i < 20'000; ++i) text += "zlib-1." + std::to_string(i) + "-1-x86_64\n";
  return text + "zziplib-1-1-x86_64";
}

}  // namespace

TEST_CASE("catalog: store caches and archives are told in that order") {
  Lab lab;
  lab.add(cuda, "12345");
  lab.add(newer, "12345");
  lab.add(newer + ".sig", "s");
  write_text(lab.folder / "store/packages/c/cuda" / cuda, "1234567");
  write_text(lab.folder / "cache" / newer, "123");
  write_text(lab.folder / "cache/cudnn-8-1-x86_64.pkg.tar.zst", "x");
  const auto catalog = lab.catalog();
  CHECK(catalog.problems.empty());
  CHECK(texts(catalog) == Texts{cuda, newer, cuda, newer});
  CHECK(catalog.files[0].is_here);
  CHECK(catalog.files[0].size == 7u);
  CHECK(catalog.files[0].place == (lab.folder / "store").string());
  CHECK(catalog.files[1].is_here);
  CHECK(!catalog.files[1].has_signature);
  CHECK(!catalog.files[2].is_here);
  CHECK(catalog.files[2].place == lab.server.url());
  CHECK(catalog.files[3].has_signature);
  CHECK(lab.server.requests().size() == 1);
}

TEST_CASE("catalog: C037 signatures parts and empty files in a cache are no packages") {
  Lab lab;
  write_text(lab.folder / "cache" / (cuda + ".sig"), "s");
  write_text(lab.folder / "cache" / (cuda + ".part"), "s");
  write_text(lab.folder / "cache" / cuda, "");
  lab.sources.archives.clear();
  CHECK(lab.catalog().files.empty());
  write_text(lab.folder / "cache" / cuda, "whole");
  REQUIRE(lab.catalog().files.size() == 1);
  CHECK(lab.catalog().files[0].has_signature);
}

TEST_CASE("catalog: offline asks nobody") {
  Lab lab;
  lab.add(cuda, "1");
  lab.sources.offline = true;
  CHECK(lab.catalog().files.empty());
  write_text(lab.folder / "stick" / newer, "1");
  lab.sources.archives.push_back("file://" + (lab.folder / "stick").string());
  CHECK(texts(lab.catalog()) == Texts{newer});
  CHECK(lab.server.requests().empty());
}

TEST_CASE("catalog: a dead and a slow archive are passed over and told") {
  Lab lab;
  lab.add(cuda, "1");
  const TestFolder folder;
  ArchiveServer slow(folder.path());
  write_text(folder / "packages/c/cuda" / newer, "1");
  slow.set_fault("/packages/c/cuda/", {Kind::slow, 30});
  std::string down;
  { down = ArchiveServer(folder.path()).url(); }
  lab.sources.archives = {down, slow.url(), lab.server.url()};
  const auto catalog = lab.catalog();
  CHECK(texts(catalog) == Texts{cuda});
  REQUIRE(catalog.problems.size() == 2);
  CHECK(contains(catalog.problems[0], "'" + down.substr(7) + "' is not reachable"));
  CHECK(contains(catalog.problems[1], "'" + slow.url().substr(7) + "' is too slow"));
  CHECK(slow.requests().size() == 1);
}

TEST_CASE("catalog: C044 a mirror without the folder is no problem while another has it") {
  Lab lab;
  lab.add(cuda, "1");
  const TestFolder nothing;
  ArchiveServer gone(nothing.path());
  lab.sources.archives = {gone.url() + "/2019/03-18", lab.server.url()};
  const auto catalog = lab.catalog();
  CHECK(texts(catalog) == Texts{cuda});
  CHECK(catalog.problems.empty());
  CHECK(gone.requests().size() == 1);
}

TEST_CASE("catalog: the flat index speaks where an archive lists no folders") {
  Lab lab;
  write_text(lab.served / "packages/.all/index.0.xz", packed(index_text()));
  lab.server.set_fault("/packages/c/cuda/", {Kind::forbidden});
  CHECK(texts(lab.catalog()) == Texts{"cuda-10.2.89-5-x86_64.pkg.tar.zst", cuda});
  CHECK(lab.catalog().problems.empty());
  CHECK(lab.log() == Texts{"archive 403", "archive 200", "archive 403", "archive 304"});
  CHECK(texts(lab.catalog("zziplib")) == Texts{"zziplib-1-1-x86_64.pkg.tar.zst"});
  CHECK(lab.catalog("nccl").files.empty());
}

TEST_CASE("catalog: a list that is there makes the index needless") {
  Lab lab;
  lab.add(cuda, "1");
  write_text(lab.served / "packages/.all/index.0.xz", packed(index_text()));
  CHECK(texts(lab.catalog()) == Texts{cuda});
  CHECK(lab.log() == Texts{"archive 200"});
}

TEST_CASE("catalog: a damaged index leaves the list's own problem") {
  Lab lab;
  auto index = packed(index_text());
  index.resize(index.size() / 2);
  write_text(lab.served / "packages/.all/index.0.xz", index);
  fs::create_directories(lab.served / "packages/c/cuda");
  const auto catalog = lab.catalog();
  CHECK(catalog.files.empty());
  REQUIRE(catalog.problems.size() == 1);
  CHECK(contains(catalog.problems[0], "its list is empty"));
}

TEST_CASE("catalog: for an unknown name each archive gets one request for the list and one for the index") {
  Lab lab;
  CHECK(lab.catalog("nonesuch").files.empty());
  CHECK(lab.log() == Texts{"archive 404", "archive 404"});
  lab.server.forget_requests();
  const Texts names{"nonesuch", "neither", "nor"};
  for (const auto& catalog : catalogs_of(lab.host, lab.sources, names)) CHECK(catalog.files.empty());
  CHECK(lab.server.requests().size() == 4);
}

TEST_CASE("catalog: a collection of items is an archive too") {
  Lab lab;
  lab.add(cuda, "1");
  lab.add("cuda-10.2.89-5-x86_64.pkg.tar.zst", "12", true);
  lab.sources.archives.push_back(lab.server.collection_url());
  CHECK(texts(lab.catalog()) == Texts{cuda, "cuda-10.2.89-5-x86_64.pkg.tar.zst"});
  CHECK(lab.log().size() == 3);
}

TEST_CASE("catalog: on Manjaro the archive's kernels and drivers are not seen") {
  Lab lab;
  const std::string utils = "nvidia-utils-455.45.01-1-x86_64.pkg.tar.zst";
  lab.add(utils, "1");
  lab.add(cuda, "1");
  write_text(lab.folder / "stick" / utils, "1");
  lab.sources.archives.push_back((lab.folder / "stick").string());
  lab.sources.is_manjaro = true;
  CHECK(lab.catalog("nvidia-utils").files.empty());
  CHECK(lab.server.requests().empty());
  CHECK(texts(lab.catalog()) == Texts{cuda});
  write_text(lab.folder / "cache" / utils, "1");
  CHECK(texts(lab.catalog("nvidia-utils")) == Texts{utils});
}

}  // namespace cudapin
