// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string desc_of(const Lab& lab, const std::string& name) {
  return read_file(lab.root.local_database() / (name + "-" + lab.version(name)) / "desc");
}

}  // namespace

TEST_CASE("undo: back to the set before the first use and forward again without a server") {
  Lab lab;
  lab.fill_cache();
  const auto conf_before = lab.pacman_conf();
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto conf_after = lab.pacman_conf();
  fs::remove_all(lab.root.at("/var/cache/pacman/pkg"));  // all that undo needs is in the store
  fs::create_directories(lab.root.at("/var/cache/pacman/pkg"));
  lab.server.forget_requests();
  const auto back = lab.cudapin({"undo", "--noconfirm", "--offline"});
  CAPTURE(back.err);
  REQUIRE(back.status == ExitStatus::done);
  CHECK(lab.version("cuda") == "13.1.1-1");
  CHECK(lab.version("cudnn") == "9.18.1.3-1");
  CHECK(lab.version("gcc10").empty());
  CHECK(lab.pacman_conf() == conf_before);
  TestHost host(lab.root);
  CHECK(!read_state(host.host));
  const auto again = lab.cudapin({"undo", "--noconfirm", "--offline"});
  CAPTURE(again.err);
  REQUIRE(again.status == ExitStatus::done);
  CHECK(lab.version("cuda") == "11.1.0-2");
  CHECK(lab.version("gcc10-libs") == "1:10.2.0-3");
  CHECK(contains(desc_of(lab, "gcc10-libs"), "%REASON%\n1\n"));
  CHECK(!contains(desc_of(lab, "gcc10"), "%REASON%"));
  CHECK(lab.pacman_conf() == conf_after);
  CHECK(lab.server.requests().empty());
  const auto history = nlohmann::json::parse(lab.cudapin({"history", "--json"}).out);
  REQUIRE(history.at("changes").size() == 3);
  CHECK(history.at("changes")[1].at("command") == "undo");
  CHECK(history.at("changes")[1].at("from") == "ampere-11.1");
  CHECK(history.at("changes")[1].at("to") == "");
  CHECK(contains(history.at("changes")[1].at("why"), "use ampere-11.1"));
  for (const auto* key : {"time", "user", "result"})
    CHECK(!history.at("changes")[0].at(key).get<std::string>().empty());
}

TEST_CASE("undo: of a release pins again what was pinned") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto conf = lab.pacman_conf();
  REQUIRE(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
  REQUIRE(lab.cudapin({"undo", "--noconfirm"}).status == ExitStatus::done);
  CHECK(lab.pacman_conf() == conf);
  TestHost host(lab.root);
  CHECK(read_state(host.host)->profile == "ampere-11.1");
}

TEST_CASE("undo: where no file of the old set is kept the plan says so and undo changes nothing") {
  Lab lab;
  CHECK(contains(lab.cudapin({"use", "ampere-11.1", "--dry-run"}).out, "undo will need the archive"));
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.cudapin({"undo", "--noconfirm", "--offline"});
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "cuda 13.1.1-1"));
  CHECK(lab.fingerprint(false) == untouched);
  lab.fill_cache();  // unsigned files from elsewhere are not taken for it
  const auto unsigned_files = lab.cudapin({"undo", "--noconfirm", "--offline"});
  CHECK(unsigned_files.status == ExitStatus::failed);
  CHECK(contains(unsigned_files.err, "signature"));
  CHECK(lab.fingerprint(false) != untouched);  // the cache was filled
  CHECK(lab.version("cuda") == "11.1.0-2");
}

TEST_CASE("undo: a damaged file in the store is found before anything changes") {
  Lab lab;
  lab.fill_cache();
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto file = lab.root.at("/var/lib/cudapin/store/packages/c/cuda/cuda-13.1.1-1-x86_64.pkg.tar.zst");
  auto bytes = read_file(file);
  bytes[bytes.size() - 40] ^= 0x10;
  fs::remove(file);
  write_text(file, bytes);
  const auto untouched = lab.fingerprint(false);
  CHECK(lab.cudapin({"undo", "--noconfirm", "--offline"}).status == ExitStatus::failed);
  CHECK(lab.fingerprint(false) == untouched);
}

TEST_CASE("undo: nothing on record is nothing to undo") {
  Lab lab;
  CHECK(contains(lab.cudapin({"undo", "--noconfirm"}).out, "nothing to undo"));
  CHECK(contains(lab.cudapin({"history"}).out, "no change is on record"));
}

}  // namespace cudapin
