// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"
#include "core/package.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// A toolkit that a build might take.
struct ToolkitSeen {
  std::string folder;   ///< "/opt/cuda"
  std::string version;  ///< "11.1.0", or empty when nothing tells it
  std::string through;  ///< what leads there: "CUDA_HOME", "PATH", or empty for a folder that just exists
  bool has_compiler = false;     ///< bin/nvcc is there
  int gcc_max = 0;               ///< from its own headers; 0: not said
  bool takes_new_glibc = false;  ///< its headers are patched for, or new enough for, today's glibc
  std::string host_compiler;     ///< what its bin/g++ or bin/gcc links to, or empty

  friend bool operator==(const ToolkitSeen&, const ToolkitSeen&) = default;
};

/// A library that LD_LIBRARY_PATH puts before the system's.
struct LibrarySeen {
  std::string path;
  std::string version;
};

struct Compiler {
  int major = 0;
  std::string path;  ///< "/usr/bin/g++-10"
};

/// A text file with where it stands, as it is.
struct TextFile {
  std::string path;
  std::string text;
};

struct PinSeen {
  std::string name;
  std::string version;
  std::string installed;  ///< empty: not installed
  bool in_force = false;  ///< pacman itself lists it
};

struct HookSeen {
  std::string name;
  bool installed = false;
  std::string hidden_by;  ///< the file of a later hook folder that replaces it, or empty
  bool masked = false;    ///< and that file is empty or leads to /dev/null
};

/// A profile that could be put in force.
struct ProfileSeen {
  std::string name;
  std::string cuda;  ///< "11.1.0"
  std::vector<std::string> generations;
};

/// Everything the doctor's rules read, gathered once. Empty always means "not known".
struct Examination {
  // The cards.
  std::vector<Gpu> gpus;
  bool gpus_chosen = false;              ///< by --gpu instead of found
  std::vector<Gpu> passed_through;       ///< bound for a virtual machine
  std::vector<std::string> powered_off;  ///< PCI addresses
  std::vector<std::string> other_gpus;   ///< PCI ids of display controllers of other makers
  std::string virtual_gpu;               ///< the model name of a slice of a card, or empty

  // The driver and the kernel.
  std::string driver_loaded;
  std::string driver_on_disk;
  std::string module_flavour;        ///< "open", "closed" or empty: of the loaded module, else of the package
  std::string module_package;        ///< the package that brings it ("nvidia-open"), or empty
  std::string kernel;                ///< release of the running one
  std::vector<std::string> kernels;  ///< releases that have modules on disk
  bool kernel_has_headers = true;    ///< of the running one
  std::vector<std::string> work;     ///< one line for each process that computes

  // What a build finds.
  std::vector<ToolkitSeen> toolkits;  ///< the one that wins first
  std::string cudnn;
  std::vector<LibrarySeen> libraries;  ///< CUDA libraries that LD_LIBRARY_PATH names
  std::vector<Compiler> compilers;
  int default_gcc = 0;
  std::string clang;
  std::string glibc;
  std::map<std::string, std::string> environment;  ///< the variables that builds read
  std::vector<std::string> missing_files;          ///< of paths that those variables name

  // Packages and pacman.
  std::vector<Package> packages;  ///< the families that move together
  std::vector<std::string> broken_entries;
  std::vector<std::string> unreadable;  ///< why pacman's configuration or database could not be read
  std::vector<std::string> ignored;     ///< IgnorePkg as pacman sees it
  std::vector<TextFile> pacman_conf;    ///< the file and what it includes
  std::string pacman_log;               ///< its end

  // cudapin itself.
  std::string profile;  ///< the active one
  std::vector<PinSeen> pins;
  std::vector<HookSeen> hooks;
  bool has_guard = false;
  std::string guard_trouble;  ///< how it came out when it was run dry; empty: as it should
  bool change_unfinished = false;
  std::vector<ProfileSeen> profiles;  ///< all that there are

  // Where it runs.
  bool in_wsl = false;
  std::string container;   ///< "docker", "podman", …, or empty
  bool has_device = true;  ///< /dev/nvidiactl or a card's node is there

  const Package* package(std::string_view name) const;
  std::string variable(const std::string& name) const;
  /// The toolkit that a build takes, or null.
  const ToolkitSeen* toolkit() const { return toolkits.empty() ? nullptr : &toolkits.front(); }
  std::string driver() const { return driver_loaded.empty() ? driver_on_disk : driver_loaded; }
  /// Majors of the host compilers that are there.
  std::vector<int> gcc_majors() const;
};

/// As judge() takes it, for the toolkit and cuDNN that are there.
Circumstances circumstances_of(const Examination& found);

/// Whether two texts name the same driver; a text with only two numbers is a cut-off one ("570.86").
bool same_driver(std::string_view one, std::string_view other);

/// "8.9.7", "8907", "(8, 9, 7)", "90100" -> "8.9.7", "8.9.7", "8.9.7", "9.1.0"; empty for what is none.
std::string cudnn_version(std::string_view text);

/// A list of architectures as TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES or gencode texts spell it:
/// "5.2 8.6+PTX", "86;80-real", "Ampere", "compute_86". Entries that mean nothing are left out.
std::vector<int> architectures_in(std::string_view list);

}  // namespace cudapin
