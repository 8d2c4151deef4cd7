// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Kind = Fault::Kind;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// How often each path was asked for at the archive itself.
std::map<std::string, int> requests_at(const ArchiveServer& server) {
  std::map<std::string, int> asked;
  for (const auto& request : server.requests())
    if (request.host == "archive") ++asked[request.path];
  return asked;
}

/// A site profile of one package and the file that it names.
void write_profile(const Lab& lab, const std::vector<std::pair<std::string, std::string>>& packages) {
  std::string pins;
  std::string files;
  for (const auto& [name, file] : packages) {
    pins += "  " + name + ": " + parse_file_name(file)->version.text() + "\n";
    files += "  - file: " + file + "\n    depends: []\n";
  }
  write_text(lab.root.at("/etc/cudapin/profiles/lab.yaml"),
             "name: lab\nsummary: of this site\nreason: test\ngenerations: [ampere]\npackages:\n" + pins +
                 "files:\n" + files);
}

}  // namespace

TEST_CASE("sources: C034 a set behind redirects is installed and every name is asked for once") {
  Lab lab;
  const auto run = lab.use("ampere-11.1");
  REQUIRE_MESSAGE(run.status == ExitStatus::done, run.err);
  const auto asked = requests_at(lab.server);
  CHECK(asked.size() >= 4);
  for (const auto& each : asked) {
    CHECK_MESSAGE(each.second == 1, each.first);
    CHECK_MESSAGE(!each.first.ends_with('/'), each.first);
  }
  CHECK(std::ranges::count(lab.server.requests(), std::string("items"), &LoggedRequest::host) > 0);
  CHECK(!contains(run.err, "another archive"));
}

TEST_CASE("sources: a dead archive is told once for a whole set and the next one serves it") {
  Lab lab;
  const auto run = lab.use("ampere-11.1", {"--archive", "http://127.0.0.1:1", "--archive", lab.server.url()});
  REQUIRE_MESSAGE(run.status == ExitStatus::done, run.err);
  CHECK(lab.version("cuda") == "11.1.0-2");
  CHECK(count(run.err, "another archive is asked") == 1);
  CHECK(contains(run.err, "'127.0.0.1:1' is not reachable: connection refused; another archive is asked"));
}

TEST_CASE("sources: C035 packages of both endings go into one transaction") {
  Lab lab;
  const StandIn old{.name = "nccl", .version = "2.3.7-1"};
  const StandIn later{.name = "cudnn-doc", .version = "8.0.4-1"};
  const auto shelf = lab.archive_folder / "a/packages/n/nccl";
  fs::create_directories(shelf);
  lab.sign(build_package(old, shelf, ".pkg.tar.xz"));
  lab.add_to_archive(later);
  SUBCASE("named as they are") {
    write_profile(lab, {{"nccl", old.file_name(".pkg.tar.xz")}, {"cudnn-doc", later.file_name()}});
  }
  SUBCASE("named by today's ending") {
    write_profile(lab, {{"nccl", old.file_name()}, {"cudnn-doc", later.file_name()}});
  }
  const auto run = lab.use("lab");
  REQUIRE_MESSAGE(run.status == ExitStatus::done, run.err);
  CHECK(lab.version("nccl") == "2.3.7-1");
  CHECK(lab.version("cudnn-doc") == "8.0.4-1");
  const auto stored = lab.root.at("/var/lib/cudapin/store/packages/n/nccl") / old.file_name(".pkg.tar.xz");
  CHECK(fs::exists(stored));
  CHECK(fs::exists(stored.string() + ".sig"));
}

TEST_CASE("sources: C043 an archive that leads to a sign-in page installs nothing and is told") {
  Lab lab;
  lab.server.set_fault(".pkg.tar.zst", {Kind::page});
  const auto untouched = lab.fingerprint(false);
  const auto run = lab.use("ampere-11.1");
  CHECK(run.status == ExitStatus::failed);
  CHECK(contains(run.err, "answered with a web page ('Sign in') instead of the file"));
  CHECK(lab.fingerprint(false) == untouched);
}

TEST_CASE("sources: C044 when no archive has it every one that was asked is named") {
  Lab lab;
  const TestFolder nothing;
  ArchiveServer gone(nothing.path());
  write_profile(lab, {{"nccl", "nccl-1.0-1-x86_64.pkg.tar.zst"}});
  const auto run = lab.use("lab", {"--archive", gone.url() + "/2019", "--archive", lab.server.url() + "/"});
  CHECK(run.status == ExitStatus::failed);
  CHECK(contains(run.err, "cannot find 'nccl-1.0-1-x86_64.pkg.tar.zst'"));
  CHECK(contains(run.err, "'" + gone.url() + "/2019' does not have it"));
  CHECK(contains(run.err, "'" + lab.server.url() + "/' does not have it"));
  for (const auto& each : requests_at(lab.server)) CHECK_MESSAGE(each.second == 1, each.first);
}

}  // namespace cudapin
