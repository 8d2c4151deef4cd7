// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/processes.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A proc tree and an /etc/passwd on a temporary folder.
class FakeProc {
 public:
  FakeProc() {
    std::string name = (fs::temp_directory_path() / "processes-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    write("proc/stat", "cpu  1 2 3\nintr 5 0 0\nctxt 9\nbtime 1600000000\nprocesses 12\n");
    write("root/etc/passwd", "root:x:0:0::/root:/bin/bash\nalice:x:1000:1000:Alice:/home/alice:/bin/zsh\n");
  }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;
  ~FakeProc() { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    return folder_ / name;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  /// A process of `gibibytes` of address space that holds `devices` open.
  void process(int pid, std::initializer_list<const char*> devices, const std::string& comm = "python",
               const std::string& cmdline = std::string("python\0train.py\0", 16), int gibibytes = 12,
               const std::string& uid = "1000") const {
    const auto folder = "proc/" + std::to_string(pid) + "/";
    const auto pages = (static_cast<long long>(gibibytes) << 30) / ::sysconf(_SC_PAGESIZE);
    write(folder + "statm", std::to_string(pages) + " 10 5 1 0 3 0\n");
    write(folder + "cmdline", cmdline);
    write(folder + "status", "Name:\tx\nState:\tR (running)\nUid:\t" + uid + "\t0\t0\t0\nGid:\t7\t7\t7\t7\n");
    const auto ticks = std::to_string(::sysconf(_SC_CLK_TCK) * 50);
    write(folder + "stat", std::to_string(pid) + " (" + comm +
                               ") R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 " + ticks + " 20 21\n");
    fs::create_directories(path(folder + "fd/x").parent_path());
    int number = 3;
    for (const auto* device : devices)
      fs::create_symlink(device, path(folder + "fd/" + std::to_string(number++)));
  }

  std::vector<ComputeProcess> found() const {
    Host host;
    host.root = folder_ / "root";
    host.proc = folder_ / "proc";
    return compute_processes(host);
  }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("processes: one that has the uvm device open computes") {
  const FakeProc fake;
  fake.process(4242, {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia1", "/dev/nvidia0", "/dev/nvidia1",
                      "socket:[1]"});
  const auto found = fake.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].pid == 4242);
  CHECK(found[0].uid == 1000);
  CHECK(found[0].user == "alice");
  CHECK(found[0].command == "python train.py");
  CHECK(found[0].gpus == std::vector{0, 1});
  CHECK(found[0].started == 1600000050);
}

TEST_CASE("processes: one that only draws does not compute") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-modeset", "/dev/dri/card0"});
  fake.process(101, {"/dev/nvidia-uvm-tools", "/dev/nvidia-caps/nvidia-cap1", "/home/x/dev/nvidia-uvm"});
  CHECK(fake.found().empty());
}

TEST_CASE("processes: one with less address space than CUDA takes is not walked") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "sh", "sh", 0);
  fake.process(101, {"/dev/nvidia-uvm"}, "sh", "sh", 1);
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].pid == 101);
}

TEST_CASE("processes: names with parentheses and newlines do not move the fields") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "a) R 9 9 (b\n) S", "");
  const auto found = fake.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].command == "[a) R 9 9 (b\n) S]");
  CHECK(found[0].started == 1600000050);
}

TEST_CASE("processes: a user without an entry is a bare uid and the real uid counts") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "x", "x", 12, "54321");
  fake.process(101, {"/dev/nvidia-uvm"}, "x", "x", 12, "0");
  fake.write("root/etc/passwd", "::0:\nbroken\nroot:x:0\n+\nroot2:x:00001:\n");
  const auto found = fake.found();
  REQUIRE(found.size() == 2);
  CHECK(found[0].user == "54321");
  CHECK(found[1].user == "root");
}

TEST_CASE("processes: device minors are numbers and a removed node still counts") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm (deleted)", "/dev/nvidia12", "/dev/nvidia3 (deleted)", "/dev/nvidia",
                     "/dev/nvidiax", "/dev/nvidia-1", "/dev/nvidia99999999999"});
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].gpus == std::vector{3, 12});
}

TEST_CASE("processes: what vanished or is unreadable or broken is skipped") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"});
  for (const int pid : {101, 102, 103, 104}) fake.process(pid, {"/dev/nvidia-uvm"});
  fs::remove(fake.path("proc/101/statm"));
  fs::remove(fake.path("proc/102/status"));
  fs::remove_all(fake.path("proc/103/fd"));
  fake.write("proc/104/stat", "104 (x");
  fake.write("proc/105", "a file");
  fake.write("proc/self/statm", "99999999 1\n");
  fake.write("proc/107/statm", "no number\n");
  fs::create_symlink("/nowhere", fake.path("proc/108"));
  const auto found = fake.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].pid == 100);
}

TEST_CASE("processes: they come in the order of their pids") {
  const FakeProc fake;
  for (const int pid : {900, 20, 1000}) fake.process(pid, {"/dev/nvidia-uvm"});
  const auto found = fake.found();
  REQUIRE(found.size() == 3);
  CHECK(found[0].pid == 20);
  CHECK(found[2].pid == 1000);
}

TEST_CASE("processes: a long command is cut and a missing passwd file is no harm") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "x", std::string(1 << 20, 'y'));
  fs::remove(fake.path("root/etc/passwd"));
  const auto found = fake.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].command == std::string(4096, 'y'));
  CHECK(found[0].user == "1000");
}

TEST_CASE("processes: no proc at all is nobody") {
  Host nowhere;
  nowhere.root = nowhere.proc = "/nowhere/at/all";
  CHECK(compute_processes(nowhere).empty());
}

}  // namespace cudapin
