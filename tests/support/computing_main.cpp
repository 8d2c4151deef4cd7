// SPDX-License-Identifier: GPL-3.0-or-later
// computing [--space GIB] [--open PATH]... [--map PATH]...
// Looks in /proc like a process that computes on a GPU: holds devices open, has libraries mapped and reserves
// the address space that CUDA takes. Says "ready" and stays until it is killed.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int open_or_die(const char* path) {
  const int fd = ::open(path, O_RDONLY);
  if (fd >= 0) return fd;
  std::perror(path);
  std::exit(1);
}

void map_or_die(std::size_t size, int protection, int flags, int fd) {
  if (::mmap(nullptr, size, protection, flags, fd, 0) != MAP_FAILED) return;
  std::perror("mmap");
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--space")
      map_or_die(std::strtoul(argv[i + 1], nullptr, 10) << 30, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    else if (option == "--map")
      map_or_die(1, PROT_READ, MAP_PRIVATE, open_or_die(argv[i + 1]));
    else
      open_or_die(argv[i + 1]);
  }
  std::puts("ready");
  std::fflush(stdout);
  for (;;) ::pause();
}
