// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"
#include "support/lab.hpp"
#include "system/database_lock.hpp"
#include "system/files.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Versions of the packages that change, and pacman.conf: what a set is.
std::string set_of(const Lab& lab) {
  std::string text;
  for (const auto* name : {"cuda", "cudnn", "nccl", "gcc10", "gcc10-libs"}) text += lab.version(name) + "\n";
  return text + lab.pacman_conf();
}

/// `use ampere-11.1` in a process of its own that is killed at its nth step; whether it came that far.
bool killed_at(Lab& lab, int nth) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    int step = 0;
    lab.on_step = [&](std::string_view) {
      if (step++ == nth) ::raise(SIGKILL);
    };
    lab.use("ampere-11.1");
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status);
}

std::vector<std::string> steps_of_use() {
  Lab lab;
  std::vector<std::string> steps;
  lab.on_step = [&](std::string_view step) { steps.emplace_back(step); };
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  return steps;
}

void require_whole(const Lab& lab) {
  TestHost host(lab.root);
  const auto conf = lab.root.conf();
  for (const auto* name : {"cuda", "cudnn", "nccl", "gcc10", "gcc10-libs"})
    if (const auto version = lab.version(name); !version.empty())
      CHECK(unproven(conf, {{.name = name, .to = version}}, true).empty());
  CHECK(!journal_is_open(host.host));
  CHECK(!fs::exists(lab.root.lock_file()));
}

}  // namespace

TEST_CASE("recover: killed at any step of use the next command ends in the old or the new set") {
  const auto steps = steps_of_use();
  REQUIRE(steps.size() >= 12);
  for (std::size_t nth = 0; nth < steps.size(); ++nth) {
    CAPTURE(steps[nth]);
    Lab lab;
    lab.fill_cache();
    const auto old_set = set_of(lab);
    REQUIRE(killed_at(lab, static_cast<int>(nth)));
    const std::vector<std::string> next[] = {
        {"recover"}, {"recover", "--back"}, {"use", "ampere-11.1", "--noconfirm"}};
    const auto result = lab.cudapin(next[nth % 3]);
    CAPTURE(result.out);
    CAPTURE(result.err);
    CHECK(result.status == ExitStatus::done);
    const auto found = set_of(lab);
    const bool is_new = lab.version("cuda") == "11.1.0-2";
    if (!is_new) CHECK(found == old_set);
    if (is_new) CHECK(contains(found, "IgnorePkg = cuda cudnn gcc10 gcc10-libs nccl"));
    if (nth % 3 == 2) CHECK(is_new);
    require_whole(lab);
  }
}

TEST_CASE("recover: a step that fails once is tried again and one that fails always is taken back") {
  Lab lab;
  lab.fill_cache();
  const auto old_set = set_of(lab);
  int failures = 0;
  SUBCASE("once") {
    lab.on_step = [&](std::string_view step) {
      if (step == "guard and state" && failures++ == 0) throw Error("the disk is full");
    };
    const auto result = lab.use("ampere-11.1");
    CHECK(result.status == ExitStatus::done);
    CHECK(lab.version("cuda") == "11.1.0-2");
  }
  SUBCASE("twice: back") {
    lab.on_step = [&](std::string_view step) {
      if (step == "guard and state" && failures++ < 2) throw Error("the disk is full");
    };
    const auto result = lab.use("ampere-11.1");
    CHECK(result.status == ExitStatus::failed);
    CHECK(contains(result.err, "the disk is full; the set before is back"));
    CHECK(set_of(lab) == old_set);
  }
  SUBCASE("always: the next command finishes it") {
    lab.on_step = [&](std::string_view step) {
      if (step == "guard and state") throw Error("the disk is full");
    };
    CHECK(lab.use("ampere-11.1").status == ExitStatus::failed);
    lab.on_step = nullptr;
    CHECK(contains(lab.cudapin({"list"}).err, "was interrupted; next: sudo cudapin recover"));
    CHECK(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
    CHECK(lab.version("cuda") == "11.1.0-2");
  }
  require_whole(lab);
}

TEST_CASE("recover: a signal during the change takes it back at once") {
  Lab lab;
  lab.fill_cache();
  const auto old_set = set_of(lab);
  lab.on_step = [&](std::string_view step) {
    if (step == "prove") throw Error("interrupted", {}, ExitStatus::interrupted);
  };
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::interrupted);
  CHECK(set_of(lab) == old_set);
  require_whole(lab);
}

TEST_CASE("recover: history tells of a change once however often it was cut off") {
  const auto steps = steps_of_use();
  const auto sync = std::ranges::find(steps, "sync") - steps.begin();
  Lab lab;
  REQUIRE(killed_at(lab, static_cast<int>(sync)));
  REQUIRE(lab.cudapin({"recover"}).status == ExitStatus::done);
  TestHost host(lab.root);
  CHECK(read_history(host.host).size() == 1);
}

TEST_CASE("C119: a lock that somebody left is explained and never removed by cudapin") {
  Lab lab;
  write_text(lab.root.lock_file(), "");
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "db.lck"));
  CHECK(lab.cudapin({"recover"}).status == ExitStatus::done);
  CHECK(lab.fingerprint(false) == untouched);
}

TEST_CASE("C119: a cudapin killed with the lock in its hand leaves nothing that stops the next") {
  const auto steps = steps_of_use();
  const auto prepare = std::ranges::find(steps, "prepare") - steps.begin();
  Lab lab;
  REQUIRE(killed_at(lab, static_cast<int>(prepare)));
  REQUIRE(fs::exists(lab.root.lock_file()));
  SUBCASE("recover removes it") {
    CHECK(contains(lab.cudapin({"recover"}).out, "removed the package database's lock"));
  }
  SUBCASE("use does") { CHECK(lab.use("ampere-11.1").status == ExitStatus::done); }
  CHECK(!fs::exists(lab.root.lock_file()));
}

}  // namespace cudapin
