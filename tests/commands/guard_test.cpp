// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "support/test_folder.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A process of the lab that computes, with `library` of the machine in memory.
void compute(const Lab& lab, const std::string& library) {
  const auto process = lab.proc / "4242";
  write_text(process / "statm", "9999999 1 1 1 0 1 0\n");
  write_text(process / "cmdline", std::string("python\0train.py\0", 16));
  write_text(process / "status", "Uid:\t1000\t1000\t1000\t1000\n");
  write_text(process / "stat", "4242 (python) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 100 20 21\n");
  write_text(process / "maps", "00400000-00401000 r-xp 00000000 08:02 1 /" + library + "\n");
  fs::create_directories(process / "fd");
  fs::create_directory_symlink(lab.root.path(), process / "root");
  fs::create_symlink("/dev/nvidia-uvm", process / "fd/3");
  fs::create_symlink("/dev/nvidia1", process / "fd/4");
}

std::string library_of_nccl(const Lab& lab) {
  for (const auto& file : fs::directory_iterator(lab.root.at("/usr/lib")))
    if (holds(file.path().filename().string(), "libnccl.so.2."))
      return "usr/lib/" + file.path().filename().string();
  return {};
}

}  // namespace

TEST_CASE("guard verbs: use is refused while work has a package of the plan in memory and changes nothing") {
  Lab lab;
  compute(lab, library_of_nccl(lab));
  const auto before = lab.fingerprint();
  const auto refused = lab.use("ampere-11.1");
  CHECK(refused.status == ExitStatus::refused);
  CHECK(holds(refused.err, "nccl 2.28.7-1 -> 2.7.8-3 is in use by pid 4242"));
  CHECK(holds(refused.err, "python train.py"));
  CHECK(lab.fingerprint() == before);
}

TEST_CASE("guard verbs: use goes on beside work that has its own libraries") {
  Lab lab;
  compute(lab, "home/alice/conda/lib/libnccl.so.2");
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);
}

TEST_CASE("guard verbs: a freeze binds use and an allowance lifts it") {
  Lab lab;
  CHECK(lab.cudapin({"freeze", "--for", "3d", "--reason", "paper deadline"}).status == ExitStatus::done);
  const auto refused = lab.use("ampere-11.1");
  CHECK(refused.status == ExitStatus::refused);
  CHECK(holds(refused.err, "paper deadline"));
  CHECK(lab.cudapin({"allow", "--for", "10m"}).status == ExitStatus::done);
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);
}

TEST_CASE("guard verbs: a freeze keeps pins as they are, is told by status, and says how to end it") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(!holds(lab.cudapin({"status"}).out, "frozen"));
  REQUIRE(lab.cudapin({"freeze", "--for", "3d", "--reason", "paper deadline"}).status == ExitStatus::done);
  const auto status = lab.cudapin({"status"}).out;
  CHECK(holds(status, "frozen"));
  CHECK(holds(status, "every package"));
  for (const auto* verb : {"release", "undo"}) {
    CAPTURE(verb);
    const auto refused = lab.cudapin({verb, "--noconfirm"});
    CHECK(refused.status == ExitStatus::refused);
    CHECK(holds(refused.err, "paper deadline"));
    CHECK(holds(refused.err, "hint: to end the freeze: cudapin thaw"));
    CHECK(!holds(refused.err, "error: to end"));
    CHECK(!holds(refused.err, "who computes"));
  }
  CHECK(lab.cudapin({"release", "--dry-run"}).status == ExitStatus::refused);
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);  // it is in force and asks for nothing
  REQUIRE(lab.cudapin({"thaw"}).status == ExitStatus::done);
  REQUIRE(lab.cudapin({"freeze", "--for", "3d", "--reason", "x", "--package", "firefox"}).status ==
          ExitStatus::done);
  CHECK(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
}

TEST_CASE("guard verbs: they are root's and recorded") {
  Lab lab;
  lab.privileged = false;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"freeze", "--for", "3d", "--reason", "x"}, {"thaw"}, {"allow", "--once"}}) {
    CHECK(lab.cudapin(words).status == ExitStatus::failed);
  }
  CHECK(!fs::exists(lab.root.at("/var/lib/cudapin/history.jsonl")));
  lab.privileged = true;
  CHECK(lab.cudapin({"allow", "--once", "--package", "cuda"}).status == ExitStatus::done);
  CHECK(holds(read_text(lab.root.at("/var/lib/cudapin/history.jsonl")), "allow --once --package cuda"));
}

TEST_CASE("guard verbs: who tells the same as the guard finds") {
  Lab lab;
  CHECK(holds(lab.cudapin({"who"}).out, "nothing computes"));
  compute(lab, library_of_nccl(lab));
  const auto answer = nlohmann::json::parse(lab.cudapin({"who", "--json"}).out);
  CHECK(answer.at("schema") == 1);
  REQUIRE(answer.at("processes").size() == 1);
  const auto& process = answer.at("processes")[0];
  CHECK(process.at("pid") == 4242);
  CHECK(process.at("uid") == 1000);
  CHECK(process.at("gpus") == nlohmann::json{1});
  CHECK(process.at("command") == "python train.py");
  CHECK(process.at("ignored") == false);
  write_text(lab.root.at("/etc/cudapin/guard.conf"), "ignore-processes = python\n");
  CHECK(nlohmann::json::parse(lab.cudapin({"who", "--json"}).out).at("processes")[0].at("ignored") == true);
}

TEST_CASE("guard verbs: use leaves the guard word of what still serves the card") {
  Lab lab;
  CHECK(lab.cudapin({"use", "pascal-10.2", "--noconfirm", "--gpu", "GTX 1080 Ti"}).status ==
        ExitStatus::failed);
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto bounds = read_text(lab.root.at("/var/lib/cudapin/guard/bounds"));
  CHECK(holds(bounds, "cards 10de:"));
  CHECK(!holds(bounds, "last "));
}

TEST_CASE("guard verbs: run ends as its command does") {
  Lab lab;
  CHECK(lab.cudapin({"run", "--", "sh", "-c", "exit 7"}).status == static_cast<ExitStatus>(7));
  CHECK(lab.cudapin({"run", "--", "sh", "-c", "kill -TERM $$"}).status == static_cast<ExitStatus>(128 + 15));
  CHECK(lab.cudapin({"run", "--", "/nowhere/at/all"}).status == ExitStatus::failed);
  CHECK(lab.cudapin({"run", "sh"}).status == ExitStatus::usage);
}

TEST_CASE("guard verbs: wrong command lines are told apart from refusals") {
  Lab lab;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"freeze"},
                                                {"freeze", "--for", "3d"},
                                                {"freeze", "--for", "x", "--reason", "y"},
                                                {"allow"},
                                                {"allow", "--once", "--for", "1h"},
                                                {"guard"},
                                                {"guard", "decide"},
                                                {"run"}})
    CHECK_MESSAGE(lab.cudapin(words).status == ExitStatus::usage, words[0]);
}

TEST_CASE("guard verbs: guard check answers without pacman") {
  Lab lab;
  CHECK(lab.cudapin({"guard", "check", "nvidia-utils"}).status == ExitStatus::done);
  compute(lab, library_of_nccl(lab));
  const auto blocked = lab.cudapin({"guard", "check", "nvidia-utils"});
  CHECK(blocked.status == ExitStatus::refused);
  CHECK(holds(blocked.out, "nvidia-utils 590.48.01-1 -> unknown version is the driver of running work"));
}

}  // namespace cudapin
