// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;
using Kind = Fault::Kind;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// A machine and an archive whose cuda list is `versions`; the files are not looked into.
struct ListedLab : Lab {
  explicit ListedLab(const std::vector<std::string>& versions) {
    fs::remove_all(archive_folder / "a/packages/c/cuda");
    for (const auto& version : versions) add(version);
  }
  void add(const std::string& version, const std::string& name = "cuda", const std::string& arch = "x86_64") {
    write_text(archive_folder / "a/packages" / name.substr(0, 1) / name /
                   (name + "-" + version + "-" + arch + ".pkg.tar.zst"),
               std::string(2048, 'x'));
  }
  RunResult versions(std::vector<std::string> more = {}, const std::string& name = "cuda") {
    more.insert(more.begin(), {"versions", name, "--archive", server.url()});
    if (std::ranges::find(more, "--gpu") == more.end()) more.insert(more.end(), {"--gpu", "RTX 3090"});
    return cudapin(more);
  }
  json rows(std::vector<std::string> more = {}) {
    more.push_back("--json");
    return json::parse(versions(more).out).at("packages").at(0).at("versions");
  }
};

std::vector<std::string> column(const json& rows, const char* key) {
  std::vector<std::string> values;
  for (const auto& row : rows) values.push_back(row.at(key));
  return values;
}

/// With every run of white space made one blank: a long row is wrapped.
std::string unwrapped(const std::string& text) {
  std::string line;
  for (const char c : text)
    if ((c != ' ' && c != '\n') || !line.ends_with(' ')) line += c == '\n' ? ' ' : c;
  return line;
}

json row_of(const json& rows, const std::string& version) {
  for (const auto& row : rows)
    if (row.at("version") == version) return row;
  FAIL("no row of " << version);
  return {};
}

}  // namespace

TEST_CASE("versions: C040 newest first by the package manager's comparison") {
  ListedLab lab({"11.8.0-1", "11.10-1", "11.1.1-1", "12.3.0-7", "12.3-1", "12.3.1-10", "12.3.1-2"});
  const auto order = column(lab.rows(), "version");
  std::vector<std::string> listed;
  for (const auto& version : order)
    if (version.starts_with("11.") || version.starts_with("12.3")) listed.push_back(version);
  std::erase(listed, "11.1.0-2");  // what the built-in profiles name besides
  std::erase(listed, "11.8.0-1");
  CHECK(listed ==
        std::vector<std::string>{"12.3.1-10", "12.3.1-2", "12.3.0-7", "12.3-1", "11.10-1", "11.1.1-1"});
  CHECK(order[0] == "13.1.1-1");
}

TEST_CASE("versions: C031 an epoch beats any version without one") {
  ListedLab lab({});
  lab.add("3.0-1", "pkg");
  lab.add("1:2.0-1", "pkg");
  const auto run = lab.versions({"-q"}, "pkg");
  CHECK(run.out == "1:2.0-1\n3.0-1\n");
  CHECK(run.err.empty());
}

TEST_CASE("versions: C032 plus signs underscores and fractional releases are versions") {
  ListedLab lab({});
  for (const auto* version : {"1.17.2+17+g52a7c79fd-1", "r123_abc-1", "1.17.2-1.1"})
    lab.add(version, "libc++");
  const auto run = lab.versions({"-q"}, "libc++");
  CHECK(run.out == "1.17.2+17+g52a7c79fd-1\n1.17.2-1.1\nr123_abc-1\n");
  CHECK(lab.server.requests().at(0).target == "/packages/l/libc%2B%2B/");
}

TEST_CASE("versions: rows tell place date size pins and fit") {
  ListedLab lab({"11.1.0-2", "10.2.89-5", "11.1.1-1"});
  write_text(lab.root.at("/var/cache/pacman/pkg/cuda-11.1.1-1-x86_64.pkg.tar.zst"), "cached");
  const auto rows = lab.rows();
  const auto pinned = row_of(rows, "11.1.0-2");
  CHECK(pinned.at("pinned_by") == json{"ampere-11.1"});
  CHECK(pinned.at("fits") == true);
  CHECK(pinned.at("size") == 2048);
  CHECK(pinned.at("date").get<std::string>().size() == 16);
  CHECK(pinned.at("places") == json{lab.server.url()});
  CHECK(pinned.at("cached") == false);
  CHECK(row_of(rows, "10.2.89-5").at("fits") == false);
  CHECK(row_of(rows, "11.1.1-1").at("cached") == true);
  CHECK(row_of(rows, "11.1.1-1").at("places").size() == 2);
  CHECK(row_of(rows, "13.1.1-1").at("installed") == true);
  CHECK(lab.server.requests().size() == 1);
  const auto text = unwrapped(lab.versions().out);
  CHECK(contains(text, "pinned by ampere-11.1, fits"));
  CHECK(contains(text, "2.0 KiB"));
}

TEST_CASE("versions: what a profile names is shown though no list has it") {
  ListedLab lab({"13.1.0-1"});
  const auto row = row_of(lab.rows(), "11.1.0-2");
  CHECK(row.at("places").empty());
  CHECK(row.at("file") == "cuda-11.1.0-2-x86_64.pkg.tar.zst");
  CHECK(contains(unwrapped(lab.versions().out), "in no list, asked for by name, pinned by ampere-11.1"));
}

TEST_CASE("versions: packages of other architectures are left out") {
  ListedLab lab({});
  lab.add("1-1", "pkg", "i686");
  lab.add("2-1", "pkg", "any");
  CHECK(lab.versions({"-q"}, "pkg").out == "2-1\n");
}

TEST_CASE("versions: without a card nothing is said of fit and other packages have none") {
  ListedLab lab({"11.1.0-2"});
  lab.add("2.8-1", "nccl");
  const auto run = lab.cudapin({"versions", "cuda", "--json", "--archive", lab.server.url()});
  CHECK(run.status == ExitStatus::done);
  CHECK(json::parse(run.out).at("packages").at(0).at("versions").at(0).at("fits").is_null());
  CHECK(json::parse(lab.versions({"--json"}, "nccl").out)
            .at("packages")
            .at(0)
            .at("versions")
            .at(0)
            .at("fits")
            .is_null());
}

TEST_CASE("versions: several packages are asked for at once") {
  ListedLab lab({"11.1.0-2"});
  lab.add("2.8-1", "nccl");
  const auto run = lab.versions({"nccl"});
  CHECK(run.out.starts_with("cuda:\n"));
  CHECK(contains(run.out, "\nnccl:\n"));
  CHECK(lab.server.requests().size() == 2);
}

TEST_CASE("versions: a dead archive is told and does not hide the others") {
  ListedLab lab({"11.1.0-2"});
  const auto run = lab.versions({"--archive", "http://127.0.0.1:1"});
  CHECK(run.status == ExitStatus::done);
  CHECK(contains(run.out, "11.1.0-2"));
  CHECK(run.err == "warning: '127.0.0.1:1' is not reachable: connection refused\n");
}

TEST_CASE("versions: unreachable empty redirected and unknown are four different errors") {
  ListedLab lab({});
  SUBCASE("unknown") {
    const auto run = lab.versions({}, "nonesuch");
    CHECK(run.status == ExitStatus::failed);
    CHECK(run.err == "error: no version of 'nonesuch' was found: not in the store, not in a cache, not at '" +
                         lab.server.url() +
                         "'\nhint: check the name, or name another archive with --archive\n");
    CHECK(lab.server.requests().size() == 2);
  }
  SUBCASE("empty") {
    fs::create_directories(lab.archive_folder / "a/packages/p/pkg");
    CHECK(contains(lab.versions({}, "pkg").err, "lists nothing at all for 'pkg': its list is empty"));
  }
  SUBCASE("redirected") {
    lab.server.set_fault("/packages/p/pkg/",
                         {Kind::redirect_to, 0, -1, lab.server.collection_url() + "/sign/"});
    lab.server.set_fault("/sign/", {Kind::page});
    CHECK(contains(lab.versions({}, "pkg").err, "('Sign in'), which is no list of packages"));
  }
  SUBCASE("unreachable") {
    const auto run = lab.cudapin({"versions", "pkg", "--archive", "http://127.0.0.1:1"});
    CHECK(run.status == ExitStatus::failed);
    CHECK(contains(run.err, "error: '127.0.0.1:1' is not reachable"));
  }
  SUBCASE("offline") {
    CHECK(contains(lab.versions({"--offline"}, "pkg").err, "no archive was asked: offline"));
    CHECK(lab.server.requests().empty());
  }
}

TEST_CASE("versions: hostile names in a list reach no terminal") {
  ListedLab lab({"11.1.0-2"});
  lab.server.set_fault("/packages/c/cuda/", {Kind::page});
  const auto run = lab.versions();
  CHECK(contains(run.err, "('Sign in')"));
  for (const auto& text : {run.out, run.err}) CHECK(text.find('\x1b') == std::string::npos);
  const auto refused = lab.cudapin({"versions", "cu\x1b[31mda"});
  CHECK(refused.status == ExitStatus::usage);
  CHECK(refused.err.find('\x1b') == std::string::npos);
  CHECK(lab.cudapin({"versions"}).status == ExitStatus::usage);
  CHECK(lab.cudapin({"versions", "../etc"}).status == ExitStatus::usage);
}

TEST_CASE("versions: on Manjaro the archive is not asked for what Manjaro builds") {
  ListedLab lab({});
  write_text(lab.root.at("/etc/os-release"), "ID=manjaro\n");
  lab.add("455.45.01-1", "nvidia-utils");
  const auto run = lab.versions({"--json"}, "nvidia-utils");
  CHECK(lab.server.requests().empty());
  CHECK(!contains(run.out, "455.45.01-1"));
}

}  // namespace cudapin
