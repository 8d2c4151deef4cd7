// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/repository.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

RepositoryPackage made(const std::string& name, const std::string& version,
                       const std::vector<std::string>& depends = {},
                       const std::vector<std::string>& provides = {}) {
  RepositoryPackage one{.package = {.name = name, .version = version, .arch = "x86_64"},
                        .file = name + "-" + version + "-x86_64.pkg.tar.zst",
                        .sha256 = std::string(64, 'a'),
                        .size = 7,
                        .repository = "extra"};
  for (const auto& text : depends) one.package.depends.push_back(parse_dependency(text));
  for (const auto& text : provides) one.package.provides.push_back(parse_dependency(text));
  return one;
}

RepositoryIndex index_of(const std::vector<RepositoryPackage>& packages) {
  return *RepositoryIndex::parse(index_text(packages));
}

std::vector<std::string> names(const std::vector<RepositoryPackage>& packages) {
  std::vector<std::string> found;
  for (const auto& one : packages) found.push_back(one.package.name);
  return found;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("repository: what was written is found by its name and nothing else") {
  std::vector<RepositoryPackage> packages;
  for (int i = 0; i < 500; ++i)
    packages.push_back(made("p" + std::to_string(i), "1:2-" + std::to_string(i + 1)));
  const auto index = index_of(packages);
  for (const auto& package : packages) {
    const auto found = index.find(package.package.name);
    REQUIRE(found);
    CHECK(found->package.version == package.package.version);
  }
  for (const auto* name : {"", "p", "p500", "a", "zz", "p1\t"}) CHECK(!index.find(name));
  CHECK(index.all().size() == 500);
}

TEST_CASE("repository: every field comes back") {
  auto one = made("cuda", "11.1.0-2", {"gcc", "opencl-nvidia>=450"}, {"cuda-sdk", "libcudart.so=11.0-64"});
  one.package.conflicts = {parse_dependency("cuda-10")};
  one.package.installed_size = 4'000'000'000;
  one.replaces = {parse_dependency("cuda-toolkit<11")};
  one.optional = {"gdb: for cuda-gdb", "glu"};
  const auto found = index_of({one}).find("cuda");
  REQUIRE(found);
  CHECK(found->package.depends == one.package.depends);
  CHECK(found->package.provides == one.package.provides);
  CHECK(found->package.conflicts == one.package.conflicts);
  CHECK(found->package.installed_size == 4'000'000'000);
  CHECK(found->replaces == one.replaces);
  CHECK(found->optional == one.optional);
  CHECK(*found == one);
}

TEST_CASE("repository: a dependency is met by name first and then by what others provide") {
  const auto index = index_of({made("zlib", "1.3-1", {}, {"libz.so=1-64"}),
                               made("zlib-ng-compat", "2-1", {}, {"zlib=1.3", "libz.so=1-64"}),
                               made("java-8", "8-1", {}, {"java=8"})});
  CHECK(names(index.satisfiers(parse_dependency("zlib"))) == Names{"zlib", "zlib-ng-compat"});
  CHECK(names(index.satisfiers(parse_dependency("libz.so=1-64"))) == Names{"zlib", "zlib-ng-compat"});
  CHECK(names(index.satisfiers(parse_dependency("zlib>=2"))).empty());
  CHECK(names(index.satisfiers(parse_dependency("java>=8"))) == Names{"java-8"});
  CHECK(index.satisfiers(parse_dependency("java>8")).empty());
  CHECK(index.satisfiers(parse_dependency("jav")).empty());
}

TEST_CASE("repository: of two repositories the first counts") {
  auto older = made("gcc8", "8.4.0-1");
  older.repository = "community";
  CHECK(index_of({made("gcc8", "8.4.0-2"), older}).find("gcc8")->package.version == "8.4.0-2");
}

TEST_CASE("repository: what is no package or steers a terminal is left out") {
  auto wrong_file = made("a", "1-1");
  wrong_file.file = "b-1-1-x86_64.pkg.tar.zst";
  auto climbing = made("c", "1-1");
  climbing.file = "../c-1-1-x86_64.pkg.tar.zst";
  auto steering = made("d", "1-1");
  steering.optional = {"e: \x1b[2J"};
  auto breaking = made("f", "1-1");
  breaking.repository = "x\ng\t1";
  CHECK(names(index_of({wrong_file, climbing, steering, breaking, made("ok", "1-1")}).all()) == Names{"ok"});
}

TEST_CASE("repository: what is no index is none and an empty one finds nothing") {
  for (const auto* text : {"", "cudapin index 2\n\n", "cudapin index 1\n", "cudapin index 1\na\t1", "\n\n"})
    CHECK(!RepositoryIndex::parse(text));
  const auto empty = index_of({});
  CHECK(!empty.find("a"));
  CHECK(empty.all().empty());
  CHECK(empty.satisfiers(parse_dependency("a")).empty());
}

}  // namespace cudapin
