// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/database_lock.hpp"

#include "support/standin.hpp"
#include "support/test_root.hpp"
#include "system/files.hpp"
#include "system/transaction.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <optional>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// What taking the lock says, or "".
std::string attempt(const TestRoot& root, const Host& host) {
  try {
    const Transaction transaction(root.conf(), host, {});
    return "";
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
}

/// Runs `act` in a process of its own after `prepare`; nothing when that is not permitted here.
std::optional<std::string> in_child(const std::function<bool()>& prepare,
                                    const std::function<std::string()>& act) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    if (!prepare()) ::_exit(77);
    const auto text = act();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0);
  }
  ::close(ends[1]);
  const Fd out(ends[0]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(out.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    MESSAGE("not permitted here: skipped");
    return std::nullopt;
  }
  REQUIRE(status == 0);
  return text;
}

bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

TEST_CASE("database_lock: a living holder is named") {
  const TestRoot root;
  TestHost test(root);
  test.host.proc = "/proc";
  CHECK(lock_holder(root.conf(), test.host).empty());
  const auto lock = open_file(root.lock_file(), O_CREAT | O_EXCL | O_RDWR, 0);
  const auto holder = lock_holder(root.conf(), test.host);
  CHECK(holder.starts_with(fmt::format("pid {} (", ::getpid())));
  CHECK(holder.find("tests") != holder.npos);
  CHECK(attempt(root, test.host) ==
        fmt::format("another program is changing packages: {} holds '{}' | wait for it to end, "
                    "then run the same command again",
                    holder, root.lock_file().string()));
  CHECK(fs::exists(root.lock_file()));
}

TEST_CASE("database_lock: a left-over lock is explained and stays") {
  const TestRoot root;
  const TestHost test(root);
  write_text(root.lock_file(), "");
  const auto lock = root.lock_file().string();
  const auto explained = [&](const char* reason) {
    return fmt::format("the package database is locked by '{0}', {1} | sudo rm '{0}'", lock, reason);
  };
  CHECK(attempt(root, test.host) == explained("but no process here has it open"));
  write_text(root.proc() / "stat", "cpu 1 2\nbtime 99999999999\n");
  CHECK(attempt(root, test.host) == explained("which is from before this machine started"));
  CHECK(fs::exists(root.lock_file()));
}

TEST_CASE("database_lock: a read-only database is told from missing rights") {
  const TestRoot root;
  const TestHost test(root);
  fs::permissions(root.path().parent_path(), fs::perms::others_exec | fs::perms::others_read,
                  fs::perm_options::add);
  const auto database = root.at("/var/lib/pacman").string();
  const auto act = [&] { return attempt(root, test.host); };
  const auto read_only = in_child(
      [&] {
        return own_mounts() && ::mount(database.c_str(), database.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
               ::mount("none", database.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
      },
      act);
  if (read_only)
    CHECK(*read_only ==
          fmt::format(
              "cannot write to the package database '{0}': its file system is read-only | findmnt -T '{0}'",
              database));
  const auto other_user = in_child([] { return ::setgid(65534) == 0 && ::setuid(65534) == 0; }, act);
  if (other_user)
    CHECK(*other_user == fmt::format("cannot write to the package database '{0}': only root can change "
                                     "packages | run it again with sudo",
                                     database));
}

TEST_CASE("database_lock: a disk too small is refused before anything changes") {
  const TestRoot root;
  const TestHost test(root);
  root.install({.name = "cuda", .version = "1-1"});
  const auto file = build_package({.name = "cuda", .version = "2-1", .bulk = 8'000'000}, root.packages());
  const auto opt = root.at("/usr").string();
  const auto refused =
      in_child([&] { return own_mounts() && ::mount("tmpfs", opt.c_str(), "tmpfs", 0, "size=1m") == 0; },
               [&]() -> std::string {
                 try {
                   Transaction transaction(root.conf(), test.host, {});
                   transaction.prepare(std::vector<TransactionTarget>{{file, Reason::explicitly}});
                   transaction.commit();
                   return "";
                 } catch (const Error& error) {
                   return error.what();
                 }
               });
  if (!refused) return;
  CHECK_MESSAGE(refused->starts_with("nothing was changed: not enough free disk space"), *refused);
  CHECK(refused->find(opt) != refused->npos);
  CHECK(root.installed("cuda") == "1-1");
}

}  // namespace cudapin
