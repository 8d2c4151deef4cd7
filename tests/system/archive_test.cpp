// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/archive.hpp"

#include "core/error.hpp"
#include "support/archive_fixture.hpp"
#include "system/fetch.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <httplib.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <sstream>
#include <thread>
#include <tuple>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Kind = Fault::Kind;
using Log = std::vector<std::string>;

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
const std::string gcc = "gcc10-1:10.2.0-3-x86_64.pkg.tar.zst";

PackageFileName name_of(const std::string& text) {
  auto name = parse_file_name(text);
  REQUIRE(name);
  return *name;
}

struct Lab : ArchiveFixture {
  Lab() {
    fs::create_directories(cache);
    sources = {folder / "store", {cache}, {server.url()}};
  }
  fs::path get(const std::string& file = cuda) const { return fetch(host, sources, name_of(file), {}); }
  fs::path stored(const std::string& file = cuda) const {
    return sources.store / archive_path(name_of(file));
  }
  std::string message(const std::string& file = cuda) const {
    try {
      get(file);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  /// The names in the stored file's folder: nothing but the package and its signature belongs there.
  std::vector<std::string> folder_of_stored() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(stored().parent_path()))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  const fs::path cache = folder / "cache";
  const std::string bytes = package_bytes(200'000);
  Sources sources;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

bool same_inode(const fs::path& left, const fs::path& right) { return fs::equivalent(left, right); }

}  // namespace

TEST_CASE("archive: paths and addresses follow the archive's layout") {
  CHECK(archive_path(name_of(gcc)) == "packages/g/gcc10/" + gcc);
  CHECK(archive_path(name_of("R-4.0.2-1-x86_64.pkg.tar.zst")) == "packages/r/R/R-4.0.2-1-x86_64.pkg.tar.zst");
  CHECK(archive_url("https://archive.archlinux.org", name_of(gcc)) ==
        "https://archive.archlinux.org/packages/g/gcc10/gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst");
  CHECK(archive_url("http://lab/mirror/", name_of("libc++-11.0.0-2-x86_64.pkg.tar.zst")) ==
        "http://lab/mirror/packages/l/libc%2B%2B/libc%2B%2B-11.0.0-2-x86_64.pkg.tar.zst");
  CHECK(archive_url("file:///srv/archive", name_of(gcc)) ==
        "file:///srv/archive/packages/g/gcc10/gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst");
  CHECK(archive_url("/srv/archive/", name_of(gcc)) == "/srv/archive/packages/g/gcc10/" + gcc);
}

TEST_CASE("archive: a package comes with its signature and is not asked for again") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  lab.add(cuda + ".sig", "signature");
  const auto file = lab.get();
  CHECK(file == lab.stored());
  CHECK(read_text(file) == lab.bytes);
  CHECK(read_text(file.string() + ".sig") == "signature");
  CHECK(lab.log() == Log{"archive 200", "archive 200"});
  CHECK(lab.get() == file);
  CHECK(lab.server.requests().size() == 2);
  CHECK(lab.folder_of_stored() == Log{cuda, cuda + ".sig"});
}

TEST_CASE("archive: epochs and plus signs reach the server encoded and are found") {
  Lab lab;
  lab.add(gcc, lab.bytes);
  CHECK(read_text(lab.get(gcc)) == lab.bytes);
  const auto request = lab.server.requests().at(0);
  CHECK(request.target == "/packages/g/gcc10/gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst");
  CHECK(request.path == "/packages/g/gcc10/" + gcc);
}

TEST_CASE("archive: a moved package and its moved signature are fetched") {
  Lab lab;
  const std::string libc = "libc++-11.0.0-2-x86_64.pkg.tar.zst";
  lab.add(libc, lab.bytes, true);
  lab.add(libc + ".sig", "signature", true);
  CHECK(read_text(lab.get(libc)) == lab.bytes);
  CHECK(read_text(lab.stored(libc).string() + ".sig") == "signature");
  CHECK(lab.log() == Log{"archive 302", "items 302", "node 200", "archive 302", "items 302", "node 200"});
  CHECK(lab.server.requests()[1].path == "/download/archlinux_pkg_libc__/" + libc);
}

TEST_CASE("archive: a missing signature is no error and its package stays") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  CHECK(lab.get() == lab.stored());
  CHECK(!fs::exists(lab.stored().string() + ".sig"));
  CHECK(lab.folder_of_stored() == Log{cuda});
}

TEST_CASE("archive: a signature that an archive could not give is an error for a new package only") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  lab.server.set_fault(cuda + ".sig", {Kind::forbidden});
  CHECK(contains(lab.message(), "cannot get the signature of '" + cuda + "'"));
  CHECK(lab.get() == lab.stored());
}

TEST_CASE("archive: a signature of an older file does not survive") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  write_text(lab.stored().string() + ".sig", "of another file");
  CHECK(lab.get() == lab.stored());
  CHECK(!fs::exists(lab.stored().string() + ".sig"));
}

TEST_CASE("archive: what the cache has is not asked for") {
  Lab lab;
  write_text(lab.cache / cuda, lab.bytes);
  write_text(lab.cache / (cuda + ".sig"), "signature");
  CHECK(locate(lab.sources, name_of(cuda)) == (lab.cache / cuda).string());
  CHECK(read_text(lab.get()) == lab.bytes);
  CHECK(read_text(lab.stored().string() + ".sig") == "signature");
  CHECK(lab.server.requests().empty());
  CHECK(locate(lab.sources, name_of(cuda)) == lab.stored().string());
  CHECK(lab.folder_of_stored() == Log{cuda, cuda + ".sig"});
}

TEST_CASE("archive: a cached package without a signature gets it from the archive") {
  Lab lab;
  write_text(lab.cache / cuda, lab.bytes);
  lab.add(cuda + ".sig", "signature");
  CHECK(lab.get() == lab.stored());
  CHECK(read_text(lab.stored().string() + ".sig") == "signature");
  CHECK(lab.server.requests().size() == 1);
}

TEST_CASE("archive: a cached file is linked where only root can write it and copied elsewhere") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  for (const auto& [mode, uid, linked] : {std::tuple{mode_t{0644}, uid_t{0}, true},
                                          {0664, 0, false},
                                          {0646, 0, false},
                                          {0600, 0, false},
                                          {0644, 1000, false}}) {
    Lab lab;
    write_text(lab.cache / cuda, lab.bytes);
    REQUIRE(::chown((lab.cache / cuda).c_str(), uid, uid) == 0);
    REQUIRE(::chmod((lab.cache / cuda).c_str(), mode) == 0);
    const auto file = lab.get();
    CHECK(same_inode(file, lab.cache / cuda) == linked);
    CHECK(mode_of(file) == 0644);
    CHECK(read_text(file) == lab.bytes);
    struct stat info {};
    REQUIRE(::stat(file.c_str(), &info) == 0);
    CHECK(info.st_uid == 0);
  }
}

TEST_CASE("archive: symbolic links and empty or partial files in a cache are no packages") {
  Lab lab;
  const auto secret = lab.folder / "secret";
  write_text(secret, "root only");
  fs::create_symlink(secret, lab.cache / cuda);
  fs::create_directories(lab.cache / "packages");
  fs::create_directory_symlink(lab.folder.path(), lab.cache / "packages" / "c");
  write_text(lab.cache / gcc, "");
  write_text(lab.cache / (gcc + ".part"), lab.bytes);
  for (const auto& file : {cuda, gcc}) {
    CHECK(locate(lab.sources, name_of(file)) == archive_url(lab.server.url(), name_of(file)));
    CHECK(contains(lab.message(file), "cannot find '" + file + "'"));
    CHECK(!fs::exists(lab.stored(file)));
  }
  REQUIRE(::mkfifo((lab.folder / "cache2").c_str(), 0600) == 0);
  lab.sources.caches = {lab.folder / "cache2", lab.folder / "none"};
  CHECK(contains(lab.message(), "cannot find"));
}

TEST_CASE("archive: an empty or linked file in the store is replaced") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  write_text(lab.stored(), "");
  CHECK(read_text(lab.get()) == lab.bytes);
  fs::remove(lab.stored());
  const auto outside = lab.folder / "outside";
  write_text(outside, "mine");
  fs::create_symlink(outside, lab.stored());
  CHECK(read_text(lab.get()) == lab.bytes);
  CHECK(fs::is_regular_file(fs::symlink_status(lab.stored())));
  CHECK(read_text(outside) == "mine");
}

TEST_CASE("archive: folders serve as archives in either layout and as addresses") {
  Lab flat;
  write_text(flat.folder / "usb stick" / cuda, flat.bytes);
  for (const auto& base :
       {(flat.folder / "usb stick").string(), "file://" + (flat.folder.path() / "usb%20stick/").string()}) {
    fs::remove_all(flat.sources.store);
    flat.sources.archives = {base};
    flat.sources.offline = true;
    CHECK(locate(flat.sources, name_of(cuda)) == (flat.folder / "usb stick/" / cuda).string());
    CHECK(read_text(flat.get()) == flat.bytes);
  }
  Lab nested;
  nested.add(gcc, nested.bytes);
  nested.sources.archives = {nested.served.string() + "/"};
  CHECK(read_text(nested.get(gcc)) == nested.bytes);
  CHECK(nested.server.requests().empty());
}

TEST_CASE("archive: an archive that is down or has not got it is passed over") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  lab.add(cuda + ".sig", "signature");
  const TestFolder nothing;
  ArchiveServer empty(nothing.path());
  std::string down;
  { down = ArchiveServer(nothing.path()).url(); }
  lab.sources.archives = {down, empty.url(), lab.server.url()};
  CHECK(read_text(lab.get()) == lab.bytes);
  CHECK(empty.requests().size() == 3);  // the package alone: the signature is asked where the package was
  CHECK(lab.server.requests().size() == 2);
}

TEST_CASE("archive: when all say no the error names each") {
  Lab lab;
  std::string down;
  { down = ArchiveServer(lab.served).url(); }
  lab.sources.archives.push_back(down);
  const auto message = lab.message();
  CHECK(message.starts_with("cannot find '" + cuda + "'\n"));
  CHECK(contains(message, "'" + lab.cache.string() + "' does not have it"));
  CHECK(contains(message, "'" + lab.server.url() + "' does not have it"));
  CHECK(contains(message, "'" + down.substr(7) + "' is not reachable"));
  CHECK(!fs::exists(lab.stored()));
  CHECK(fs::is_empty(lab.stored().parent_path()));
}

TEST_CASE("archive: offline asks no server and says so") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  lab.sources.offline = true;
  CHECK(locate(lab.sources, name_of(cuda)) == "");
  CHECK(contains(lab.message(), "'" + lab.server.url() + "' was not asked: offline"));
  write_text(lab.cache / cuda, lab.bytes);
  CHECK(lab.get() == lab.stored());
  CHECK(lab.server.requests().empty());
}

TEST_CASE("archive: an interrupt is not taken for an archive that says no") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  lab.interrupt = SIGINT;
  std::optional<ExitStatus> status;
  try {
    lab.get();
  } catch (const Error& error) {
    status = error.status;
  }
  CHECK((status == ExitStatus::interrupted));
}

TEST_CASE("archive: two fetches of one file share one download") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  lab.add(cuda + ".sig", "signature");
  lab.server.set_fault(cuda, {Kind::slow, 400'000});
  std::vector<std::thread> fetches;
  for (int i = 0; i < 3; ++i) fetches.emplace_back([&] { lab.get(); });
  for (auto& each : fetches) each.join();
  CHECK(lab.log() == Log{"archive 200", "archive 200"});
  CHECK(read_text(lab.stored()) == lab.bytes);
  CHECK(lab.folder_of_stored() == Log{cuda, cuda + ".sig"});
}

TEST_CASE("archive: a store is readable by all whatever the umask") {
  Lab lab;
  lab.add(cuda, lab.bytes);
  const auto old = ::umask(077);
  const auto file = lab.get();
  ::umask(old);
  CHECK(mode_of(file) == 0644);
  for (auto folder = file.parent_path(); folder != lab.folder.path(); folder = folder.parent_path())
    CHECK(mode_of(folder) == 0755);
}

TEST_CASE("archive: a store served by any web server is an archive itself") {
  Lab first;
  first.add(gcc, first.bytes);
  first.add(gcc + ".sig", "signature");
  first.get(gcc);
  ArchiveServer mirror(first.sources.store);
  Lab second;
  second.sources.archives = {mirror.url() + "/"};
  CHECK(read_text(second.get(gcc)) == first.bytes);
  CHECK(read_text(second.stored(gcc).string() + ".sig") == "signature");
}

TEST_CASE("archive: C034 a moved package is resumed through the redirects and a cut") {
  Lab lab;
  lab.add(cuda, lab.bytes, true);
  lab.server.set_fault(cuda, {Kind::cut, 150'000, 1});
  CHECK(read_text(lab.get()) == lab.bytes);
  const auto log = lab.log();
  REQUIRE(log.size() > 5);
  CHECK(std::ranges::count(log, "node 206 bytes=150000-") == 1);
}

TEST_CASE("archive: C035 a package is found under the ending of its day") {
  Lab lab;
  const std::string xz = "cuda-11.1.0-2-x86_64.pkg.tar.xz";
  lab.add(xz, lab.bytes, true);
  lab.add(xz + ".sig", "signature", true);
  const auto file = lab.get();
  CHECK(file == lab.stored(xz));
  CHECK(read_text(file.string() + ".sig") == "signature");
  CHECK(lab.log() == Log{"archive 302", "items 302", "node 404", "archive 302", "items 302", "node 200",
                         "archive 302", "items 302", "node 200"});
  CHECK(locate(lab.sources, name_of(cuda)) == file.string());
}

TEST_CASE("archive: a name that no source gives is asked for once by each ending") {
  Lab lab;
  CHECK(contains(lab.message(), "no version of 'cuda' is listed there"));
  Log exact;
  for (const auto& request : lab.server.requests())
    if (request.host == "archive") exact.push_back(request.path);
  CHECK(exact == Log{"/packages/c/cuda/" + cuda, "/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.xz",
                     "/packages/c/cuda/", "/packages/.all/index.0.xz"});
}

TEST_CASE("archive: an archive that did not answer is told of and not asked again") {
  Lab lab;
  std::ostringstream said;
  lab.host.err = &said;
  for (const auto& file : {cuda, gcc}) {
    lab.add(file, lab.bytes);
    lab.add(file + ".sig", "signature");
  }
  std::string down;
  { down = ArchiveServer(lab.served).url(); }
  lab.sources.archives = {down, lab.server.url()};
  lab.get();
  CHECK(contains(said.str(), "warning: "));
  CHECK(contains(said.str(), "'" + down.substr(7) + "' is not reachable"));
  const auto once = said.str();
  ArchiveServer revived(lab.served, {}, std::stoi(down.substr(down.rfind(':') + 1)));
  lab.get(gcc);
  CHECK(said.str() == once);
  CHECK(revived.requests().empty());
}

TEST_CASE("archive: a collection of items is asked for the exact name") {
  Lab lab;
  lab.add(gcc, lab.bytes, true);
  lab.sources.archives = {lab.server.collection_url()};
  CHECK(read_text(lab.get(gcc)) == lab.bytes);
  CHECK(lab.server.requests()[0].target ==
        "/download/archlinux_pkg_gcc10/gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst");
}

TEST_CASE("archive: what Manjaro builds itself never comes from an archive there") {
  Lab lab;
  const std::string utils = "nvidia-utils-455.45.01-1-x86_64.pkg.tar.zst";
  lab.add(utils, lab.bytes);
  lab.sources.is_manjaro = true;
  CHECK(locate(lab.sources, name_of(utils)).empty());
  CHECK(contains(lab.message(utils), "cannot find"));
  CHECK(lab.server.requests().empty());
  write_text(lab.cache / utils, lab.bytes);
  CHECK(read_text(lab.get(utils)) == lab.bytes);
}

TEST_CASE("archive: the loopback archive lists folders as nginx does") {
  Lab lab;
  const auto long_name = "cuda-tools-11.1.0+a+very+long+version+to+be+cut-2-x86_64.pkg.tar.zst";
  lab.add(gcc, lab.bytes);
  write_text(lab.served / "packages/g/gcc10" / long_name, "x");
  const auto answer = httplib::Client(lab.server.url()).Get("/packages/g/gcc10/");
  REQUIRE(answer);
  const auto& page = answer->body;
  CHECK(contains(page, "<h1>Index of /packages/g/gcc10/</h1><hr><pre><a href=\"../\">../</a>\r\n"));
  CHECK(contains(
      page, "<a href=\"gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst\">gcc10-1:10.2.0-3-x86_64.pkg.tar.zst</a> "));
  CHECK(contains(page, "\">cuda-tools-11.1.0+a+very+long+version+to+be+cut..&gt;</a> "));
  CHECK(contains(page, " 195K\r\n"));
}

}  // namespace cudapin
