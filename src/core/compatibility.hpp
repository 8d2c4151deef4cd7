// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

enum class Severity { note, warning, error };

/// One answer of the tables about one machine and one set of versions.
struct Finding {
  Severity severity;
  std::string what;      ///< one sentence, lower case, no full stop
  std::string evidence;  ///< where the figures come from: path and value, package and version
  std::string remedy;    ///< a command or an act; empty when there is none

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// A GPU as the tables know it. `capability` is "8.6"; empty when the id is in no table.
struct Gpu {
  std::string name;
  std::string pci_id;      ///< "10de:2204", or empty when chosen by name or capability
  std::string generation;  ///< "ampere", or empty when unknown
  std::string capability;
  std::string address;  ///< PCI address in this machine ("0000:01:00.0"), or empty

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// The card with this PCI device id ("10de:2204" or "2204"); generation and capability empty for unknown ids.
Gpu gpu_by_pci_id(std::string_view id);

/// `--gpu`: a PCI id, a capability ("8.6") or a product name or an unambiguous part of one ("rtx 3090").
/// Throws Error with the nearest names when nothing or cards of several capabilities fit.
Gpu gpu_by_word(std::string_view word);

/// What a set of versions is judged against. Empty strings and optionals mean "not known", which is never an
/// error.
struct Circumstances {
  std::vector<Gpu> gpus;
  std::string driver;         ///< "590.48.01": loaded, else on disk after the plan
  std::string toolkit;        ///< "11.1.0": CUDA's upstream version after the plan
  std::string cudnn;          ///< "8.0.4.30"
  std::string glibc;          ///< "2.42"
  std::vector<int> host_gcc;  ///< majors of the compilers the set brings or the machine has
};

/// Everything the tables say, worst first. Errors: toolkit without code for the card, card dropped by the
/// toolkit, driver below the floor, cuDNN for another CUDA. Warnings: driver between floor and table, glibc
/// newer than the toolkit's headers take, host compiler newer than nvcc takes. An uncertain cell is reported
/// with "probably".
std::vector<Finding> judge(const Circumstances& circumstances);

/// The highest CUDA series that this driver offers ("13.1" for 590.48.01), or empty when unknown: what
/// nvidia-smi prints.
std::string highest_cuda(std::string_view driver);

/// The first toolkit series with code for `capability` ("8.6" -> "11.1") and the last one ("" = still
/// supported).
std::string first_toolkit(std::string_view capability);
std::string last_toolkit(std::string_view capability);

/// Ids of all generations, oldest first: "fermi", …, "blackwell", "rubin".
std::vector<std::string> generation_names();

}  // namespace cudapin
