// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/history.hpp"
#include "core/text.hpp"
#include "support/guard_root.hpp"
#include "system/files.hpp"
#include "system/guard_program.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>

namespace cudapin {

namespace {

/// Packages of a driver set installed, newer ones offered.
struct DriverRoot : GuardRoot {
  DriverRoot() {
    install("nvidia-utils", "590.48.01-1", "usr/lib/libcuda.so.590");
    install("nvidia-open", "590.48.01-3", "usr/lib/modules/x/nvidia.ko", "nvidia-utils=590.48.01");
    install("linux", "6.18.2-1");
    install("htop", "3-1");
    offer({{StandIn{.name = "nvidia-utils", .version = "595.10-1"}, {}},
           {StandIn{.name = "nvidia-open", .version = "595.10-1", .depends = {"nvidia-utils=595.10"}}, {}},
           {StandIn{.name = "linux", .version = "6.19-1"}, {}},
           {StandIn{.name = "htop", .version = "4-1"}, {}}});
  }
  GuardAnswer upgrade(const std::string& names = "nvidia-utils\nnvidia-open\n") const {
    CHECK(run("record upgrade", names).status == 0);
    return run("decide", names);
  }
  void policy(const std::string& text) const { write(at("/etc/cudapin/guard.conf"), text); }
};

std::vector<std::string> history_of(const GuardRoot& root) {
  std::vector<std::string> commands;
  for (const auto& line : split(read_file_if_exists(root.at("/var/lib/cudapin/history.jsonl")), "\n"))
    if (const auto entry = parse_history_line(line)) commands.push_back(entry->command);
  return commands;
}

bool any_holds(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return holds(line, part); });
}

}  // namespace

TEST_CASE("guard decisions: a driver upgrade is blocked while somebody computes and the way on is closed") {
  const DriverRoot root;
  CHECK(root.upgrade().told.empty());
  root.compute(4242);
  root.next_transaction();
  const auto answer = root.upgrade();
  CHECK(answer.status == guard_blocks);
  CHECK(
      holds(answer.told, "  upgrade: nvidia-utils 590.48.01-1 -> 595.10-1 is the driver of running work\n"));
  CHECK(holds(answer.told, "  running: alice, pid 4242, GPU 0, for "));
  CHECK(holds(answer.told, ": python train.py\n"));
  CHECK(holds(answer.told, "pacman -Syu --ignore linux,nvidia-open,nvidia-utils\n"));
}

TEST_CASE("guard decisions: a reinstall passes and versions come from the command line first") {
  const DriverRoot root;
  root.compute(4242);
  root.offer({{StandIn{.name = "nvidia-utils", .version = "590.48.01-1"}, {}}});
  CHECK(root.upgrade("nvidia-utils\n").status == 0);
  root.offer({});
  root.next_transaction();
  const auto unknown = root.upgrade("nvidia-utils\n");
  CHECK(unknown.status == guard_blocks);
  CHECK(holds(unknown.told, "-> unknown version"));
}

TEST_CASE("guard decisions: package files on the command line of an ancestor tell the version") {
  DriverRoot root;
  root.compute(4242);
  // The machine's own /proc has the ancestors; the process that computes is only in the stand-in's.
  root.offer({{StandIn{.name = "cuda", .version = "13.2.1-3"}, {}}});
  root.install("cuda", "11.1.0-2");
  root.pin();
  GuardRoot::write(root.at("/stdin"), "cuda\n");
  for (const auto& [file, status] : {std::pair{"/tmp/cuda-11.1.0-2-x86_64.pkg.tar.zst", 0},
                                     std::pair{"cuda-13.2.1-3-x86_64.pkg.tar.zst", 3},
                                     std::pair{"https://x/cuda-11.1.0%2D2-x86_64.pkg.tar.zst", 3}}) {
    root.next_transaction();
    const auto guard = std::string(GUARD_PROGRAM) + " --root '" + root.folder + "' ";
    const auto script = guard + "record upgrade <" + root.folder + "/stdin; sh -c '" + guard + "decide <" +
                        root.folder + "/stdin; exit $?'; exit $?";
    const auto quoted = [&] {
      std::string text;
      for (const char c : script) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
      return text;
    }();
    const auto result = run_child({"sh", "-c", "sh -c '" + quoted + "' pacman -U " + file + "; exit $?"});
    CHECK_MESSAGE(result.status == status, file);
  }
}

TEST_CASE("guard decisions: C022: an allowance for one transaction is used up by it and recorded") {
  const DriverRoot root;
  root.compute(4242);
  CHECK(root.run("allow --once", "").status == 0);
  CHECK(any_holds(history_of(root), "allow --once"));
  root.next_transaction();
  const auto let = root.upgrade();
  CHECK(let.status == 0);
  CHECK(holds(let.told, "let through by the allowance of"));
  // As long as the transaction has not ended it may be tried again.
  CHECK(fs::exists(root.state("allowances")));
  CHECK(root.run("after", "").status == 0);
  CHECK(!fs::exists(root.state("allowances")));
  CHECK(any_holds(history_of(root), "used"));
  root.next_transaction();
  CHECK(root.upgrade().status == guard_blocks);
}

TEST_CASE("guard decisions: what needs no allowance leaves it alone and a timed one stays") {
  const DriverRoot root;
  CHECK(root.run("allow --once --package nvidia-utils", "").status == 0);
  root.next_transaction();
  CHECK(root.upgrade("htop\n").status == 0);
  CHECK(root.run("after", "").status == 0);
  CHECK(fs::exists(root.state("allowances")));
  root.compute(4242);
  root.next_transaction();
  const auto partly = root.upgrade();
  CHECK(partly.status == guard_blocks);
  CHECK(!holds(partly.told, "nvidia-utils 590"));
  CHECK(root.run("allow --for 10m", "").status == 0);
  root.next_transaction();
  CHECK(root.upgrade().status == 0);
  CHECK(root.run("after", "").status == 0);
  CHECK(holds(read_file(root.state("allowances")), "until "));
  CHECK(!holds(read_file(root.state("allowances")), "once "));
}

TEST_CASE("guard decisions: a freeze holds everything that is installed until it is lifted") {
  const DriverRoot root;
  CHECK(root.run("freeze --for 3d --reason 'paper deadline'", "").status == 0);
  const auto hook = read_file(root.at("/usr/share/libalpm/hooks/00-cudapin-5-pins.hook"));
  CHECK(holds(hook, "Target = htop\n"));
  CHECK(!holds(hook, "Target = nvidia-utils\n"));
  const auto answer = root.run("decide", "htop\n");
  CHECK(answer.status == guard_blocks);
  CHECK(holds(answer.told, ": paper deadline\n"));
  CHECK(holds(answer.told, "cudapin thaw"));
  CHECK(root.upgrade("linux\n").status == guard_blocks);
  CHECK(root.run("thaw", "").status == 0);
  CHECK(!fs::exists(root.state("freezes")));
  CHECK(!fs::exists(root.at("/usr/share/libalpm/hooks/00-cudapin-5-pins.hook")));
  root.next_transaction();
  CHECK(root.run("decide", "htop\n").status == 0);
  CHECK(history_of(root).size() == 2);
}

TEST_CASE("guard decisions: a freeze of some packages lets the others move") {
  const DriverRoot root;
  CHECK(root.run("freeze --for 1h --reason x --package htop --package linux", "").status == 0);
  CHECK(root.run("decide", "htop\n").status == guard_blocks);
  CHECK(root.run("decide", "nvidia-open\n").status == 0);
  CHECK(root.run("thaw --package htop", "").status == 0);
  root.next_transaction();
  CHECK(root.run("decide", "htop\n").status == 0);
  CHECK(root.run("decide", "linux\n").status == guard_blocks);
}

TEST_CASE("guard decisions: wrong admin commands change nothing") {
  const DriverRoot root;
  for (const auto* words : {"freeze", "freeze --for 3d", "freeze --for 3d --reason ' '", "freeze --reason x",
                            "allow", "allow --once --for 1h", "allow --reason x", "thaw --once",
                            "freeze --for", "freeze --for never --reason x", "allow --once --package a,b"})
    CHECK_MESSAGE(root.run(words, "").status == 2, words);
  CHECK(!fs::exists(root.state("freezes")));
  CHECK(!fs::exists(root.state("allowances")));
}

TEST_CASE("guard decisions: check tells what would be blocked without a transaction") {
  const DriverRoot root;
  fs::remove(root.lock());
  CHECK(run_child({GUARD_PROGRAM, "--root", root.folder, "--proc", root.at("/proc").string(), "check"})
            .status == 0);
  root.compute(4242);
  const auto all =
      run_child({GUARD_PROGRAM, "--root", root.folder, "--proc", root.at("/proc").string(), "check"});
  CHECK(all.status == guard_blocks);
  CHECK(holds(all.out, "nvidia-utils 590.48.01-1 -> 595.10-1"));
  CHECK(!holds(all.out, "htop"));
  CHECK(
      run_child({GUARD_PROGRAM, "--root", root.folder, "--proc", root.at("/proc").string(), "check", "htop"})
          .status == 0);
}

TEST_CASE("guard decisions: recovery passes every rule and cudapin's own transaction does not") {
  const DriverRoot root;
  root.compute(4242);
  root.run("record upgrade", "nvidia-utils\n");
  CHECK(root.run("decide", "nvidia-utils\n", issue_token(root.host)).status == guard_blocks);
  CHECK(root.run("decide", "nvidia-utils\n", issue_token(root.host, Transactor::recovery)).status == 0);
}

TEST_CASE("guard decisions: C028: a driver under a name in no table is guarded where it is known to be one") {
  const DriverRoot root;
  root.install("nvidia-tkg-custom", "590-1");
  root.install("my-module", "590-1");
  root.compute(4242);
  CHECK(root.run("decide", "my-module\n").status == 0);
  write_guard_bounds(root.host, {{}, {}, {"my-module"}});
  root.next_transaction();
  CHECK(root.run("decide", "my-module\n").status == guard_blocks);
  CHECK(holds(read_file(root.at("/usr/share/libalpm/hooks/00-cudapin-5-pins.hook")), "Target = my-module\n"));
}

TEST_CASE("guard decisions: inside another root than init's running work is nobody's business") {
  const DriverRoot root;
  root.compute(4242);
  fs::create_directories(root.at("/elsewhere"));
  fs::create_directories(root.at("/proc/1"));
  fs::create_directory_symlink(root.folder, root.at("/proc/1/root"));
  CHECK(root.upgrade().status == guard_blocks);
  fs::remove(root.at("/proc/1/root"));
  fs::create_directory_symlink(root.at("/elsewhere"), root.at("/proc/1/root"));
  root.next_transaction();
  CHECK(root.upgrade().status == 0);
}

TEST_CASE("guard decisions: where proc is unreadable the driver is blocked only with its module loaded") {
  const DriverRoot root;
  fs::remove_all(root.at("/proc"));
  CHECK(root.upgrade().status == 0);
  root.next_transaction();
  GuardRoot::write(root.at("/sys/module/nvidia_uvm/refcnt"), "1\n");
  const auto answer = root.upgrade();
  CHECK(answer.status == guard_blocks);
  CHECK(holds(answer.told, "running processes cannot be seen"));
  root.next_transaction();
  CHECK(root.upgrade("htop\n").status == 0);
}

TEST_CASE("guard decisions: garbled data pass or block as the policy says") {
  const DriverRoot root;
  for (const auto* file : {"pins", "bounds", "freezes", "allowances"}) {
    for (const auto* content : {"garbage\n", "", "\x7f\x45\x4c\x46"}) {
      GuardRoot::write(root.state(file), content);
      root.policy("");
      root.next_transaction();
      const auto passes = root.upgrade();
      CHECK(passes.status == 0);
      CHECK(holds(passes.told, "NOT guarded"));
      root.policy("on-error = block\n");
      root.next_transaction();
      CHECK(root.upgrade().status == guard_blocks);
      fs::remove(root.state(file));
    }
  }
}

TEST_CASE("guard decisions: at the deadline the policy and the driver decide") {
  const auto ends_with = [](const DriverRoot& root, const std::string& names) {
    root.next_transaction();
    root.run("record upgrade", names);
    // Names that never end: the other end of the pipe is open as long as sleep runs.
    const auto pipe = root.folder + "/names";
    return run_child({"/bin/sh", "-c",
                      "mkfifo '" + pipe + "'; sleep 20 >'" + pipe + "' & exec 3<'" + pipe + "'; rm '" + pipe +
                          "'; " GUARD_PROGRAM " --root '" + root.folder + "' --proc '" +
                          root.at("/proc").string() + "' --sys '" + root.at("/sys").string() +
                          "' decide <&3 3<&-; status=$?; kill $!; exit $status"})
        .status;
  };
  const DriverRoot root;
  CHECK(ends_with(root, "nvidia-utils\n") == 0);
  GuardRoot::write(root.at("/proc/devices"), "511 nvidia-uvm\n");
  CHECK(ends_with(root, "nvidia-utils\n") == guard_blocks);
  CHECK(ends_with(root, "cuda\n") == 0);
  root.policy("on-error = block\n");
  CHECK(ends_with(root, "cuda\n") == guard_blocks);
  CHECK(root.run("allow --once", "").status == 0);
  CHECK(ends_with(root, "cuda\n") == 0);
}

TEST_CASE("guard decisions: after the transaction a passed pin and an unmatched driver are told") {
  const DriverRoot root;
  root.install("cuda", "13.2.1-3");
  root.install("cudnn", "8.0.5.39-1");
  root.pin();
  GuardRoot::write(root.at("/sys/module/nvidia/version"), "580.95.05\n");
  const auto told = root.run("after", "").told;
  CHECK(holds(told, "pinned cuda 11.1.0-2 is now 13.2.1-3"));
  CHECK(!holds(told, "cudnn"));
  CHECK(holds(told, "the loaded driver is 580.95.05 and nvidia-utils is 590.48.01"));
  GuardRoot::write(root.at("/sys/module/nvidia/version"), "590.48.01\n");
  const auto own = root.run("after", "", issue_token(root.host)).told;
  CHECK(own.empty());
}

TEST_CASE("guard decisions: a bypassed hook for further packages does not judge the rest again") {
  const DriverRoot root;
  root.compute(4242);
  CHECK(root.run("allow --once --package nvidia-utils --package nvidia-open", "").status == 0);
  CHECK(root.upgrade().status == 0);
  fs::remove(root.state("allowances"));
  CHECK(root.run("decide", "my-solver\nnvidia-utils\n").status == 0);
}

TEST_CASE("guard decisions: it starts nothing and opens no device and no socket") {
  const DriverRoot root;
  root.compute(4242);
  if (run_child({"sh", "-c", "command -v strace"}).status != 0) {
    MESSAGE("skipped: no strace here");
    return;
  }
  GuardRoot::write(root.at("/stdin"), "nvidia-utils\n");
  const auto trace = run_child({"sh", "-c",
                                "strace -f -e trace=process,network,open,openat -o '" + root.folder +
                                    "/trace' " GUARD_PROGRAM " --root '" + root.folder + "' --proc '" +
                                    root.at("/proc").string() + "' decide <'" + root.folder + "/stdin'"});
  CHECK(trace.status == guard_blocks);
  const auto calls = read_file(root.at("/trace"));
  for (const auto* call : {"fork(", "clone(", "clone3(", "socket(", "connect(", "\"/dev/nvidia"})
    CHECK_MESSAGE(!holds(calls, call), call);
}

}  // namespace cudapin
