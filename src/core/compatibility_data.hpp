// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

/// The tables behind compatibility.hpp: constants in the program, one row a line, sorted. `uncertain` names
/// the cells of a row that are not confirmed, separated by spaces. A capability is its sm number: 86 is
/// "8.6".
namespace cudapin::tables {

struct Toolkit {
  std::string_view version;
  std::string_view driver;          ///< least driver that serves it fully
  std::string_view bundled_driver;  ///< the one in its installer
  std::span<const int> architectures;
  int gcc_min;            ///< 0: no limit
  int gcc_max;            ///< what its headers accept
  int gcc_practical_max;  ///< what works, where that is less; else 0
  std::string_view clang_max;
  std::string_view glibc_max;  ///< newest glibc whose headers compile with its own; empty: no limit known
  std::string_view nvcc;       ///< build number that nvcc prints
  std::string_view uncertain;  ///< a single architecture is named like "sm_72"
};

struct DriverFloor {
  int cuda_major;
  std::string_view driver;
};

struct DriverBranch {
  int branch;
  std::string_view cuda;     ///< newest series it serves fully
  std::string_view printed;  ///< what nvidia-smi prints; empty before 410
  std::string_view last_release;
  std::string_view oldest_generation;
  std::string_view newest_generation;
  std::string_view uncertain;
};

struct Cudnn {
  std::string_view version;
  std::string_view builds;    ///< "10.2 11.0", or majors: "11 12"
  std::string_view supports;  ///< "11.0-11.8 12.0-12.3"
  std::string_view least;     ///< least capability by CUDA major, "11:3.5 12:5.0", or "*:5.0"
  std::string_view uncertain;
};

struct Generation {
  std::string_view id;
  int last_branch;  ///< last driver branch, or 0
  std::string_view last_driver;
  std::string_view legacy_package;
  std::string_view open_modules;  ///< "never", "optional", "required"
};

struct Capability {
  int sm;
  std::string_view generation;
  std::string_view first_driver;
  std::string_view first_cuda;
  std::string_view last_cuda;
  std::string_view uncertain;
};

struct BinaryCode {
  int sm;
  int from;    ///< runs on capabilities from here …
  int below;   ///< … to below here …
  int except;  ///< … but not on this one; 0: no exception
  bool uncertain;
};

struct Chip {
  std::string_view name;
  int sm;
  std::string_view ids;  ///< "2203 2204 2205"
  std::string_view uncertain;
};

enum class Source { changelog, device_list, upper_bound };

struct Product {
  std::string_view id;
  std::string_view name;
  Source source;  ///< what first_driver comes from
  std::string_view first_driver;
  std::string_view later;    ///< branches that know it only from a version on: "510:510.60.02"
  std::string_view without;  ///< branches after first_driver that do not know it: "520 530"
  std::string_view uncertain;
};

/// A message that people paste. See compatibility_errors.cpp for the language of `patterns`.
struct KnownError {
  std::string_view id;
  std::string_view component;  ///< what prints it
  std::string_view patterns;
};

/// A build of a framework: a wheel, or a pair that was tested.
struct FrameworkBuild {
  std::string_view framework;
  std::string_view version;
  std::string_view tag;  ///< "cu110", or empty
  std::string_view cuda;
  std::string_view cudnn;
  std::string_view architectures;  ///< "37 50 60"; empty: not listed
  int ptx;                         ///< 0: none
  bool is_default;
  std::string_view uncertain;
};

struct FrameworkFloor {
  std::string_view framework;
  std::string_view from;  ///< version
  int least;              ///< sm
  std::string_view uncertain;
};

struct KernelLimit {
  std::string_view driver;
  std::string_view kernel;
};

struct KernelPatch {
  std::string_view kernel;
  std::string_view from;  ///< drivers
  std::string_view to;
  std::string_view flavour;  ///< "open", "closed", "both"
};

struct HostGlibc {
  std::string_view glibc;
  std::string_view functions;
  std::string_view last_broken_cuda;
  std::string_view uncertain;
};

std::span<const KnownError> known_errors();
std::span<const FrameworkBuild> framework_builds();
std::span<const FrameworkFloor> framework_floors();
std::span<const KernelLimit> kernel_limits();
std::span<const KernelPatch> kernel_patches();
std::span<const HostGlibc> host_glibcs();
std::span<const Toolkit> toolkits();
std::span<const DriverFloor> driver_floors();
std::span<const DriverBranch> driver_branches();
std::span<const Cudnn> cudnns();
std::span<const Generation> generations();
std::span<const Capability> capabilities();
std::span<const BinaryCode> binary_codes();
std::span<const Chip> chips();
std::span<const Product> products();

/// Whether `cells`, separated by spaces, has `cell` or "row".
bool names(std::string_view cells, std::string_view cell);

/// What follows `key:` in "key:value key:value", or empty.
std::string_view value_of(std::string_view pairs, std::string_view key);

/// "11.1.0" -> "11.1": the first two numbers.
std::string_view series(std::string_view version);

/// The number that a version begins with, or 0.
int major(std::string_view version);

/// "8.6" -> 86, 0 for what is no capability; and back.
int sm(std::string_view capability);
std::string capability_text(int sm);

/// The row of a CUDA version or nvcc build; for an update that is in no row, the last one before it in its
/// series.
const Toolkit* find_toolkit(std::string_view version);
/// By all of its version or by its first three numbers.
const Cudnn* find_cudnn(std::string_view version);
/// The branch that a driver version belongs to.
const DriverBranch* find_driver_branch(std::string_view driver);
const Generation* find_generation(std::string_view id);
const Capability* find_capability(int sm);
/// By four lower-case hexadecimal digits.
const Chip* find_chip(std::string_view id);
const Product* find_product(std::string_view id);

/// The row of that driver, else of the last one before it in its branch.
const KernelLimit* find_kernel_limit(std::string_view driver);
/// The build with this version and CUDA series, or null.
const FrameworkBuild* find_framework_build(std::string_view framework, std::string_view version,
                                           std::string_view cuda);

/// The row by which code for `sm` runs on a GPU of `capability`, or null.
const BinaryCode* find_binary_code(int sm, int capability);

}  // namespace cudapin::tables
