// SPDX-License-Identifier: GPL-3.0-or-later
// A management library of driver 535 with one MIG GPU: the newest list has entries of 32 bytes, and utilisation is
// not supported. With HANGS it never answers.
#include <stdint.h>
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
