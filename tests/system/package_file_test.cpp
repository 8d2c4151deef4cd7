// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/package_file.hpp"

#include "core/error.hpp"
#include "support/standin.hpp"
#include "support/test_root.hpp"
#include "system/child.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>

#include <functional>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

const StandIn cuda{
    .name = "cuda",
    .version = "11.1.0-2",
    .depends = {"gcc10", "nvidia-utils>=455.23"},
    .provides = {"cuda-toolkit=11.1"},
    .conflicts = {"cuda-old"},
    .backup = {"etc/cuda.conf"},
    .install_script = "post_install() { true; }\n",
    .files = {{.path = "opt/cuda/lib/libcudart.so.11.1.74", .content = shared_object("libcudart.so.11.0")},
              {.path = "opt/cuda/lib/libcudart.so.11.0", .link_to = "libcudart.so.11.1.74"},
              {.path = "opt/cuda/lib/same", .hard_link = "opt/cuda/lib/libcudart.so.11.1.74"},
              {.path = "opt/cuda/empty"},
              {.path = "opt/cuda/with space and \xC3\xA9"},
              {.path = "etc/cuda.conf", .content = "a = 1\n"}},
    .bulk = 300'000,
    .base = "cuda-base"};

std::string refusal(const fs::path& file) {
  try {
    verify_package_archive(file);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::vector<fs::path> real_packages() {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(fs::path(REAL_INPUTS) / "packages", missing))
    if (entry.path().extension() != ".sig") files.push_back(entry.path());
  if (files.empty()) MESSAGE("no real packages here: skipped");
  return files;
}

/// Copies the package entry by entry; `change` may alter an entry and its content, or drop it by false, and
/// may write more.
using Change = std::function<bool(archive* target, archive_entry* entry, std::string& content)>;

void rewrite(const fs::path& from, const fs::path& to, const Change& change) {
  auto* source = archive_read_new();
  archive_read_support_filter_all(source);
  archive_read_support_format_tar(source);
  REQUIRE(archive_read_open_filename(source, from.c_str(), 65536) == ARCHIVE_OK);
  auto* target = archive_write_new();
  archive_write_set_format_pax_restricted(target);
  archive_write_add_filter_zstd(target);
  REQUIRE(archive_write_open_filename(target, to.c_str()) == ARCHIVE_OK);
  archive_entry* entry = nullptr;
  while (archive_read_next_header(source, &entry) != ARCHIVE_EOF) {
    std::string content(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    archive_read_data(source, content.data(), content.size());
    if (!change(target, entry, content)) continue;
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    REQUIRE(archive_write_header(target, entry) >= ARCHIVE_WARN);
    archive_write_data(target, content.data(), content.size());
  }
  archive_read_free(source);
  archive_write_free(target);
}

/// What verification says of a package where `change` was made to the entry at `path`.
std::string refusal_after(std::string_view path, const Change& change) {
  const TestFolder folder;
  const auto whole = build_package(cuda, folder.path());
  const auto altered = folder / "altered.pkg.tar.zst";
  rewrite(whole, altered, [&](archive* target, archive_entry* entry, std::string& content) {
    return archive_entry_pathname(entry) == path ? change(target, entry, content) : true;
  });
  return refusal(altered);
}

}  // namespace

TEST_CASE("package_file: a whole package passes in every compression") {
  const TestFolder folder;
  for (const auto* extension : {".pkg.tar.zst", ".pkg.tar.xz", ".pkg.tar.gz", ".pkg.tar"}) {
    const auto file = build_package(cuda, folder.path(), extension);
    std::uint64_t read = 0;
    const auto package = verify_package_archive(file, [&](std::uint64_t bytes) {
      CHECK(bytes >= read);
      read = bytes;
    });
    CHECK(read == fs::file_size(file));
    CHECK(package.name == "cuda");
    CHECK(package.version == "11.1.0-2");
    CHECK(package.arch == "x86_64");
    CHECK(package.base == "cuda-base");
    CHECK(package.installed_size == cuda.installed_size());
    CHECK(package.depends ==
          std::vector{parse_dependency("gcc10"), parse_dependency("nvidia-utils>=455.23")});
    CHECK(package.provides == std::vector{parse_dependency("cuda-toolkit=11.1")});
    CHECK(package.conflicts == std::vector{parse_dependency("cuda-old")});
    CHECK(read_package_info(file).version == "11.1.0-2");
  }
}

TEST_CASE("package_file: real packages of 2014 and 2017 pass and give their names") {
  for (const auto& file : real_packages()) {
    const auto name = parse_file_name(file.filename().string());
    REQUIRE(name);
    const auto package = verify_package_archive(file);
    CHECK(package.name == name->name);
    CHECK(package.version == name->version.text());
    CHECK(package.arch == name->arch);
  }
}

TEST_CASE("package_file: a flipped byte anywhere in the payload is found") {
  const TestFolder folder;
  auto files = real_packages();
  for (const auto* extension : {".pkg.tar.zst", ".pkg.tar.xz", ".pkg.tar.gz", ".pkg.tar"})
    files.push_back(build_package(cuda, folder.path(), extension));
  const auto copy = folder / "copy";
  for (const auto& file : files) {
    for (const double share : {0.0, 0.3, 0.6, 0.9}) {
      fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
      fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
      damage_file(copy, share);
      CHECK_MESSAGE(contains(refusal(copy), "is damaged: "), file.string(), " at ", share);
    }
  }
}

TEST_CASE("package_file: a cut package is found") {
  const TestFolder folder;
  for (const auto* extension : {".pkg.tar.zst", ".pkg.tar.xz", ".pkg.tar.gz"}) {
    const auto file = build_package(cuda, folder.path(), extension);
    for (const std::uintmax_t less : {std::uintmax_t{1}, std::uintmax_t{2000}, fs::file_size(file)}) {
      fs::copy_file(file, folder / "cut", fs::copy_options::overwrite_existing);
      fs::resize_file(folder / "cut", fs::file_size(file) - less);
      CHECK_MESSAGE(contains(refusal(folder / "cut"), "is damaged: "), extension, " ", less);
    }
  }
}

TEST_CASE("package_file: entries must be as the mtree lists them") {
  const auto same = [](archive*, archive_entry*, std::string&) { return true; };
  CHECK(refusal_after("etc/cuda.conf", same).empty());
  CHECK(contains(refusal_after("etc/cuda.conf", [](auto*, auto*, auto&) { return false; }),
                 "'etc/cuda.conf' is missing"));
  CHECK(contains(refusal_after("etc/cuda.conf",
                               [](auto*, auto*, auto& content) {
                                 content = "a = 2\n";
                                 return true;
                               }),
                 "'etc/cuda.conf' has not the listed content"));
  CHECK(contains(refusal_after("etc/cuda.conf",
                               [](auto*, auto*, auto& content) {
                                 content += "b";
                                 return true;
                               }),
                 "has 7 bytes instead of 6"));
  CHECK(contains(refusal_after("etc/cuda.conf",
                               [](auto*, auto* entry, auto&) {
                                 archive_entry_set_perm(entry, 04755);
                                 return true;
                               }),
                 "has mode 4755 instead of 644"));
  CHECK(contains(refusal_after("opt/cuda/lib/libcudart.so.11.0",
                               [](auto*, auto* entry, auto&) {
                                 archive_entry_set_symlink(entry, "/etc/shadow");
                                 return true;
                               }),
                 "points to '/etc/shadow' instead of 'libcudart.so.11.1.74'"));
  CHECK(contains(refusal_after("opt/cuda/empty",
                               [](auto*, auto* entry, auto&) {
                                 archive_entry_set_filetype(entry, AE_IFDIR);
                                 return true;
                               }),
                 "is not of the listed type"));
  CHECK(contains(refusal_after(".INSTALL",
                               [](auto*, auto*, auto& content) {
                                 content = "post_install() { rm -r /; }\n";
                                 return true;
                               }),
                 "'.INSTALL' has"));
  CHECK(contains(refusal_after(".MTREE", [](auto*, auto*, auto&) { return false; }), "no .MTREE"));
  CHECK(contains(refusal_after(".PKGINFO", [](auto*, auto*, auto&) { return false; }), "no .PKGINFO"));
  CHECK(contains(refusal_after(".MTREE",
                               [](auto*, auto*, auto& content) {
                                 content = "noise";
                                 return true;
                               }),
                 "its .MTREE cannot be read"));
}

TEST_CASE("package_file: entries that have no place in a package are refused") {
  const auto renamed = [](const char* path) {
    return refusal_after("etc/cuda.conf", [path](auto*, auto* entry, auto&) {
      archive_entry_set_pathname(entry, path);
      return true;
    });
  };
  CHECK(contains(renamed("../etc/cuda.conf"), "leaves the root"));
  CHECK(contains(renamed("etc/../../cuda.conf"), "leaves the root"));
  CHECK(contains(renamed("/etc/cuda.conf"), "leaves the root"));
  CHECK(contains(renamed("opt/cuda/empty"), "'opt/cuda/empty' is in it twice"));
  CHECK(contains(renamed("./opt/cuda/empty"), "'opt/cuda/empty' is in it twice"));
  CHECK(contains(renamed("etc/other.conf"), "'etc/other.conf' is not in .MTREE"));
  for (const auto type : {AE_IFCHR, AE_IFBLK, AE_IFIFO})
    CHECK(contains(refusal_after("opt/cuda/empty",
                                 [type](auto*, auto* entry, auto&) {
                                   archive_entry_set_filetype(entry, type);
                                   return true;
                                 }),
                   "is neither file, folder nor symlink"));
  CHECK(contains(refusal_after("opt/cuda/lib/same",
                               [](auto*, auto* entry, auto&) {
                                 archive_entry_set_hardlink(entry, "../../etc/shadow");
                                 return true;
                               }),
                 "is a link to no file in it"));
}

TEST_CASE("package_file: what is no package says so") {
  const TestFolder folder;
  write_text(folder / "page.pkg.tar.zst", "<html>not found</html>");
  write_text(folder / "empty.pkg.tar.zst", "");
  for (const auto* name : {"page.pkg.tar.zst", "empty.pkg.tar.zst"}) {
    CHECK_THROWS_WITH_AS(read_package_info(folder / name),
                         ("'" + (folder / name).string() + "' is no package: it cannot be decoded").c_str(),
                         Error);
    CHECK_THROWS_AS(verify_package_archive(folder / name), Error);
  }
  CHECK_THROWS_AS(read_package_info(folder / "missing"), Error);
  write_sync_database(folder / "core.db", std::vector<SyncEntry>{{cuda, {}}});
  CHECK_THROWS_WITH_AS(read_package_info(folder / "core.db"),
                       ("'" + (folder / "core.db").string() + "' is no package: it has no .PKGINFO").c_str(),
                       Error);
}

TEST_CASE("package_file: names beyond ASCII and holes in files pass in any locale") {
  const TestFolder folder;
  const auto from =
      build_package({.name = "x", .files = {{.path = "usr/\xC3\xA9", .content = "a"}}}, folder.path());
  CHECK(verify_package_archive(from).name == "x");
  fs::create_directories(folder / "tree/usr");
  write_text(folder / "tree/.PKGINFO", "pkgname = y\npkgver = 1-1\narch = any\n");
  write_text(folder / "tree/usr/\xC3\xA9-\xE6\x97\xA5", "b");
  write_text(folder / "tree/usr/sparse", "start");
  fs::resize_file(folder / "tree/usr/sparse", 5'000'000);
  const auto script = "cd " + (folder / "tree").string() +
                      " && export LC_ALL=C.UTF-8 && bsdtar -czf .MTREE --format=mtree "
                      "--options='!all,use-set,type,uid,gid,mode,time,size,md5,sha256,link' .PKGINFO usr && "
                      "bsdtar --no-fflags -cf ../y.pkg.tar .MTREE .PKGINFO usr";
  const auto made = run_child({"bash", "-c", script});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  CHECK(refusal(folder / "y.pkg.tar") == "");
}

TEST_CASE("package_file: installed files are compared with their database entry") {
  const TestRoot root;
  root.install(cuda);
  const auto mtree = root.local_database() / "cuda-11.1.0-2/mtree";
  const std::vector<std::string> unchecked{"etc/cuda.conf", "opt/cuda/em*", "!opt/cuda/emp?y"};
  CHECK(compare_installed(root.path(), mtree, {}).empty());
  write_text(root.at("/etc/cuda.conf"), "a = 3\n");
  CHECK(compare_installed(root.path(), mtree, {}) ==
        std::vector<std::string>{"'/etc/cuda.conf' has not the listed content"});
  CHECK(compare_installed(root.path(), mtree, unchecked).empty());
  fs::remove(root.at("/opt/cuda/empty"));
  CHECK(compare_installed(root.path(), mtree, unchecked) ==
        std::vector<std::string>{"'/opt/cuda/empty' is missing"});
  CHECK(compare_installed(root.path(), mtree, std::vector<std::string>{"etc/*", "opt/cuda/em*"}).empty());
  write_text(root.at("/opt/cuda/empty"), "");
  fs::resize_file(root.at("/usr/share/cuda/bulk"), 0);
  fs::remove(root.at("/opt/cuda/lib/libcudart.so.11.0"));
  fs::create_directory(root.at("/opt/cuda/lib/libcudart.so.11.0"));
  const auto problems = compare_installed(root.path(), mtree, unchecked);
  CHECK(problems == std::vector<std::string>{"'/opt/cuda/lib/libcudart.so.11.0' is not of the listed type",
                                             "'/usr/share/cuda/bulk' has 0 bytes instead of 300000"});
}

TEST_CASE("package_file: a folder that an admin moved elsewhere counts as there") {
  const TestRoot root;
  root.install(cuda);
  fs::rename(root.at("/opt/cuda"), root.at("/opt/moved"));
  fs::create_directory_symlink("moved", root.at("/opt/cuda"));
  CHECK(compare_installed(root.path(), root.local_database() / "cuda-11.1.0-2/mtree", {}).empty());
}

}  // namespace cudapin
