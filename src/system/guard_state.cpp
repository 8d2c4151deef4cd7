// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/guard_state.hpp"

#include "core/error.hpp"
#include "core/guard.hpp"
#include "guard_targets.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <fnmatch.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

// Sorts after the shipped deciding hook and before pacman's own, which begin at 60.
constexpr std::string_view pins_hook = "/usr/share/libalpm/hooks/00-cudapin-5-pins.hook";

fs::path state_file(const Host& host, std::string_view name) {
  return host.at(state_folder) / "guard" / name;
}

bool is_covered(const std::string& name) {
  return std::any_of(std::begin(guard_targets), std::end(guard_targets), [&](std::string_view pattern) {
    return ::fnmatch(std::string(pattern).c_str(), name.c_str(), 0) == 0;
  });
}

std::string hook_text(const std::vector<std::string>& names) {
  std::string text =
      "[Trigger]\nOperation = Install\nOperation = Upgrade\nOperation = Remove\nType = Package\n";
  for (const auto& name : names) text += fmt::format("Target = {}\n", name);
  return text + fmt::format(
                    "\n[Action]\nDescription = cudapin: checking further pinned packages...\n"
                    "When = PreTransaction\nExec = /bin/sh -c '{} decide; test $? -ne 3'\n"
                    "AbortOnFail\nNeedsTargets\n",
                    guard_program);
}

void remove_if_exists(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw Error(fmt::format("cannot remove '{}': {}", path.string(), error.message()));
}

/// Pinned names that no shipped hook has among its targets.
std::vector<std::string> uncovered(const std::map<std::string, std::string>& pins) {
  std::vector<std::string> names;
  for (const auto& [name, version] : pins)
    if (!is_covered(name)) names.push_back(name);
  return names;
}

std::string dbpath_text(const Host& host, const fs::path& dbpath) {
  return (fs::path("/") / dbpath.lexically_relative(host.root)).string() + '\n';
}

void write_pins_hook(const Host& host, const std::map<std::string, std::string>& pins) {
  const auto names = uncovered(pins);
  const auto hook = host.at(pins_hook);
  std::error_code missing;
  // A link (to /dev/null) is how an admin masks a hook.
  if (fs::is_symlink(fs::symlink_status(hook, missing))) return;
  if (names.empty()) return remove_if_exists(hook);
  make_folders(hook.parent_path());
  // The name that is renamed does not end in .hook: half a hook file would stop pacman altogether.
  replace_file(hook, hook_text(names));
}

}  // namespace

void write_guard_state(const Host& host, const std::map<std::string, std::string>& pins,
                       const std::string& profile, const fs::path& dbpath) {
  make_folders(host.at(state_folder) / "guard");
  replace_file(state_file(host, "dbpath"), dbpath_text(host, dbpath));
  replace_file(state_file(host, "pins"), pin_state_text({profile, pins}));
  write_pins_hook(host, pins);
}

bool guard_state_is(const Host& host, const std::map<std::string, std::string>& pins,
                    const std::string& profile, const fs::path& dbpath) {
  const auto names = uncovered(pins);
  const auto hook = host.at(pins_hook);
  std::error_code missing;
  const bool hook_is_right = fs::is_symlink(fs::symlink_status(hook, missing)) ||
                             read_file_if_exists(hook) == (names.empty() ? "" : hook_text(names));
  return hook_is_right && read_file_if_exists(state_file(host, "pins")) == pin_state_text({profile, pins}) &&
         read_file_if_exists(state_file(host, "dbpath")) == dbpath_text(host, dbpath);
}

void clear_guard_state(const Host& host) {
  const auto hook = host.at(pins_hook);
  std::error_code missing;
  if (!fs::is_symlink(fs::symlink_status(hook, missing))) remove_if_exists(hook);
  for (const auto* name : {"pins", "dbpath", "token"}) remove_if_exists(state_file(host, name));
}

std::string issue_token(const Host& host) {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(fmt::format("cannot get random bytes: {}", std::strerror(errno)));
  const auto token = fmt::format("{:02x}", fmt::join(bytes, ""));
  const auto file = state_file(host, "token");
  make_folders(file.parent_path());
  remove_if_exists(file);  // replacing would keep its mode
  replace_file(file, token + '\n', 0600);
  return token;
}

void withdraw_token(const Host& host) { remove_if_exists(state_file(host, "token")); }

}  // namespace cudapin
