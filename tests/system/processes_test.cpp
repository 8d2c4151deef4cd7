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
    fs::create_directories(folder_ / "sys");
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

  Host host() const {
    Host host;
    host.root = folder_ / "root";
    host.proc = folder_ / "proc";
    host.sys = folder_ / "sys";
    return host;
  }
  std::vector<ComputeProcess> found() const { return compute_processes(host()); }
  void hold(int times) const { write("sys/module/nvidia_uvm/refcnt", std::to_string(times) + "\n"); }

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

TEST_CASE(
    "processes: one with less address space than CUDA takes is not walked while the others explain the "
    "count") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "sh", "sh", 0);
  fake.process(101, {"/dev/nvidia-uvm"}, "sh", "sh", 1);
  fake.hold(1);
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].pid == 101);
  fake.hold(2);
  CHECK(fake.found().size() == 2);
  fs::remove(fake.path("sys/module/nvidia_uvm/refcnt"));
  CHECK(fake.found().size() == 2);
}

TEST_CASE("processes: without the module or its users nothing is looked at") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"});
  fake.hold(0);
  CHECK(fake.found().empty());
  fake.hold(1);
  CHECK(fake.found().size() == 1);
  fake.write("proc/devices", "Character devices:\n  1 mem\n195 nvidia\n");
  CHECK(fake.found().empty());
  fake.write("proc/devices", "Character devices:\n  1 mem\n511 nvidia-uvm\n");
  CHECK(fake.found().size() == 1);
}

TEST_CASE("processes: whether the module is loaded is what the kernel says in either place") {
  const FakeProc fake;
  fake.hold(0);
  CHECK(uvm_is_loaded(fake.host()));
  std::filesystem::remove_all(fake.host().sys / "module/nvidia_uvm");
  CHECK(!uvm_is_loaded(fake.host()));
  std::filesystem::remove_all(fake.host().sys);
  fake.write("proc/devices", "Character devices:\n  1 mem\n195 nvidia\n");
  CHECK(!uvm_is_loaded(fake.host()));
  fake.write("proc/devices", "Character devices:\n  1 mem\n511 nvidia-uvm\n");
  CHECK(uvm_is_loaded(fake.host()));
}

TEST_CASE("processes: the cheap look finds what the whole walk finds") {
  const FakeProc fake;
  for (int pid = 100; pid < 160; ++pid)
    fake.process(pid, {pid % 7 == 0 ? "/dev/nvidia-uvm" : "/dev/null"}, "x", "x",
                 pid % 5 == 0 ? 12 : pid % 7 == 0);
  const auto everywhere = find_work_everywhere(fake.host()).processes;
  fake.hold(static_cast<int>(everywhere.size()));
  const auto cheap = find_work(fake.host()).processes;
  REQUIRE(cheap.size() == everywhere.size());
  for (std::size_t i = 0; i < cheap.size(); ++i) CHECK(cheap[i].pid == everywhere[i].pid);
  CHECK(cheap.size() == 8);
}

TEST_CASE("processes: C070: the threads of one whose first thread has ended are looked through") {
  const FakeProc fake;
  fake.process(100, {}, "x", "", 0);
  fs::create_directories(fake.path("proc/100/task/101/fd/x").parent_path());
  fs::create_symlink("/dev/nvidia-uvm", fake.path("proc/100/task/101/fd/3"));
  fake.hold(1);
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].pid == 100);
}

TEST_CASE("processes: programs that open the device without training are not work") {
  const FakeProc fake;
  int pid = 100;
  for (const auto* program :
       {"/usr/bin/nvidia-cuda-mps-server", "/usr/bin/nvidia-persistenced", "/usr/lib/firefox/firefox",
        "/usr/bin/mpv (deleted)", "/home/alice/mpv", "/usr/bin/python3.13"}) {
    fake.process(pid, {"/dev/nvidia-uvm"});
    fs::create_symlink(program, fake.path("proc/" + std::to_string(pid++) + "/exe"));
  }
  const auto found = fake.found();
  REQUIRE(found.size() == 2);
  CHECK(found[0].executable == "/home/alice/mpv");
  CHECK(found[1].executable == "/usr/bin/python3.13");
}

TEST_CASE("processes: one that only asks the management library is no work though it opens the device") {
  const FakeProc fake;
  const std::string libraries =
      "7f0000000000-7f0000200000 r-xp 00000000 08:01 7   /usr/lib/libnvidia-ml.so.580.159.04\n"
      "7f0000400000-7f0000600000 r-xp 00000000 08:01 8   /usr/lib/libcuda.so.580.159.04\n";
  for (const int pid : {100, 101, 102, 103}) fake.process(pid, {"/dev/nvidia-uvm", "/dev/nvidia0"});
  fake.write("proc/100/maps", libraries);
  fake.write("proc/101/maps", libraries + "7f0000800000-7f0000801000 rw-s 00000000 00:05 9   /dev/nvidia0\n");
  fake.write("proc/102/maps", "7f0000400000-7f0000600000 r-xp 00000000 08:01 8   /usr/lib/libcuda.so.1\n");
  std::vector<pid_t> pids;
  for (const auto& process : fake.found()) pids.push_back(process.pid);
  CHECK(pids == std::vector<pid_t>{101, 102, 103});
}

TEST_CASE("processes: cudapin run is found by its socket and nobody else by taking such a name") {
  if (::geteuid() != 0) return;  // what counts is a program that root owns
  const FakeProc fake;
  const auto program = fake.path("usr/bin/cudapin");
  std::ofstream(program) << "";
  const std::string run("cudapin\0run\0--\0python", 21);
  fake.process(100, {}, "cudapin", run);
  fs::create_symlink(program, fake.path("proc/100/exe"));
  fake.process(101, {}, "cudapin", std::string("cudapin\0who", 11));
  fs::create_symlink(program, fake.path("proc/101/exe"));
  fake.process(102, {}, "python", run);
  fs::create_symlink("/usr/bin/env", fake.path("proc/102/exe"));
  std::string sockets = "Num       RefCount Protocol Flags    Type St Inode Path\n";
  for (const auto* name : {"@cudapin-run-100-5eed", "@cudapin-run-101", "@cudapin-run-102",
                           "@cudapin-run-103", "@cudapin-run-x", "/run/@cudapin-run-100", "@cudapin-run-100"})
    sockets += std::string("0000000000000000: 00000002 00000000 00000000 0002 01 77 ") + name + "\n";
  fake.write("proc/net/unix", sockets);
  const auto found = fake.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].pid == 100);
}

TEST_CASE("processes: C067: workers that outlived their parent are found by what they hold") {
  const FakeProc fake;
  fake.process(200, {"/dev/nvidiactl"}, "python",
               std::string("python\0train.py\0", 16));  // the parent, going
  for (const int pid : {201, 202}) fake.process(pid, {"/dev/nvidia-uvm", "/dev/nvidia1"}, "pt_data_worker");
  const auto found = fake.found();
  REQUIRE(found.size() == 2);
  CHECK(found[0].pid == 201);
  CHECK(found[1].gpus == std::vector<int>{1});
}

TEST_CASE("processes: C077: jobs on two slices of one GPU both count") {
  const FakeProc fake;
  fake.process(300, {"/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap21"});
  fake.process(301, {"/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap30"});
  REQUIRE(fake.found().size() == 2);
  CHECK(fake.found()[1].gpus == std::vector<int>{0});
}

TEST_CASE("processes: C080: what only draws does not count and a client of the MPS server does") {
  const FakeProc fake;
  fake.process(400, {"/dev/nvidia0", "/dev/nvidiactl"}, "Xorg");
  fake.process(401, {"/dev/nvidia-uvm", "/dev/nvidia0"}, "nvidia-cuda-mps");
  fs::create_symlink("/usr/bin/nvidia-cuda-mps-server", fake.path("proc/401/exe"));
  fake.process(402, {"/dev/nvidia-uvm", "/dev/nvidia0"});
  fs::create_symlink("/usr/bin/python3.13", fake.path("proc/402/exe"));
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].pid == 402);
}

TEST_CASE("processes: what the admin names is shown and does not count") {
  const FakeProc fake;
  for (const int pid : {100, 101, 102})
    fake.process(pid, {"/dev/nvidia-uvm"}, pid == 102 ? "vllm-worker" : "x");
  fs::create_symlink("/opt/tritonserver/bin/tritonserver", fake.path("proc/100/exe"));
  fs::create_symlink("/usr/bin/python3", fake.path("proc/101/exe"));
  for (const std::vector<std::string>& patterns :
       {std::vector<std::string>{"tritonserver", "vllm*"}, {"/opt/tritonserver/*", "vllm-worker"}}) {
    const auto found = find_work(fake.host(), patterns).processes;
    REQUIRE(found.size() == 3);
    CHECK(found[0].is_ignored);
    CHECK(!found[1].is_ignored);
    CHECK(found[2].is_ignored);
  }
}

TEST_CASE("processes: container and batch job come from the cgroup") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "x", "x", 12, "100999");
  const std::string id(64, 'a');
  fake.write("proc/100/cgroup", "0::/user.slice/user-1000.slice/docker-" + id + ".scope\n");
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].place == "docker aaaaaaaaaaaa");
  CHECK(fake.found()[0].user == "100999");
}

TEST_CASE("processes: a user of the directory is known by the environment and never without the uid") {
  const FakeProc fake;
  fake.process(100, {"/dev/nvidia-uvm"}, "x", "x", 12, "54321");
  fake.write("proc/100/environ", std::string("PATH=/bin\0USER=carol\0X=\0", 23));
  REQUIRE(fake.found().size() == 1);
  CHECK(fake.found()[0].user == "carol (uid 54321)");
}

TEST_CASE("processes: thirty thousand of them are looked through") {
  const FakeProc fake;
  for (int pid = 1000; pid < 31000; ++pid)
    fs::create_directories(fake.path("proc/" + std::to_string(pid) + "/fd"));
  fake.process(31000, {"/dev/nvidia-uvm"});
  CHECK(fake.found().size() == 1);
}

TEST_CASE("processes: a proc that cannot be listed is told from an idle one") {
  const FakeProc fake;
  CHECK(find_work(fake.host()).is_readable);
  auto host = fake.host();
  host.proc = "/nowhere";
  CHECK(!find_work(host).is_readable);
}

TEST_CASE("processes: C079: names with parentheses and newlines do not move the fields") {
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
  fake.hold(1);
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
