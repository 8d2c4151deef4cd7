// SPDX-License-Identifier: GPL-3.0-or-later
// make_world DIR [ROOT]: writes the rolling world below DIR and, below ROOT, its current packages installed.
// CUDA_BULK in the environment: so many bytes more in the old cuda.
#include "support/rolling_world.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: make_world DIR [ROOT]\n", stderr);
    return 2;
  }
  try {
    const char* bulk = std::getenv("CUDA_BULK");
    cudapin::make_world(argv[1], bulk ? std::stoull(bulk) : 0);
    if (argc == 3) cudapin::make_installed_root(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "make_world: %s\n", problem.what());
    return 1;
  }
}
