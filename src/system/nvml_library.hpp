// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

/// The driver's management library, looked up at run time and called by own prototypes, in a child process:
/// it can hang.
namespace cudapin::nvml {

struct Library {
  explicit Library(const char* name) : handle(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  template <typename Function>
  Function find(const char* name) const {
    return handle ? reinterpret_cast<Function>(::dlsym(handle, name)) : nullptr;
  }
  void* handle;
};

using Device = void*;

/// Calls `name` with these arguments when the library has it; whether it succeeded.
template <typename... Arguments>
bool call(const Library& library, const char* name, Arguments... arguments) {
  const auto function = library.find<int (*)(Arguments...)>(name);
  return function && function(arguments...) == 0;
}

/// Initialises the library and visits every device with its index. False when it does not work.
bool visit_devices(const Library& library, const std::function<void(unsigned index, Device)>& visit);

/// What `write` returns, run in a child process that gets `limit`; nothing when it ends otherwise or late.
std::optional<std::string> in_child(const std::function<std::string()>& write,
                                    std::chrono::milliseconds limit);

}  // namespace cudapin::nvml
