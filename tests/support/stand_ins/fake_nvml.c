// SPDX-License-Identifier: GPL-3.0-or-later
// A management library of driver 535 with one MIG GPU: the newest list has entries of 32 bytes, and utilisation is
// not supported. Its settings live in the file that CUDAPIN_FAKE_CARD names (persistence and milliwatts) as those of a
// card outlive the program that set them. With HANGS it never answers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int nvmlInit_v2(void) {
#ifdef HANGS
  for (;;) pause();
#endif
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 1, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) { return *device = (void*)(uintptr_t)(index + 1), 0; }
int nvmlDeviceGetMinorNumber(void* device, unsigned* minor) { return (void)device, *minor = 5, 0; }
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  return (void)device, strncpy(name, "Stand-in", length), 0;
}
int nvmlDeviceGetUtilizationRates(void* device, void* rates) { return (void)device, (void)rates, 3; }
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* list) {
  (void)device;
  *count = 2;
  memset(list, 0xff, 64);
  for (uint32_t pid = 1; pid <= 2; ++pid) memcpy((char*)list + 32 * (pid - 1), &pid, sizeof pid);
  return 0;
}

static int settings(unsigned* persistence, unsigned* power) {
  const char* name = getenv("CUDAPIN_FAKE_CARD");
  FILE* file = name ? fopen(name, "r") : NULL;
  if (!file) return 3;
  const int got = fscanf(file, "%u %u", persistence, power);
  fclose(file);
  return got == 2 ? 0 : 3;
}
static int change(unsigned persistence, unsigned power) {
  FILE* file = fopen(getenv("CUDAPIN_FAKE_CARD"), "w");
  if (!file) return 4;
  fprintf(file, "%u %u\n", persistence, power);
  return fclose(file);
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  return (void)device, strncpy(text, "GPU-0000", length), 0;
}
int nvmlDeviceGetPersistenceMode(void* device, unsigned* mode) {
  unsigned power;
  return (void)device, settings(mode, &power);
}
int nvmlDeviceGetPowerManagementLimit(void* device, unsigned* power) {
  unsigned mode;
  return (void)device, settings(&mode, power);
}
int nvmlDeviceGetPowerManagementLimitConstraints(void* device, unsigned* least, unsigned* greatest) {
  return (void)device, *least = 100000, *greatest = 366000, 0;
}
int nvmlDeviceSetPersistenceMode(void* device, unsigned mode) {
  unsigned old, power;
  return (void)device, settings(&old, &power) ? 3 : change(mode, power);
}
int nvmlDeviceSetPowerManagementLimit(void* device, unsigned power) {
  unsigned mode, old;
  if ((void)device, settings(&mode, &old)) return 3;
  return power < 100000 || power > 366000 ? 2 : change(mode, power);
}
