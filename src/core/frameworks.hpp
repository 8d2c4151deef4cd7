// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility_data.hpp"
#include "core/examination.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cudapin {

/// A framework as its folder describes it; nothing of it is run.
struct FrameworkSeen {
  std::string name;     ///< "torch", "tensorflow", "jax", "mxnet", "apex"
  std::string version;  ///< "1.7.0"
  std::string cuda;     ///< series it was built for, "11.0"; empty: not said
  std::string cudnn;    ///< built for or carried along
  bool cpu_only = false;
  std::string path;  ///< what tells

  friend bool operator==(const FrameworkSeen&, const FrameworkSeen&) = default;
};

/// What is in a virtual environment or conda prefix.
struct PythonEnvironment {
  std::string folder;
  std::vector<FrameworkSeen> frameworks;
  std::string cudart;                 ///< CUDA runtime that it carries
  std::string cudnn;                  ///< cuDNN that it carries
  std::vector<ToolkitSeen> toolkits;  ///< compilers that it carries
};

/// Would each framework run on these cards and this driver, would an extension build, and with which toolkit.
std::vector<Finding> judge_environment(const PythonEnvironment& environment, const Examination& found);

/// How code that was built for `build` runs on a card of `sm`.
enum class Reach { compiled, compatible, ptx, none };
Reach reach(const tables::FrameworkBuild& build, int sm);

/// The oldest build from `version` on whose toolkit both compiles for every card here and runs on them, or
/// null: the matching pair for extensions.
const tables::FrameworkBuild* matching_pair(const Examination& found, std::string_view framework,
                                            std::string_view version);

}  // namespace cudapin
