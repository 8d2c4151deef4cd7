// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/guard_files.hpp"

#include "core/error.hpp"
#include "core/guard_text.hpp"
#include "core/language.hpp"
#include "core/package_class.hpp"
#include "core/text.hpp"
#include "guard_targets.hpp"
#include "system/local_entries.hpp"
#include "system/raw_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>

namespace cudapin {

namespace {

constexpr std::size_t file_limit = 4u << 20;
constexpr std::string_view hook_folder = "/usr/share/libalpm/hooks/";

struct HookFile {
  std::string_view name;
  std::string_view action;
};

// The first sorts after the shipped deciding hook and before pacman's own, which begin at 60.
constexpr std::array hook_files{
    HookFile{"00-cudapin-5-pins.hook",
             "Description = cudapin: checking further packages...\nWhen = PreTransaction\n"
             "Exec = /bin/sh -c '@ decide; test $? -ne 3'\nAbortOnFail\nNeedsTargets\n"},
    HookFile{"zz-cudapin-after-pins.hook",
             "Description = cudapin: looking at what this transaction left...\n"
             "When = PostTransaction\nExec = /bin/sh -c '@ after; :'\n"},
};

std::string hook_text(const HookFile& hook, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text =
      "[Trigger]\nOperation = Install\nOperation = Upgrade\nOperation = Remove\nType = Package\n";
  for (const auto& name : names) text += "Target = " + name + '\n';
  text += "\n[Action]\n" + std::string(hook.action);
  return text.replace(text.find('@'), 1, guard_program);
}

bool is_link(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw Error(filled(tr_text("cannot {} '{}': {}"), {tr_text(what), path, std::strerror(errno)}));
}

void write(const std::string& path, std::string_view text) {
  if (!raw::make_folders(path.substr(0, path.rfind('/'))) || !raw::replace_file(path, text))
    fail(tr_later("write"), path);
}

void remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(tr_later("remove"), path);
}

}  // namespace

GuardFiles::GuardFiles(std::string root, Complain complain, std::string dbpath)
    : root_(std::move(root)), complain_(std::move(complain)), dbpath_(std::move(dbpath)) {
  while (root_.ends_with('/')) root_.pop_back();
  if (!complain_) complain_ = [](const std::string&) {};
}

std::string GuardFiles::dbpath() const {
  if (!dbpath_.empty()) return dbpath_;
  std::string text;
  const bool is_told =
      raw::read_file(state("dbpath"), text, file_limit) == raw::Reading::done && text.starts_with('/');
  auto path = is_told ? std::string(trim(text)) : "/var/lib/pacman";
  while (path.ends_with('/')) path.pop_back();
  return dbpath_ = root_ + path;
}

std::string GuardFiles::transaction() const {
  struct stat info {};
  if (::lstat((dbpath() + "/db.lck").c_str(), &info) != 0) return {};
  return records() + '/' + std::to_string(info.st_ino) + '-' + std::to_string(info.st_ctim.tv_sec) + '.' +
         std::to_string(info.st_ctim.tv_nsec);
}

bool GuardFiles::read(GuardInput& input) const {
  bool all_fine = true;
  const auto take = [&](const char* name, const char* repair, auto parse, auto& into) {
    std::string text;
    const auto path = state(name);
    const auto reading = raw::read_file(path, text, file_limit);
    if (reading == raw::Reading::missing) return;
    if (auto parsed = reading == raw::Reading::done ? parse(text) : std::nullopt) {
      into = std::move(*parsed);
      return;
    }
    all_fine = false;
    complain_(filled(tr_text("{} cannot be read or is garbled, what it says is NOT guarded; to repair: {}"),
                     {path, repair}));
  };
  take("pins", "cudapin use PROFILE", parse_pin_state, input.pins);
  take("bounds", "cudapin status", parse_bounds, input.bounds);
  take("freezes", "cudapin thaw", parse_freezes, input.freezes);
  take("allowances", "cudapin allow --once", parse_allowances, input.allowances);
  input.now = ::time(nullptr);
  return all_fine;
}

GuardPolicy GuardFiles::policy() const {
  std::string text;
  std::vector<std::string> problems;
  const auto path = root_ + "/etc/cudapin/guard.conf";
  if (raw::read_file(path, text, file_limit) == raw::Reading::failed)
    complain_(filled(tr_text("cannot read {}: {}"), {path, std::strerror(errno)}));
  auto policy = parse_policy(text, problems);
  for (const auto& problem : problems)
    complain_(filled(tr_text("{}: '{}' makes no sense and is passed over"), {path, problem}));
  return policy;
}

void GuardFiles::write_freezes(const std::vector<Freeze>& freezes) const {
  if (freezes.empty()) return remove(state("freezes"));
  write(state("freezes"), freezes_text(freezes));
}

void GuardFiles::write_allowances(const std::vector<Allowance>& allowances) const {
  if (allowances.empty()) return remove(state("allowances"));
  write(state("allowances"), allowances_text(allowances));
}

std::vector<std::string> GuardFiles::uncovered() const {
  GuardInput input;
  read(input);
  std::set<std::string> names;
  for (const auto& [name, version] : input.pins.versions) names.insert(name);
  names.insert(input.bounds.drivers.begin(), input.bounds.drivers.end());
  for (const auto& freeze : input.freezes) {
    names.insert(freeze.packages.begin(), freeze.packages.end());
    if (freeze.packages.empty())
      for (const auto& [name, version] : installed_versions(dbpath())) names.insert(name);
  }
  std::vector<std::string> left;
  for (const auto& name : names)
    if (!is_watched(name)) left.push_back(name);
  return left;
}

void GuardFiles::refresh_hooks() const {
  const auto names = uncovered();
  for (const auto& hook : hook_files) {
    const auto path = root_ + std::string(hook_folder) + std::string(hook.name);
    // A link (to /dev/null) is how an admin masks a hook.
    if (is_link(path)) continue;
    // The name that is renamed does not end in .hook: half a hook file would stop pacman altogether.
    if (names.empty())
      remove(path);
    else
      write(path, hook_text(hook, names));
  }
}

bool GuardFiles::hooks_are_fresh() const {
  const auto names = uncovered();
  return std::all_of(hook_files.begin(), hook_files.end(), [&](const HookFile& hook) {
    const auto path = root_ + std::string(hook_folder) + std::string(hook.name);
    std::string text;
    raw::read_file(path, text, file_limit);
    return is_link(path) || text == hook_text(hook, names);
  });
}

}  // namespace cudapin
