// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"
#include "guard_targets.hpp"
#include "support/guard_root.hpp"
#include "system/child.hpp"
#include "system/files.hpp"
#include "system/guard_program.hpp"
#include "system/guard_state.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

const auto& pinned = GuardRoot::pinned;

}  // namespace

TEST_CASE("guard program: what was recorded is judged with its operations") {
  const GuardRoot root;
  root.pin();
  CHECK(root.run("record install", "gcc10\n").status == 0);
  CHECK(root.run("record upgrade", "cuda\nlinux\n").status == 0);
  CHECK(root.run("record remove", "cudnn\n").status == 0);
  const auto answer = root.run("decide", "cuda\ncudnn\ngcc10\nlinux\n");
  CHECK(answer.status == guard_blocks);
  CHECK(holds(answer.told,
              "  upgrade: cuda -> unknown version is pinned by profile ampere-11.1 at 11.1.0-2\n"));
  CHECK(holds(answer.told, "  remove: cudnn is pinned by profile ampere-11.1 at 8.0.5.39-1\n"));
  CHECK(!holds(answer.told, "warning"));
  CHECK(!holds(answer.told, "linux"));
  CHECK(answer.told.ends_with("\n"));
}

TEST_CASE("guard program: other packages and unpinned systems pass silently") {
  const GuardRoot root;
  for (const bool pins : {false, true}) {
    if (pins) root.pin();
    CHECK(root.run("record upgrade", "linux\ncuda-tools\n").told.empty());
    const auto answer = root.run("decide", "linux\ncuda-tools\n");
    CHECK(answer.status == 0);
    CHECK(answer.told.empty());
  }
  clear_guard_state(root.host);
  CHECK(root.run("decide", "cuda\n").status == 0);
}

TEST_CASE("guard program: a name only the deciding hook is told blocks as well") {
  const GuardRoot root;
  root.pin();
  const auto answer = root.run("decide", "cuda\n");
  CHECK(answer.status == guard_blocks);
  CHECK(holds(answer.told, "  change: cuda -> unknown version is pinned"));
}

TEST_CASE("guard program: records of an earlier transaction do not count and are cleaned") {
  const GuardRoot root;
  root.pin();
  CHECK(root.run("record upgrade", "cuda\n").status == 0);
  root.next_transaction();
  CHECK(root.run("decide", "linux\n").status == 0);
  CHECK(root.run("record upgrade", "linux\n").status == 0);
  CHECK(std::distance(fs::directory_iterator(root.at("/run/cudapin")), fs::directory_iterator{}) == 1);
  CHECK(root.run("decide", "linux\n").status == 0);
}

TEST_CASE("guard program: the lock is looked for where the state says the database is") {
  const GuardRoot root;
  write_guard_state(root.host, pinned, "ampere-11.1", root.at("/srv/db/"));
  CHECK(read_file(root.state("dbpath")) == "/srv/db/\n");
  CHECK(holds(root.run("record upgrade", "cuda\n").told, "srv/db/db.lck"));
  GuardRoot::write(root.at("/srv/db/db.lck"), "");
  CHECK(root.run("record upgrade", "cuda\n").told.empty());
  CHECK(root.run("decide", "").status == guard_blocks);
}

TEST_CASE("guard program: a missing lock is told and names on stdin still count") {
  const GuardRoot root;
  root.pin();
  fs::remove(root.lock());
  const auto recorded = root.run("record upgrade", "cuda\n");
  CHECK(recorded.status == 0);
  CHECK(holds(recorded.told, "warning: no "));
  CHECK(!fs::exists(root.at("/run/cudapin")));
  CHECK(root.run("decide", "linux\n").status == 0);
  CHECK(root.run("decide", "cuda\n").status == guard_blocks);
}

TEST_CASE("guard program: garbled state lets pacman go on and says so") {
  const GuardRoot root;
  root.pin();
  for (const auto& text : {std::string("garbage\n"), std::string("# cudapin pins 1\ncuda\n"), std::string(),
                           std::string(5u << 20, 'x'), std::string("\0\0\0", 3)}) {
    GuardRoot::write(root.state("pins"), text);
    const auto answer = root.run("decide", "cuda\n");
    CHECK(answer.status == 0);
    CHECK(holds(answer.told, "NOT guarded"));
  }
  fs::remove(root.state("pins"));
  fs::create_directory(root.state("pins"));
  CHECK(holds(root.run("decide", "cuda\n").told, "NOT guarded"));
  fs::remove(root.state("pins"));
  root.pin();
  GuardRoot::write(root.state("dbpath"), "\x01garbage");
  CHECK(root.run("record upgrade", "cuda\n").told.empty());
  CHECK(root.run("decide", "").status == guard_blocks);
}

TEST_CASE("guard program: ten thousand names and names with control characters are taken") {
  const GuardRoot root;
  root.pin();
  std::string names;
  for (int i = 0; i < 10000; ++i) names += "some-package-" + std::to_string(i) + '\n';
  names += "cuda\x1b[31m\nnot\rcuda\n\xff\xfe\n";
  CHECK(root.run("record upgrade", names).told.empty());
  CHECK(root.run("decide", names).told.empty());
  const auto answer = root.run("decide", names + "cuda");
  CHECK(answer.status == guard_blocks);
  CHECK(!holds(answer.told, "\x1b"));
}

TEST_CASE("guard program: only the token in root's private file lets a pin move") {
  const GuardRoot root;
  root.pin();
  CHECK(root.run("decide", "cuda\n", std::string(64, '0')).status == guard_blocks);
  const auto token = issue_token(root.host);
  CHECK(token.size() == 64);
  CHECK((fs::status(root.state("token")).permissions() & fs::perms::mask) == fs::perms(0600));
  CHECK(root.run("decide", "cuda\n", token).status == 0);
  CHECK(root.run("decide", "cuda\n", token).told.empty());
  for (const auto& wrong : {std::string(), token.substr(1), token + "0", std::string(64, '0')})
    CHECK(root.run("decide", "cuda\n", wrong).status == guard_blocks);
  ::chmod(root.state("token").c_str(), 0644);
  CHECK(root.run("decide", "cuda\n", token).status == guard_blocks);
  const auto second = issue_token(root.host);
  CHECK(second != token);
  CHECK(root.run("decide", "cuda\n", token).status == guard_blocks);
  if (::geteuid() == 0 && ::chown(root.state("token").c_str(), 65534, 65534) == 0)
    CHECK(root.run("decide", "cuda\n", second).status == guard_blocks);
  withdraw_token(root.host);
  CHECK(root.run("decide", "cuda\n", second).status == guard_blocks);
}

TEST_CASE("guard program: an empty token file proves nothing") {
  const GuardRoot root;
  root.pin();
  GuardRoot::write(root.state("token"), "\n");
  ::chmod(root.state("token").c_str(), 0600);
  CHECK(root.run("decide", "cuda\n").status == guard_blocks);
}

TEST_CASE("guard program: records go only into a folder of its own") {
  const GuardRoot root;
  root.pin();
  fs::create_directories(root.at("/elsewhere"));
  fs::create_symlink(root.at("/elsewhere"), root.at("/run/cudapin"));
  const auto answer = root.run("record upgrade", "cuda\n");
  CHECK(answer.status == 0);
  CHECK(holds(answer.told, "cannot record"));
  CHECK(fs::is_empty(root.at("/elsewhere")));
}

TEST_CASE("guard program: a wrong command line does not block") {
  const GuardRoot root;
  root.pin();
  for (const auto* words : {"", "record", "record change", "decide now", "--help"}) {
    const auto answer = root.run(words, "cuda\n");
    CHECK(answer.status == 2);
    CHECK(holds(answer.told, "usage: "));
  }
}

TEST_CASE("guard program: it passes at its deadline") {
  const GuardRoot root;
  root.pin();
  const auto start = std::chrono::steady_clock::now();
  // The names never end: the other end of the pipe is open as long as sleep runs.
  const auto result =
      run_child({"/bin/sh", "-c",
                 "mkfifo '" + root.folder + "/names'; sleep 20 >'" + root.folder + "/names' & exec 3<'" +
                     root.folder + "/names'; " GUARD_PROGRAM " --root '" + root.folder +
                     "' decide <&3 3<&-; status=$?; kill $!; exit $status"});
  CHECK(result.status == 0);
  CHECK(holds(result.err, "no decision within 2 seconds"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("guard program: C026: libc is all it needs") {
  const auto printed = run_child({"readelf", "-d", GUARD_PROGRAM}).out;
  std::size_t needed = 0;
  for (const auto& line : split(printed, "\n")) {
    if (!holds(line, "(NEEDED)")) continue;
    ++needed;
    const bool is_libc = holds(line, "[libc.so.") || holds(line, "[ld-linux") || holds(line, "[libasan.so") ||
                         holds(line, "[libubsan.so");
    CHECK_MESSAGE(is_libc, line);
  }
  CHECK(needed > 0);
}

TEST_CASE("guard state: names that no shipped hook covers get a hook of their own") {
  const GuardRoot root;
  const auto hook = root.at("/usr/share/libalpm/hooks/00-cudapin-5-pins.hook");
  root.pin();
  CHECK(!fs::exists(hook));
  const std::map<std::string, std::string> more{
      {"cuda", "11.1.0-2"}, {"linux510-nvidia-455xx", "455.45.01-1.6"}, {"my-solver", "1-1"}};
  write_guard_state(root.host, more, "mine", root.at("/var/lib/pacman/"));
  const auto text = read_file(hook);
  CHECK(holds(text, "\nTarget = my-solver\n\n[Action]\n"));
  CHECK(!holds(text, "cuda\n"));
  CHECK(!holds(text, "linux510"));
  CHECK(holds(text, "\nExec = /bin/sh -c '/usr/lib/cudapin/cudapin-guard decide; test $? -ne 3'\n"));
  const auto after = root.at("/usr/share/libalpm/hooks/zz-cudapin-after-pins.hook");
  CHECK(holds(read_file(after), "\nTarget = my-solver\n\n[Action]\n"));
  CHECK(holds(read_file(after), "\nExec = /bin/sh -c '/usr/lib/cudapin/cudapin-guard after; :'\n"));
  CHECK(std::distance(fs::directory_iterator(hook.parent_path()), fs::directory_iterator{}) == 2);
  CHECK(root.run("decide", "my-solver\n").status == guard_blocks);
  clear_guard_state(root.host);
  CHECK(!fs::exists(hook));
  CHECK(fs::is_empty(root.at("/var/lib/cudapin/guard")));
  clear_guard_state(root.host);
}

TEST_CASE("guard state: a masked hook stays masked") {
  const GuardRoot root;
  const auto hook = root.at("/usr/share/libalpm/hooks/00-cudapin-5-pins.hook");
  fs::create_directories(hook.parent_path());
  fs::create_symlink("/dev/null", hook);
  write_guard_state(root.host, {{"my-solver", "1-1"}}, "mine", root.at("/var/lib/pacman/"));
  clear_guard_state(root.host);
  CHECK(fs::read_symlink(hook) == "/dev/null");
}

TEST_CASE("guard state: the shipped hooks share one list of targets with a literal stem") {
  const fs::path folder = fs::path(BINARY_DIR) / "generated/hooks";
  std::string expected;
  for (const auto& [package_class, pattern] : guard_targets) {
    CHECK(pattern.find_first_of("*?[") > 2);
    expected +=
        (package_class == PackageClass::none ? "Target = !" : "Target = ") + std::string(pattern) + '\n';
  }
  for (const auto* name : {"00-cudapin-1-record-install", "00-cudapin-2-record-upgrade",
                           "00-cudapin-3-record-remove", "00-cudapin-4-decide", "zz-cudapin-after"}) {
    const auto text = read_file(folder / (std::string(name) + ".hook"));
    CHECK(holds(text, "Type = Package\n" + expected + "\n[Action]\n"));
    CHECK(holds(text, holds(name, "after") ? "; :'\n" : "; test $? -ne 3'\n"));
    CHECK(holds(text, "AbortOnFail") == holds(name, "decide"));
  }
}

}  // namespace cudapin
