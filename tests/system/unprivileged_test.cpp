// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/unprivileged.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "support/test_folder.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool is_root() { return ::geteuid() == 0; }

/// The words behind `key` in the status of the process that asks.
std::vector<std::string> status_words(const std::string& key) {
  for (const auto& line : split(read_file("/proc/self/status"), "\n"))
    if (line.starts_with(key + ":")) return split(line.substr(key.size() + 1), " \t");
  return {};
}

std::string error_of(const UnprivilegedWork& work, const Host& host = {}) {
  try {
    run_unprivileged(host, {}, work);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("unprivileged: what it tells and returns comes in order, byte for byte") {
  const std::string bytes("\0\xff\n\xc3", 4);
  const std::string large(3 << 20, 'x');
  std::vector<Message> told;
  const auto result = run_unprivileged(
      {}, {},
      [&](const Host&, const Tell& tell) -> Message {
        tell(bytes);
        tell({{"large", large}});
        return {{"bytes", bytes}};
      },
      [&](const Message& message) { told.push_back(message); });
  CHECK(result.at("bytes").get<std::string>() == bytes);
  REQUIRE(told.size() == 2);
  CHECK(told[0].get<std::string>() == bytes);
  CHECK(told[1].at("large").get<std::string>() == large);
}

TEST_CASE("unprivileged: no id, group or way back is root's") {
  if (!is_root()) return;
  const auto result = run_unprivileged({}, {}, [](const Host& host, const Tell&) -> Message {
    return {{"uids", status_words("Uid")},
            {"gids", status_words("Gid")},
            {"groups", status_words("Groups")},
            {"capabilities", status_words("CapPrm")},
            {"no_new_privs", status_words("NoNewPrivs")},
            {"back", ::setuid(0) == 0 || ::seteuid(0) == 0},
            {"streams", host.in || host.out || host.err}};
  });
  for (const auto* key : {"uids", "gids"}) {
    REQUIRE(result.at(key).size() == 4);
    for (const auto& id : result.at(key)) CHECK(id != "0");
  }
  CHECK(result.at("groups").empty());
  CHECK(result.at("capabilities") == Message{"0000000000000000"});
  CHECK(result.at("no_new_privs") == Message{"1"});
  CHECK(result.at("back") == false);
  CHECK(result.at("streams") == false);
}

TEST_CASE("unprivileged: it has the files that it is given, and no other") {
  if (!is_root()) return;
  const TestFolder folder;
  write_text(folder / "secret", "secret");
  fs::permissions(folder / "secret", fs::perms(0600));
  const auto given = open_file(folder / "secret", O_RDONLY);
  const auto kept = open_file(folder / "secret", O_RDONLY);
  const int fd = given.get();
  const auto result = run_unprivileged({}, {&fd, 1}, [&](const Host&, const Tell&) -> Message {
    char byte = 0;
    return {{"given", ::pread(given.get(), &byte, 1, 0)},
            {"kept", ::pread(kept.get(), &byte, 1, 0)},
            {"opened", ::open((folder / "secret").c_str(), O_RDONLY)},
            {"created", ::open((folder / "new").c_str(), O_WRONLY | O_CREAT, 0644)}};
  });
  CHECK(result.at("given") == 1);
  CHECK(result.at("kept") == -1);
  CHECK(result.at("opened") == -1);
  CHECK(result.at("created") == -1);
}

TEST_CASE("unprivileged: an error comes out as it was thrown") {
  const auto refuse = [](const Host&, const Tell&) -> Message {
    throw Error("first\nsecond", "a hint", ExitStatus::refused);
  };
  try {
    run_unprivileged({}, {}, refuse);
    FAIL("nothing is thrown");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "first\nsecond");
    CHECK(error.hint == "a hint");
    CHECK(error.status == ExitStatus::refused);
  }
  CHECK(error_of([](const Host&, const Tell&) -> Message { throw std::bad_alloc(); }) == "std::bad_alloc");
}

TEST_CASE("unprivileged: its death and its nonsense are errors") {
  if (!is_root()) return;
  CHECK(error_of([](const Host&, const Tell&) -> Message { ::raise(SIGKILL), std::abort(); }) ==
        "the unprivileged process has died: Killed");
  CHECK(error_of([](const Host&, const Tell&) -> Message { ::_exit(7); }) ==
        "the unprivileged process has died: exit status 7");
  // It owns its end of the pipe, and may write anything there.
  const auto lie = [](const std::string& bytes) {
    return error_of([&](const Host&, const Tell&) -> Message {
      for (int fd = 3; fd < 1024; ++fd) (void)write_all(fd, bytes);
      ::_exit(0);
    });
  };
  const auto frame = [](std::uint32_t kind, std::uint32_t length, const std::string& text) {
    std::string head(8, '\0');
    std::memcpy(head.data(), &kind, 4);
    std::memcpy(head.data() + 4, &length, 4);
    return head + text;
  };
  CHECK(lie(frame(1, 2, "\xff\xff")) == "the unprivileged process does not make sense");
  CHECK(lie(frame(2, 1, "\x01")) == "the unprivileged process does not make sense");
  CHECK(lie(frame(1, 0xffffffff, "")) == "the unprivileged process says too much");
  CHECK(lie(frame(1, 9, "\x01")) == "the unprivileged process has died: exit status 0");
}

TEST_CASE("unprivileged: what we throw about a message ends it") {
  if (!is_root()) return;
  pid_t child = 0;
  const auto work = [](const Host&, const Tell& tell) -> Message {
    tell(::getpid());
    for (;;) ::pause();
  };
  const auto refuse = [&](const Message& pid) {
    child = pid.get<pid_t>();
    throw Error("enough");
  };
  CHECK_THROWS_WITH_AS(run_unprivileged({}, {}, work, refuse), "enough", Error);
  CHECK(::kill(child, 0) == -1);
}

TEST_CASE("unprivileged: an interrupt reaches it") {
  std::atomic<int> interrupt{SIGINT};
  Host host;
  host.interrupt = &interrupt;
  CHECK(error_of(
            [](const Host& own, const Tell&) -> Message {
              for (;;) {
                own.check_interrupt();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
            },
            host) == "interrupted");
}

TEST_CASE("unprivileged: it does not outlive us") {
  if (!is_root()) return;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Fd out(ends[0]);
  Fd in(ends[1]);
  const auto parent = ::fork();
  if (parent == 0) {
    const int pipe = in.get();
    run_unprivileged(
        {}, {&pipe, 1},
        [&](const Host&, const Tell& tell) -> Message {
          tell(1);
          for (;;) ::pause();
        },
        [](const Message&) { ::raise(SIGKILL); });
  }
  in = Fd();
  int status = 0;
  REQUIRE(::waitpid(parent, &status, 0) == parent);
  CHECK(WTERMSIG(status) == SIGKILL);
  char byte = 0;
  CHECK(::read(out.get(), &byte, 1) == 0);  // once nobody has the other end
}

TEST_CASE("unprivileged: nothing is forked within it") {
  if (!is_root()) return;
  const auto result = run_unprivileged({}, {}, [](const Host& host, const Tell&) -> Message {
    const auto pid = ::getpid();
    return run_unprivileged(host, {}, [](const Host&, const Tell&) -> Message { return ::getpid(); }) == pid;
  });
  CHECK(result == true);
}

}  // namespace cudapin
