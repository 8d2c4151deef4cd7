// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/mapped_files.hpp"

#include "support/test_folder.hpp"
#include "system/raw_files.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <fstream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A root with a library and a process folder that maps things.
struct FakeMaps {
  FakeMaps() {
    host.root = folder.path() / "root";
    host.proc = folder.path() / "proc";
    write("root/usr/lib/libnccl.so.2.28", "nccl");
    write("root/opt/cuda/bin/ptxas", "ptxas");
    fs::create_directories(folder.path() / "proc/7");
    fs::create_symlink(host.root, folder.path() / "proc/7/root");
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  }
  std::vector<std::string> used(pid_t pid = 7) const {
    return packages_in_use(host, pid,
                           {{"nccl", {"usr/lib/libnccl.so.2.28"}}, {"cuda", {"opt/cuda/bin/ptxas"}}});
  }
  TestFolder folder;
  Host host;
};

using Names = std::vector<std::string>;
constexpr auto mapping = "00400000-00452000 r-xp 00000000 08:02 173521 /usr/lib/libnccl.so.2.28";

}  // namespace

TEST_CASE("mapped files: a package whose very file is mapped is in use") {
  const FakeMaps fake;
  CHECK(fake.used().empty());
  fake.write("proc/7/maps", std::string(mapping) + "\n7f0-7f1 rw-p 0 00:00 0 [heap]\n");
  CHECK(fake.used() == Names{"nccl"});
}

TEST_CASE("mapped files: the mapping itself is asked before the path") {
  const FakeMaps fake;
  fake.write("proc/7/maps", std::string(mapping) + "\n");
  fake.write("elsewhere/libnccl.so.2.28", "another");
  fs::create_directories(fake.folder.path() / "proc/7/map_files");
  fs::create_symlink(fake.folder.path() / "elsewhere/libnccl.so.2.28",
                     fake.folder.path() / "proc/7/map_files/400000-452000");
  CHECK(fake.used().empty());
}

TEST_CASE("mapped files: a copy of a container at the same path is not meant") {
  const FakeMaps fake;
  fake.write("container/usr/lib/libnccl.so.2.28", "nccl");
  fs::remove(fake.folder.path() / "proc/7/root");
  fs::create_symlink(fake.folder.path() / "container", fake.folder.path() / "proc/7/root");
  fake.write("proc/7/maps", std::string(mapping) + "\n");
  CHECK(fake.used().empty());
}

TEST_CASE("mapped files: what was replaced since is not counted") {
  const FakeMaps fake;
  fake.write("proc/7/maps", std::string(mapping) + " (deleted)\n");
  CHECK(fake.used().empty());
}

TEST_CASE("mapped files: an environment that leads into the toolkit uses it") {
  const FakeMaps fake;
  for (const auto* text : {"CUDA_HOME=/opt/cuda", "CUDA_PATH=/opt/cuda/", "PATH=/usr/bin:/opt/cuda/bin"}) {
    fake.write("proc/7/environ", text);
    CHECK_MESSAGE(fake.used() == Names{"cuda"}, text);
  }
  for (const auto* text : {"", "CUDA_HOME=/home/a/cuda", "PATH=/opt/cuda-12/bin", "XPATH=/opt/cuda/bin"}) {
    fake.write("proc/7/environ", text);
    CHECK_MESSAGE(fake.used().empty(), text);
  }
  fake.write("container/opt/cuda/bin/ptxas", "its own");
  fs::remove(fake.folder.path() / "proc/7/root");
  fs::create_symlink(fake.folder.path() / "container", fake.folder.path() / "proc/7/root");
  fake.write("proc/7/environ", "CUDA_HOME=/opt/cuda");
  CHECK(fake.used().empty());
}

TEST_CASE("mapped files: a real mapping of this very process is found by device and inode") {
  FakeMaps fake;
  fake.host.proc = "/proc";
  fake.write("root/usr/lib/libnccl.so.2.28", std::string(8192, 'x'));
  const auto path = fake.host.root / "usr/lib/libnccl.so.2.28";
  CHECK(fake.used(::getpid()).empty());
  const raw::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* const mapped = ::mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, file.fd, 0);
  REQUIRE(mapped != MAP_FAILED);
  CHECK(fake.used(::getpid()) == Names{"nccl"});
  ::munmap(mapped, 8192);
}

TEST_CASE("mapped files: nobody and garbage use nothing") {
  const FakeMaps fake;
  CHECK(fake.used(99).empty());
  for (const auto* text : {"/", "-\n", "x /usr/lib/libnccl.so.2.28\n", "0-0 /", "\xff\xfe/\n"}) {
    fake.write("proc/7/maps", text);
    fake.used();
  }
  fake.write("proc/7/maps", "0-0 r /usr/lib/\n");
  CHECK(fake.used().empty());
}

}  // namespace cudapin
