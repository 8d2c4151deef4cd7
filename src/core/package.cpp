// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/package.hpp"

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

constexpr std::array<std::string_view, 9> extensions{".pkg.tar.zst", ".pkg.tar.xz",  ".pkg.tar.gz",
                                                     ".pkg.tar.bz2", ".pkg.tar.lz4", ".pkg.tar.lrz",
                                                     ".pkg.tar.lzo", ".pkg.tar.lz",  ".pkg.tar"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '@' || c == '.' ||
         c == '_' || c == '+' || c == '-';
}

bool is_arch(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_name_character(c) && c != '-' && c != '.'; });
}

bool holds(std::string_view op, int order) {
  if (op == "=") return order == 0;
  if (op == ">=") return order >= 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  if (op == "<") return order < 0;
  return true;
}

}  // namespace

bool is_package_name(std::string_view name) {
  return !name.empty() && name.size() < 256 && name[0] != '-' && name[0] != '.' &&
         std::ranges::all_of(name, is_name_character);
}

std::string PackageFileName::text() const { return name + "-" + version.text() + "-" + arch + extension; }

std::optional<PackageFileName> parse_file_name(std::string_view text) {
  const auto extension =
      std::ranges::find_if(extensions, [&](auto ending) { return text.ends_with(ending); });
  if (extension == extensions.end()) return std::nullopt;
  auto rest = text.substr(0, text.size() - extension->size());
  const auto arch_dash = rest.rfind('-');
  if (arch_dash == rest.npos || !is_arch(rest.substr(arch_dash + 1))) return std::nullopt;
  const auto arch = rest.substr(arch_dash + 1);
  rest = rest.substr(0, arch_dash);
  const auto rel_dash = rest.rfind('-');
  if (rel_dash == rest.npos || rel_dash == 0) return std::nullopt;
  const auto version_dash = rest.rfind('-', rel_dash - 1);
  if (version_dash == rest.npos) return std::nullopt;
  auto version = Version::parse(rest.substr(version_dash + 1));
  const auto name = rest.substr(0, version_dash);
  if (!version || !is_package_name(name)) return std::nullopt;
  return PackageFileName{std::string(name), *version, std::string(arch), std::string(*extension)};
}

Dependency parse_dependency(std::string_view text) {
  text = text.substr(0, text.find(": "));  // an optional dependency's description
  const auto at = text.find_first_of("<>=");
  if (at == text.npos) return {std::string(text), "", ""};
  const auto end = text.find_first_not_of("<>=", at);
  if (end == text.npos) return {std::string(text.substr(0, at)), "", ""};
  return {std::string(text.substr(0, at)), std::string(text.substr(at, end - at)),
          std::string(text.substr(end))};
}

bool version_meets(const Dependency& wanted, std::string_view version) {
  return wanted.op.empty() || holds(wanted.op, compare_versions(version, wanted.version));
}

std::string label(const Package& package) { return package.name + " " + package.version; }

bool refuses(const Package& package, const Package& other) {
  return package.name != other.name &&
         std::ranges::any_of(package.conflicts,
                             [&](const Dependency& conflict) { return satisfies(other, conflict); });
}

const Package* find_named(std::span<const Package> packages, std::string_view name) {
  const auto found = std::ranges::find(packages, name, &Package::name);
  return found == packages.end() ? nullptr : &*found;
}

bool satisfies(const Package& package, const Dependency& wanted) {
  if (package.name == wanted.name && version_meets(wanted, package.version)) return true;
  return std::ranges::any_of(package.provides, [&](const Dependency& provided) {
    if (provided.name != wanted.name) return false;
    return wanted.op.empty() || (provided.op == "=" && version_meets(wanted, provided.version));
  });
}

const Package* find_satisfier(std::span<const Package> packages, const Dependency& wanted) {
  const auto found =
      std::ranges::find_if(packages, [&](const Package& package) { return satisfies(package, wanted); });
  return found == packages.end() ? nullptr : &*found;
}

}  // namespace cudapin
