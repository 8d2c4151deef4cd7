// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"
#include "system/pacman_conf.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

constexpr std::string_view names = "IgnorePkg = cuda cudnn gcc10 gcc10-libs nccl";

std::vector<std::string> ignored(const Lab& lab) {
  TestHost host(lab.root);
  return read_pacman_conf(host.host).ignore_pkg;
}

/// Whatever was done to the file: status tells of it, --repair mends it, and release leaves `left` ignored.
void check_repair(Lab& lab, const std::string& text, const std::vector<std::string>& left) {
  write_text(lab.root.pacman_conf(), text);
  CAPTURE(text);
  const auto json = nlohmann::json::parse(lab.cudapin({"status", "--json"}).out);
  CHECK(!json.at("pin_problems").empty());
  CHECK(lab.cudapin({"pin"}).status == ExitStatus::failed);
  CHECK(lab.pacman_conf() == text);
  const auto repaired = lab.cudapin({"pin", "--repair"});
  CAPTURE(repaired.err);
  CHECK(repaired.status == ExitStatus::done);
  CHECK(lab.cudapin({"pin"}).status == ExitStatus::done);
  const auto listed = ignored(lab);
  for (const auto* name : {"cuda", "cudnn", "gcc10", "gcc10-libs", "nccl"})
    CHECK(std::ranges::count(listed, name) == 1);
  for (const auto& name : left) CHECK(std::ranges::count(listed, name) == 1);
  CHECK(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
  CHECK(ignored(lab) == left);
}

}  // namespace

TEST_CASE("pin: every way in which others damage the pins is seen and mended and no foreign name is lost") {
  Lab lab;
  const auto before = lab.pacman_conf();
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto pinned = lab.pacman_conf();
  CHECK(lab.cudapin({"pin"}).status == ExitStatus::done);
  SUBCASE("a .pacnew was merged: the block is gone") {
    check_repair(lab, before, {});
    CHECK(lab.pacman_conf() == before);
  }
  SUBCASE("pamac merged the person's names into the block") {
    check_repair(lab, replaced(pinned, names, std::string(names) + " linux mine"), {"linux", "mine"});
  }
  SUBCASE("pamac moved the pins to another line and blanked the block's") {
    auto text = replaced(pinned, names, "#IgnorePkg   =");
    text = replaced(text, "CheckSpace", std::string(names) + " mine\nCheckSpace");
    check_repair(lab, text, {"mine"});
  }
  SUBCASE("somebody deleted the end of the block") {
    check_repair(lab, replaced(pinned, "# cudapin: end\n", ""), {});
    CHECK(lab.pacman_conf() == before);
  }
  SUBCASE("somebody took a name out") { check_repair(lab, replaced(pinned, "cudnn ", ""), {}); }
  SUBCASE("somebody wrote other settings into the block") {
    check_repair(lab, replaced(replaced(pinned, "nccl\n", "nccl\nVerbosePkgLists\n"), "cudnn ", ""), {});
    CHECK(contains(lab.pacman_conf(), "VerbosePkgLists\n"));
  }
}

TEST_CASE("pin: release and use keep foreign names that were merged into the block") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  write_text(lab.root.pacman_conf(), replaced(lab.pacman_conf(), names, std::string(names) + " mine"));
  REQUIRE(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
  CHECK(ignored(lab) == std::vector<std::string>{"mine"});
}

TEST_CASE("pin: a name that the person had ignored before stays ignored after repair and release") {
  Lab lab;
  write_text(lab.root.pacman_conf(),
             replaced(lab.pacman_conf(), "CheckSpace", "IgnorePkg = nccl\nCheckSpace"));
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(lab.cudapin({"pin"}).status == ExitStatus::done);
  write_text(lab.root.pacman_conf(), replaced(lab.pacman_conf(), "# cudapin: end\n", ""));
  REQUIRE(lab.cudapin({"pin", "--repair"}).status == ExitStatus::done);
  REQUIRE(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
  CHECK(ignored(lab) == std::vector<std::string>{"nccl"});
}

}  // namespace cudapin
