// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/guard_program.hpp"

int main(int argc, char** argv) {
  return cudapin::run_guard({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
}
