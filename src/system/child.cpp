// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/child.hpp"

#include "core/error.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace cudapin {

namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(tr("cannot create a pipe: {}", std::strerror(errno)));
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
  Fd out;
  Fd in;
};

pid_t start(const std::vector<std::string>& argv, const Pipe& out, const Pipe& err) {
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  std::string locale = "LC_ALL=C";
  for (char** variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.push_back(*variable);
  variables.push_back(locale.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.in.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.in.get(), 2);
  pid_t pid = -1;
  const int failure =
      ::posix_spawnp(&pid, argv[0].c_str(), &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw Error(tr("cannot start '{}': {}", argv[0], std::strerror(failure)));
  return pid;
}

/// Reads both streams until they end; false when the deadline passes first.
bool drain(int out, int err, ChildResult& result, std::chrono::steady_clock::time_point deadline) {
  std::array<pollfd, 2> waiting{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return false;
    for (auto& stream : waiting) {
      if (stream.fd < 0 || stream.revents == 0) continue;
      std::array<char, 65536> buffer;
      const auto got = ::read(stream.fd, buffer.data(), buffer.size());
      if (got > 0)
        (stream.fd == out ? result.out : result.err).append(buffer.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) stream.fd = -1;
    }
  }
  return true;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& argv, int seconds) {
  Pipe out;
  Pipe err;
  const pid_t pid = start(argv, out, err);
  out.in = Fd();
  err.in = Fd();
  ChildResult result{};
  const bool ended = drain(out.out.get(), err.out.get(), result,
                           std::chrono::steady_clock::now() + std::chrono::seconds(seconds));
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) throw Error(tr("'{}' did not end within {} seconds", argv[0], seconds));
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

int run_in_foreground(const std::vector<std::string>& argv, const Host& host) {
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  // We ignore SIGPIPE, which a program would inherit.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int failure = ::posix_spawnp(&pid, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw Error(tr("cannot start '{}': {}", argv[0], std::strerror(failure)));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
    // The terminal sends SIGINT to both of us.
    if (const int signal = host.interrupt ? host.interrupt->load() : 0; signal == SIGTERM || signal == SIGHUP)
      ::kill(pid, signal);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace cudapin
