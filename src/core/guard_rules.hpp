// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/guard.hpp"
#include "core/package_class.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The rules that judge() goes through, each about one target, and the words to tell their outcome.
namespace cudapin::guard {

/// What a rule has against a target.
struct Objection {
  const GuardTarget* target;
  std::string reason;  ///< completes "upgrade: cuda 1-1 -> 2-1 …"
  std::string advice;  ///< a line, or empty
};

/// Every objection of every rule that binds the input's transactor, in the order of the targets.
std::vector<Objection> objections(const GuardInput& input);

/// The table's class, or `driver` for what the bounds file names.
PackageClass class_in(const GuardInput& input, std::string_view package);

/// Whether the rules ask of this class what runs.
bool is_about_work(const GuardInput& input, PackageClass package_class);

/// Numbers of a version without epoch and pkgrel, compared one by one as far as `last` has any.
bool is_beyond(std::string_view version, std::string_view last);

/// "driver", "toolkit" or "cudnn" for what a Bound may limit, else empty.
std::string_view bound_family(const GuardInput& input, std::string_view package);

/// The message of a blocked transaction, at most 20 lines.
std::vector<std::string> message(const GuardInput& input, const std::vector<Objection>& objections,
                                 const std::vector<std::string>& blocking);

}  // namespace cudapin::guard
