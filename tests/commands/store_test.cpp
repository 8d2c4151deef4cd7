// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lock_file.hpp"
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// What `store list --json` says each file is needed by.
std::map<std::string, std::string> needs(Lab& lab) {
  std::map<std::string, std::string> found;
  const auto json = nlohmann::json::parse(lab.cudapin({"store", "list", "--json"}).out);
  for (const auto& file : json.at("packages"))
    found[fs::path(file.at("path").get<std::string>()).filename()] = file.at("needed_by");
  return found;
}

/// A lock on one file.
std::string lock_on(const std::string& file) {
  const LockedFile locked{
      .package = {.name = "nccl", .version = parse_file_name(file)->version, .file = file},
      .size = 1,
      .sha256 = std::string(64, 'a'),
      .mtree = std::string(64, 'a'),
      .signer = std::string(40, 'A'),
      .found = "/x"};
  return lock_text(
      {.profile = "old", .profile_sha256 = std::string(64, 'b'), .files = {locked}, .origin = ""});
}

/// Puts a version that nothing needs into the store.
fs::path add_stored(const Lab& lab, const std::string& version) {
  const StandIn nccl{.name = "nccl", .version = version};
  return build_package(nccl, lab.root.at("/var/lib/cudapin/store/packages/n/nccl"));
}

}  // namespace

TEST_CASE("store: what pins or undo need is never pruned and the rest by age") {
  Lab lab;
  lab.fill_cache();
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto old = add_stored(lab, "2.3.7-1");
  const auto newer = add_stored(lab, "2.30.1-1");
  const auto found = needs(lab);
  CHECK(found.at("cuda-11.1.0-2-x86_64.pkg.tar.zst") == "pinned");
  CHECK(found.at("cuda-13.1.1-1-x86_64.pkg.tar.zst") == "undo");
  CHECK(found.at("nccl-2.3.7-1-x86_64.pkg.tar.zst").empty());
  SUBCASE("a dry run only says") {
    CHECK(contains(lab.cudapin({"store", "prune", "--dry-run", "--keep", "0"}).out, "nccl-2.3.7-1"));
    CHECK(fs::exists(old));
  }
  SUBCASE("one version stays by default") {
    REQUIRE(lab.cudapin({"store", "prune"}).status == ExitStatus::done);
    CHECK(!fs::exists(old));
    CHECK(fs::exists(newer));
  }
  SUBCASE("none with --keep 0") {
    REQUIRE(lab.cudapin({"store", "prune", "--keep", "0"}).status == ExitStatus::done);
    CHECK(!fs::exists(newer));
  }
  SUBCASE("a file that a lock names stays and one that only a profile or a comment names does not") {
    const auto third = add_stored(lab, "2.4.8-1");
    write_text(lab.root.at("/etc/cudapin/notes/old.lock.yaml"), lock_on("nccl-2.3.7-1-x86_64.pkg.tar.zst"));
    write_text(lab.root.at("/etc/cudapin/lab.txt"), "nccl-2.4.8-1-x86_64.pkg.tar.zst\n");
    CHECK(needs(lab).at("nccl-2.3.7-1-x86_64.pkg.tar.zst") == "lock");
    REQUIRE(lab.cudapin({"store", "prune", "--keep", "0"}).status == ExitStatus::done);
    CHECK(fs::exists(old));
    CHECK(!fs::exists(newer));
    CHECK(!fs::exists(third));
  }
  SUBCASE("nothing is pruned while a lock cannot be read") {
    write_text(lab.root.at("/etc/cudapin/profiles/lab.lock.yaml"), "schema: 1\n");
    const auto refused = lab.cudapin({"store", "prune", "--keep", "0"});
    CHECK(refused.status == ExitStatus::failed);
    CHECK(contains(refused.err, "lab.lock.yaml:1:1"));
    CHECK(fs::exists(newer));
    fs::remove(lab.root.at("/etc/cudapin/profiles/lab.lock.yaml"));
  }
  for (const auto& [file, reason] : found)
    if (!reason.empty()) CHECK_MESSAGE(needs(lab).count(file) == 1, file);
  CHECK(lab.cudapin({"undo", "--noconfirm", "--offline"}).status == ExitStatus::done);
}

TEST_CASE("store: verify finds a damaged file") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(lab.cudapin({"store", "verify"}).status == ExitStatus::done);
  const auto file = lab.root.at("/var/lib/cudapin/store/packages/n/nccl/nccl-2.7.8-3-x86_64.pkg.tar.zst");
  auto bytes = read_file(file);
  bytes[bytes.size() / 2] ^= 0x01;
  fs::remove(file);
  write_text(file, bytes);
  const auto result = lab.cudapin({"store", "verify"});
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.out, "nccl-2.7.8-3-x86_64.pkg.tar.zst"));
}

TEST_CASE("C037: signatures and parts beside a package are not taken for it") {
  Lab lab;
  lab.fill_cache();
  const auto cache = lab.root.at("/var/cache/pacman/pkg");
  fs::rename(cache / "cuda-13.1.1-1-x86_64.pkg.tar.zst", cache / "cuda-13.1.1-1-x86_64.pkg.tar.zst.part");
  write_text(cache / "cuda-13.1.1-1-x86_64.pkg.tar.zst.sig", "x");
  write_text(cache / "nccl-2.28.7-1-x86_64.pkg.tar.zst", "");
  const auto plan = lab.cudapin({"use", "ampere-11.1", "--dry-run"}).out;
  CHECK(contains(plan, "cuda 13.1.1-1"));
  CHECK(contains(plan, "nccl 2.28.7-1"));
  CHECK(!contains(plan, "cudnn 9.18.1.3-1"));
}

TEST_CASE("store: the action is checked") {
  Lab lab;
  CHECK(lab.cudapin({"store"}).status == ExitStatus::usage);
  CHECK(contains(lab.cudapin({"store", "prun"}).err, "did you mean 'prune'?"));
  CHECK(lab.cudapin({"store", "prune", "--keep", "-1"}).status == ExitStatus::usage);
  CHECK(lab.cudapin({"store", "list"}).status == ExitStatus::done);
}

}  // namespace cudapin
