// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/listing.hpp"

#include "core/archive_page.hpp"
#include "core/error.hpp"
#include "support/archive_fixture.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Kind = Fault::Kind;

std::vector<ArchivedFile> cudas(const std::vector<std::string>& versions) {
  std::vector<ArchivedFile> files;
  for (const auto& version : versions)
    files.push_back({{"cuda", *Version::parse(version), "x86_64", ".pkg.tar.zst"}, ""});
  return files;
}

std::vector<std::string> nearest(const std::vector<std::string>& versions, const char* wanted) {
  return nearest_versions(cudas(versions), *Version::parse(wanted), 5);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";

struct Lab : ArchiveFixture {
  Lab() {
    host.root = folder.path();
    fs::last_write_time(add(cuda, package_bytes(3000)), fs::file_time_type::clock::now());
    add(cuda + ".sig", "signature");
  }
  Listing list(const std::string& name = "cuda") { return list_at(server.url(), name); }
  Listing list_at(const std::string& archive, const std::string& name = "cuda") {
    const std::vector<ListingRequest> requests{{archive, name}};
    return listings(host, requests)[0];
  }
};

}  // namespace

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

TEST_CASE("listing: the archive's own pages are read") {
  const fs::path folder(REAL_INPUTS "/ala-listings");
  if (!fs::exists(folder)) {
    MESSAGE("skipped: no " << folder.string());
    return;
  }
  const auto read = [&](const char* file, const char* name) {
    const auto page = read_file(folder / file);
    CHECK((kind_of_page(page) == PageKind::listing));
    return files_in_page(page, name);
  };
  const auto ansible = read("a_ansible.8cd47f5c.html", "ansible");
  CHECK(ansible.size() > 10);
  CHECK(ansible[0].file.text() == "ansible-1.4.4-4-any.pkg.tar.xz");
  CHECK(ansible[0].date == "2014-02-09 12:53");
  CHECK(ansible[0].size == 651u << 10);
  for (const auto& file : ansible) CHECK((!file.date.empty() && file.size));
  const auto cairo = read("c_cairo.741796d0.html", "cairo");
  REQUIRE(cairo.size() == 3);
  CHECK(cairo[2].file.version.text() == "1.17.2+17+g52a7c79fd-2");
  CHECK(cairo[2].has_signature);
  const auto libcxx = read("l_libc++.e71494e2.html", "libc++");
  CHECK(libcxx.size() > 5);
  CHECK(libcxx[0].file.text() == "libc++-11.0.0-2-x86_64.pkg.tar.zst");
  const auto twm = read("x_xorg-twm.ca393d34.html", "xorg-twm");
  CHECK(twm.size() > 5);
  CHECK(twm[1].file.text() == "xorg-twm-1.0.10-1.0-i686.pkg.tar.xz");
  CHECK(twm[1].date == "2019-05-15 00:42");
  CHECK(twm[1].size == 96u << 10);
}

TEST_CASE("listing: a moved package is in its item and comes by two redirects") {
  Lab lab;
  const std::string old = "cuda-10.2.89-5-x86_64.pkg.tar.zst";
  lab.add(old, package_bytes(5000), true);
  lab.add(old + ".sig", "signature", true);
  CHECK(lab.list().files.size() == 1);
  lab.server.forget_requests();
  const auto item = lab.list_at(lab.server.collection_url());
  CHECK((item.answer == Answer::listed));
  REQUIRE(item.files.size() == 1);
  CHECK(item.files[0].file.text() == old);
  CHECK(item.files[0].has_signature);
  CHECK(item.files[0].size == 5u << 10);
  CHECK(item.files[0].place == lab.server.collection_url());
  CHECK(lab.log() == std::vector<std::string>{"items 302", "node 200"});
  CHECK(lab.server.requests()[0].path == "/download/archlinux_pkg_cuda/");
  CHECK((lab.list_at(lab.server.collection_url(), "cudnn").answer == Answer::no_folder));
}

TEST_CASE("listing: names are encoded for the request and @ . + become _ in an item's name") {
  CHECK(folder_in("https://archive.archlinux.org", "R") == "packages/r/R");
  CHECK(folder_in("https://archive.org/download/", "libc++") == "archlinux_pkg_libc__");
  CHECK(folder_in("https://archive.org/download", "a@b.c+d-e_f") == "archlinux_pkg_a_b_c_d-e_f");
  CHECK(collection_of("https://archive.archlinux.org/") == "https://archive.org/download");
  CHECK(collection_of("https://mirror.lab.example/cudapin").empty());
  Lab lab;
  lab.add("libc++-11.0.0-2-x86_64.pkg.tar.zst", "x");
  CHECK(lab.list("libc++").files.size() == 1);
  CHECK(lab.server.requests()[0].target == "/packages/l/libc%2B%2B/");
}

TEST_CASE("listing: unreachable empty redirected and no folder are four different answers") {
  Lab lab;
  fs::create_directories(lab.served / "packages/c/cudnn");
  const auto empty = lab.list("cudnn");
  CHECK((empty.answer == Answer::empty));
  CHECK(contains(empty.problem, "its list is empty"));

  const auto unreachable = lab.list_at("http://127.0.0.1:1");
  CHECK((unreachable.answer == Answer::unreachable));
  CHECK(contains(unreachable.problem, "'127.0.0.1:1' is not reachable: connection refused"));

  const auto none = lab.list("nccl");
  CHECK((none.answer == Answer::no_folder));
  CHECK(none.problem.empty());

  lab.server.set_fault("/packages/c/cuda/",
                       {Kind::redirect_to, 0, -1, lab.server.collection_url() + "/sign/in/"});
  lab.server.set_fault("/sign/in/", {Kind::page});
  const auto redirected = lab.list();
  CHECK((redirected.answer == Answer::redirected));
  CHECK(contains(redirected.problem, "led to"));
  CHECK(contains(redirected.problem, "('Sign in'), which is no list of packages"));

  const auto good = lab.list_at(lab.server.url() + "//", "cuda-none");
  CHECK((good.answer == Answer::no_folder));
}

TEST_CASE("listing: C043 a page that is no list of packages is told by its title") {
  Lab lab;
  lab.server.set_fault("/packages/c/cuda/", {Kind::page});
  const auto listing = lab.list();
  CHECK((listing.answer == Answer::no_list));
  CHECK(contains(listing.problem, "answered with a page ('Sign in') that is no list of packages"));
  lab.server.clear_faults();
  CHECK(lab.list_at(lab.server.url() + "/").files.size() == 1);
  CHECK(lab.list_at(lab.server.url()).files.size() == 1);
}

TEST_CASE("listing: refusals server errors and loops are told in words") {
  const std::vector<std::tuple<Fault, Answer, std::string>> cases{
      {{Kind::forbidden}, Answer::no_list, "answered 403 Forbidden"},
      {{Kind::busy, 1}, Answer::unreachable, "answered 503 Service Unavailable"},
      {{Kind::redirect_loop}, Answer::redirected, "more than 10 redirects"},
      {{Kind::redirect_to, 0, -1, "ftp://lab.example/cuda/"},
       Answer::redirected,
       "redirects to 'ftp://lab.example/cuda/', which is not followed"},
      {{Kind::stall, 10}, Answer::unreachable, "is too slow: 10 bytes"},
      {{Kind::slow, 50}, Answer::unreachable, "is too slow"},
      {{Kind::cut, 10}, Answer::unreachable, "ended the file after 10 bytes"}};
  for (const auto& [fault, answer, words] : cases) {
    Lab lab;
    lab.server.set_fault("/packages/c/cuda/", fault);
    const auto listing = lab.list();
    CHECK((listing.answer == answer));
    CHECK_MESSAGE(contains(listing.problem, words), listing.problem);
    CHECK(listing.files.empty());
  }
}

TEST_CASE("listing: one request for each list however many there are") {
  Lab lab;
  std::vector<ListingRequest> requests;
  for (int i = 0; i < 12; ++i) {
    const auto name = "package" + std::to_string(i);
    lab.add(name + "-1-1-any.pkg.tar.zst", "x");
    requests.push_back({lab.server.url(), name});
  }
  const auto lists = listings(lab.host, requests);
  REQUIRE(lists.size() == 12);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    REQUIRE(lists[i].files.size() == 1);
    CHECK(lists[i].files[0].file.name == requests[i].name);
  }
  CHECK(lab.server.requests().size() == 12);
}

TEST_CASE("listing: a page with a validator is asked for again and not sent again") {
  Lab lab;
  lab.server.archive_manners().dates_pages = true;
  CHECK(lab.list().files.size() == 1);
  CHECK(lab.list().files.size() == 1);
  CHECK(lab.log() == std::vector<std::string>{"archive 200", "archive 304"});
  CHECK(lab.server.requests()[1].condition.size() > 2);
  lab.add("cuda-11.1.1-1-x86_64.pkg.tar.zst", "x");
  CHECK(lab.list().files.size() == 2);
  CHECK(lab.server.requests().size() == 3);
}

TEST_CASE("listing: a page without a validator holds for ten minutes") {
  Lab lab;
  auto now = lab.host.now();
  lab.host.now = [&] { return now; };
  CHECK(lab.list().files.size() == 1);
  lab.add("cuda-11.1.1-1-x86_64.pkg.tar.zst", "x");
  now += std::chrono::minutes(9);
  CHECK(lab.list().files.size() == 1);
  CHECK(lab.server.requests().size() == 1);
  now += std::chrono::minutes(2);
  CHECK(lab.list().files.size() == 2);
  CHECK(lab.server.requests().size() == 2);
  now -= std::chrono::hours(48);  // a clock set back must not make it hold for days
  lab.list();
  CHECK(lab.server.requests().size() == 3);
}

TEST_CASE("listing: a damaged or foreign page in the cache is not taken") {
  Lab lab;
  CHECK(lab.list().files.size() == 1);
  const auto cache = lab.folder / "var/lib/cudapin/pages";
  REQUIRE(fs::exists(cache));
  for (const auto& entry : fs::directory_iterator(cache))
    fs::resize_file(entry.path(), fs::file_size(entry) - 10);
  CHECK(lab.list().files.size() == 1);
  CHECK(lab.server.requests().size() == 2);
  CHECK(std::distance(fs::directory_iterator(cache), fs::directory_iterator()) == 1);
  lab.server.set_fault("/packages/c/cudnn/", {Kind::forbidden});
  lab.list("cudnn");
  lab.list("nccl");
  CHECK(std::distance(fs::directory_iterator(cache), fs::directory_iterator()) == 1);
}

TEST_CASE("listing: a user has a cache of one's own and without a home none") {
  Lab lab;
  lab.host.privileged = false;
  lab.list();
  lab.list();
  CHECK(lab.server.requests().size() == 2);
  lab.host.environment["HOME"] = (lab.folder / "home").string();
  lab.list();
  lab.list();
  CHECK(lab.server.requests().size() == 3);
  CHECK(fs::exists(lab.folder / "home/.cache/cudapin"));
  CHECK(!fs::exists(lab.folder / "var"));
  lab.host.environment["XDG_CACHE_HOME"] = (lab.folder / "xdg").string();
  lab.list();
  CHECK(fs::exists(lab.folder / "xdg/cudapin"));
}

TEST_CASE("listing: an interrupt ends it") {
  Lab lab;
  lab.interrupt = SIGINT;
  CHECK_THROWS_AS(lab.list(), Error);
}

}  // namespace cudapin
