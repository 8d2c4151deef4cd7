// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/guard_state.hpp"

#include "core/error.hpp"
#include "core/guard_text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/guard_files.hpp"

#include <fmt/format.h>

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

fs::path state_file(const Host& host, std::string_view name) {
  return host.at(state_folder) / "guard" / name;
}

GuardFiles files_of(const Host& host) { return GuardFiles(host.root.string()); }

void remove_if_exists(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw Error(tr("cannot remove '{}': {}", path.string(), error.message()));
}

std::string dbpath_text(const Host& host, const fs::path& dbpath) {
  return (fs::path("/") / dbpath.lexically_relative(host.root)).string() + '\n';
}

}  // namespace

void write_guard_state(const Host& host, const std::map<std::string, std::string>& pins,
                       const std::string& profile, const fs::path& dbpath) {
  make_folders(host.at(state_folder) / "guard");
  replace_file(state_file(host, "dbpath"), dbpath_text(host, dbpath));
  replace_file(state_file(host, "pins"), pin_state_text({profile, pins}));
  files_of(host).refresh_hooks();
}

bool guard_state_is(const Host& host, const std::map<std::string, std::string>& pins,
                    const std::string& profile, const fs::path& dbpath) {
  return read_file_if_exists(state_file(host, "pins")) == pin_state_text({profile, pins}) &&
         read_file_if_exists(state_file(host, "dbpath")) == dbpath_text(host, dbpath) &&
         files_of(host).hooks_are_fresh();
}

void clear_guard_state(const Host& host) {
  for (const auto* name : {"pins", "dbpath", "token"}) remove_if_exists(state_file(host, name));
  files_of(host).refresh_hooks();
}

bool write_guard_bounds(const Host& host, const Bounds& bounds) {
  const auto file = state_file(host, "bounds");
  const auto text = bounds_text(bounds);
  if (read_file_if_exists(file) == text) return false;
  make_folders(file.parent_path());
  replace_file(file, text);
  files_of(host).refresh_hooks();
  return true;
}

std::vector<std::string> guarded_cards(const Host& host) {
  const auto bounds = parse_bounds(read_file_if_exists(state_file(host, "bounds")));
  return bounds ? bounds->cards : std::vector<std::string>{};
}

std::string issue_token(const Host& host, Transactor transactor) {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(tr("cannot get random bytes: {}", std::strerror(errno)));
  const auto token = fmt::format("{:02x}", fmt::join(bytes, ""));
  const auto file = state_file(host, "token");
  make_folders(file.parent_path());
  remove_if_exists(file);  // replacing would keep its mode
  replace_file(file, token + (transactor == Transactor::recovery ? " recovery\n" : "\n"), 0600);
  return token;
}

void withdraw_token(const Host& host) { remove_if_exists(state_file(host, "token")); }

}  // namespace cudapin
