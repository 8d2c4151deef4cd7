// SPDX-License-Identifier: GPL-3.0-or-later
// times ROUNDS PREPARE PROGRAM...: starts each PROGRAM (a shell-less command line split at blanks) in turns, PREPARE
// before each and not measured, and prints the medians of wall and CPU time of each in microseconds, one line each.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

struct cost {
  double wall, cpu;
};

static int by_value(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static struct cost run(const char* line) {
  char copy[8192], *words[128];
  int count = 0, status;
  snprintf(copy, sizeof copy, "%s", line);
  for (char* word = strtok(copy, " "); word && count < 127; word = strtok(NULL, " ")) words[count++] = word;
  words[count] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  struct timespec start, end;
  struct rusage usage;
  pid_t pid;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (posix_spawnp(&pid, words[0], &actions, NULL, words, environ) != 0) exit(1);
  wait4(pid, &status, 0, &usage);
  clock_gettime(CLOCK_MONOTONIC, &end);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    fprintf(stderr, "failed: %.60s\n", line);
    exit(1);
  }
  return (struct cost){(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
                       seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2] * 1e6;
}

int main(int argc, char** argv) {
  const int rounds = atoi(argv[1]), programs = argc - 3;
  double* const wall = calloc((size_t)(rounds * programs), sizeof *wall);
  double* const cpu = calloc((size_t)(rounds * programs), sizeof *cpu);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < programs; ++i) {
      run(argv[2]);
      const struct cost cost = run(argv[3 + i]);
      wall[i * rounds + round] = cost.wall;
      cpu[i * rounds + round] = cost.cpu;
    }
  for (int i = 0; i < programs; ++i)
    printf("%.0f %.0f\n", median(wall + i * rounds, rounds), median(cpu + i * rounds, rounds));
  return 0;
}
