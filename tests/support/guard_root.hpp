// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/standin.hpp"
#include "system/child.hpp"
#include "system/guard_state.hpp"
#include "system/host.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace cudapin {

namespace fs = std::filesystem;

struct GuardAnswer {
  int status;  ///< exit status, or 128 + signal
  std::string told;
};

/// A root folder with the lock of a running transaction, and the real guard started on it as a hook does.
struct GuardRoot {
  GuardRoot() {
    host.root = ::mkdtemp(folder.data());
    write(lock(), "");
    for (const auto* folder_name : {"/run", "/proc", "/sys"}) fs::create_directories(at(folder_name));
    host.proc = at("/proc");
    host.sys = at("/sys");
  }
  ~GuardRoot() { fs::remove_all(folder); }

  fs::path at(const std::string& path) const { return host.at(path); }
  fs::path state(const std::string& name) const { return at("/var/lib/cudapin/guard/" + name); }
  fs::path lock() const { return at("/var/lib/pacman/db.lck"); }
  static inline const std::map<std::string, std::string> pinned{{"cuda", "11.1.0-2"},
                                                                {"cudnn", "8.0.5.39-1"}};
  void pin() const { write_guard_state(host, pinned, "ampere-11.1", at("/var/lib/pacman/")); }
  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  /// A new lock file, as the next transaction makes it; its inode differs as the old one stays in use.
  void next_transaction() const {
    fs::rename(lock(), at("/var/lib/pacman/old-lock"));
    write(lock(), "");
  }
  /// An installed package, as far as the guard reads it.
  void install(const std::string& name, const std::string& version, const std::string& files = "",
               const std::string& depends = "") const;
  /// A sync database with these packages.
  void offer(const std::vector<SyncEntry>& packages) const {
    fs::create_directories(at("/var/lib/pacman/sync"));
    write_sync_database(at("/var/lib/pacman/sync/extra.db"), packages);
  }
  /// A process of alice that computes on GPU 0, `python train.py`.
  void compute(int pid) const;
  GuardAnswer run(const std::string& words, const std::string& names, const std::string& token = "") const;

  std::string folder = (fs::temp_directory_path() / "guard-XXXXXX").string();
  Host host;
};

inline void GuardRoot::install(const std::string& name, const std::string& version, const std::string& files,
                               const std::string& depends) const {
  const auto folder_name = "/var/lib/pacman/local/" + name + "-" + version;
  write(at(folder_name + "/desc"),
        "%NAME%\n" + name + "\n\n%VERSION%\n" + version + "\n\n%DEPENDS%\n" + depends + "\n\n");
  write(at(folder_name + "/files"), "%FILES%\n" + files + "\n");
}

inline void GuardRoot::compute(int pid) const {
  const auto process = at("/proc/" + std::to_string(pid));
  write(process / "statm", "9999999 1 1 1 0 1 0\n");
  write(process / "cmdline", std::string("python\0train.py\0", 16));
  write(process / "status", "Name:\tpython\nUid:\t1000\t1000\t1000\t1000\n");
  write(process / "stat",
        std::to_string(pid) + " (python) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 100 20 21\n");
  write(at("/proc/devices"), "Character devices:\n511 nvidia-uvm\n");
  write(at("/etc/passwd"), "alice:x:1000:1000::/home/alice:/bin/sh\n");
  fs::create_directories(process / "fd");
  fs::create_symlink("/dev/nvidia-uvm", process / "fd/3");
  fs::create_symlink("/dev/nvidia0", process / "fd/4");
}

inline GuardAnswer GuardRoot::run(const std::string& words, const std::string& names,
                                  const std::string& token) const {
  write(at("/stdin"), names);
  const auto result = run_child({"env", "CUDAPIN_TOKEN=" + token, "/bin/sh", "-c",
                                 std::string("exec ") + GUARD_PROGRAM + " --root '" + folder + "' --proc '" +
                                     at("/proc").string() + "' --sys '" + at("/sys").string() + "' " + words +
                                     " <'" + at("/stdin").string() + "'"});
  const bool is_hook =
      words.starts_with("record") || words.starts_with("decide") || words.starts_with("after");
  if (is_hook) CHECK(result.out.empty());
  return {result.status, result.err};
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace cudapin
