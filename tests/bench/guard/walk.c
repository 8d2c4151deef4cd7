// SPDX-License-Identifier: GPL-3.0-or-later
// A bare walk over every descriptor of every process below /proc that finds what the guard finds: who has
// /dev/nvidia-uvm open, on which GPU, whose it is and what it was started as.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell(const char* pid, const char* gpu) {
  char path[64], command[4096];
  struct stat info;
  snprintf(path, sizeof path, "/proc/%s", pid);
  if (stat(path, &info) != 0) return;
  snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
  const int fd = open(path, O_RDONLY);
  const ssize_t length = fd < 0 ? 0 : read(fd, command, sizeof command - 1);
  if (fd >= 0) close(fd);
  command[length > 0 ? length : 0] = 0;
  printf("%s %u %s %s\n", pid, info.st_uid, gpu, command);
}

static void look(const char* pid) {
  char path[64], target[256], gpu[16] = "?";
  int uses = 0;
  snprintf(path, sizeof path, "/proc/%s/fd", pid);
  DIR* const folder = opendir(path);
  if (!folder) return;
  for (struct dirent* entry; (entry = readdir(folder));) {
    const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = 0;
    if (strcmp(target, "/dev/nvidia-uvm") == 0) uses = 1;
    else if (strncmp(target, "/dev/nvidia", 11) == 0 && target[11] >= '0' && target[11] <= '9')
      snprintf(gpu, sizeof gpu, "%.8s", target + 11);
  }
  closedir(folder);
  if (uses) tell(pid, gpu);
}

int main(void) {
  DIR* const proc = opendir("/proc");
  for (struct dirent* entry; proc && (entry = readdir(proc));)
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') look(entry->d_name);
  return 0;
}
