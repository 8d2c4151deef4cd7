// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/version.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// `cuda-11.1.0-2-x86_64.pkg.tar.zst`, taken apart from the right as names contain dashes.
struct PackageFileName {
  std::string name;
  Version version;
  std::string arch;
  std::string extension;  ///< ".pkg.tar.zst", ".pkg.tar.xz", …

  std::string text() const;
};

/// Nothing for anything that is not a package file's base name: signatures, partial files, paths, `..`.
std::optional<PackageFileName> parse_file_name(std::string_view text);

/// Whether libalpm and the archive would take `name` as a package name (letters, digits, `@._+-`, no leading
/// dash or dot).
bool is_package_name(std::string_view name);

/// `name`, `name=1.0`, `name>=1.0`, …; op is "" when any version will do.
struct Dependency {
  std::string name;
  std::string op;
  std::string version;

  std::string text() const { return name + op + version; }
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

Dependency parse_dependency(std::string_view text);

/// Whether `version` meets op and version of the dependency, by libalpm's rules (a bound without pkgrel
/// ignores it).
bool version_meets(const Dependency& wanted, std::string_view version);

enum class Reason { explicitly, dependency };

/// A package as a database or its .PKGINFO describes it.
struct Package {
  std::string name;
  std::string version;
  std::string arch;
  std::string base;
  std::vector<Dependency> depends;
  std::vector<Dependency> provides;
  std::vector<Dependency> conflicts;
  std::uint64_t installed_size = 0;
  Reason reason = Reason::explicitly;
};

/// "cuda 11.1.0-2"
std::string label(const Package& package);

/// Whether `package` refuses to be installed beside `other`.
bool refuses(const Package& package, const Package& other);

/// The package of that name, or null.
const Package* find_named(std::span<const Package> packages, std::string_view name);

/// Whether `package` itself or one of its provides satisfies `wanted`.
bool satisfies(const Package& package, const Dependency& wanted);

/// The first of `packages` that satisfies `wanted`, or null.
const Package* find_satisfier(std::span<const Package> packages, const Dependency& wanted);

}  // namespace cudapin
