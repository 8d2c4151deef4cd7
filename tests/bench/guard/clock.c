// SPDX-License-Identifier: GPL-3.0-or-later
// clock ROUNDS NAMES PROGRAM...: starts each PROGRAM (a shell-less command line split at blanks) in turns, stdin from
// the file NAMES, and prints the median wall time of each in microseconds, one a line.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static int by_value(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static double run(const char* line, const char* names) {
  char copy[1024], *words[32];
  int count = 0;
  snprintf(copy, sizeof copy, "%s", line);
  for (char* word = strtok(copy, " "); word && count < 31; word = strtok(NULL, " ")) words[count++] = word;
  words[count] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, names, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  struct timespec start, end;
  pid_t pid;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (posix_spawn(&pid, words[0], &actions, NULL, words, environ) != 0) exit(1);
  waitpid(pid, &status, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  posix_spawn_file_actions_destroy(&actions);
  return (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
}

int main(int argc, char** argv) {
  const int rounds = atoi(argv[1]), programs = argc - 3;
  double* const times = calloc((size_t)(rounds * programs), sizeof *times);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < programs; ++i) times[i * rounds + round] = run(argv[3 + i], argv[2]);
  for (int i = 0; i < programs; ++i) {
    qsort(times + i * rounds, (size_t)rounds, sizeof *times, by_value);
    printf("%.0f\n", times[i * rounds + rounds / 2]);
  }
  return 0;
}
