// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"
#include "core/words.hpp"
#include "system/child.hpp"
#include "system/files.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>

namespace cudapin {

namespace {

/// A socket of an abstract name, by which the guard finds us in /proc/net/unix; closed on exec, so it is ours
/// and ends with us. Behind our pid stands a random number: nobody can take the name first, and a container
/// with the network of its host has pids of its own.
Fd be_found() {
  Fd found(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto name = fmt::format("cudapin-run-{}-{:x}", ::getpid(), std::random_device{}());
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!found || ::bind(found.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    throw Error(tr("cannot be seen by the guard: {}", std::strerror(errno)));
  return found;
}

}  // namespace

ExitStatus run_work(const RunOptions& options, const Host& host) {
  const auto seen = be_found();
  return static_cast<ExitStatus>(run_in_foreground(options.command, host));
}

}  // namespace cudapin
