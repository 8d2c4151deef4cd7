// SPDX-License-Identifier: GPL-3.0-or-later
// crowd COUNT: that many processes as a lab machine has them. Four in five hold 15 files, one in five 120; one in
// twelve has 2 GiB and more of address space. Says "ready" and stays until it is killed; they end with it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

static void be_one(int number) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 3; i < (number % 5 == 0 ? 120 : 15); ++i)
    if (open("/dev/null", O_RDONLY) < 0) _exit(1);
  if (number % 12 == 0 &&
      mmap(NULL, (size_t)2 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    _exit(1);
  for (;;) pause();
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < count; ++i)
    if (fork() == 0) be_one(i);
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}
