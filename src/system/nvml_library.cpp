// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/nvml_library.hpp"

#include "system/raw_files.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cudapin::nvml {

namespace {

constexpr std::string_view end_mark = "end\n";

/// All that comes before the time is up or the other end closes.
std::string read_in_time(int fd, std::chrono::milliseconds limit) {
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{fd, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return {};
    std::array<char, 4096> buffer;
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

bool visit_devices(const Library& library, const std::function<void(unsigned, Device)>& visit) {
  unsigned count = 0;
  if (!call(library, "nvmlInit_v2") || !call(library, "nvmlDeviceGetCount_v2", &count)) return false;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    if (call(library, "nvmlDeviceGetHandleByIndex_v2", index, &device)) visit(index, device);
  }
  return true;
}

std::optional<std::string> in_child(const std::function<std::string()>& write,
                                    std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const raw::File out(ends[0]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    (void)raw::write_all(ends[1], write() + std::string(end_mark));
    ::_exit(0);
  }
  ::close(ends[1]);
  if (child < 0) return std::nullopt;
  auto text = read_in_time(out.fd, limit);
  ::kill(child, SIGKILL);
  // A child that hangs inside the driver cannot be killed, and must not be waited for.
  int status = 0;
  for (int tries = 0; ::waitpid(child, &status, WNOHANG) == 0 && tries < 20; ++tries) ::usleep(1000);
  if (!std::string_view(text).ends_with(end_mark)) return std::nullopt;
  text.resize(text.size() - end_mark.size());
  return text;
}

}  // namespace cudapin::nvml
