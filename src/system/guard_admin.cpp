// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/guard_admin.hpp"

#include "core/error.hpp"
#include "core/history.hpp"
#include "core/language.hpp"
#include "core/package_class.hpp"
#include "core/text.hpp"
#include "system/guard_facts.hpp"
#include "system/local_entries.hpp"
#include "system/raw_files.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace cudapin::guard_admin {

namespace {

constexpr std::int64_t once_lasts = 3600;

/// Held while a file is read, changed and written back.
class Exclusive {
 public:
  explicit Exclusive(const GuardFiles& files) : folder_(open(files.state(""))) {}

 private:
  static int open(const std::string& path) {
    raw::make_folders(path.substr(0, path.size() - 1));
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || ::flock(fd, LOCK_EX) != 0)
      throw Error(filled(tr_text("cannot {} '{}': {}"), {tr_text("lock"), path, std::strerror(errno)}));
    return fd;
  }
  raw::File folder_;
};

void require_root(const Admin& admin, const std::string& verb) {
  if (!admin.is_root) throw Error(tr_text("only root can tell the guard that"), "sudo cudapin " + verb);
}

void record(const GuardFiles& files, const Admin& admin, const std::string& command) {
  HistoryEntry entry{
      .time = utc_text(admin.now, "%FT%TZ"), .user = admin.name, .command = command, .result = "done"};
  const auto path = files.root() + "/var/lib/cudapin/history.jsonl";
  if (!raw::append_line(path, to_line(entry)))
    throw Error(filled(tr_text("cannot {} '{}': {}"), {tr_text("write"), path, std::strerror(errno)}));
}

std::string about(const std::vector<std::string>& packages) {
  return packages.empty() ? tr_text("every package") : join(packages, tr_text(" and "));
}

std::string options_of(const std::vector<std::string>& packages) {
  std::string text;
  for (const auto& name : packages) text += " --package " + name;
  return text;
}

GuardInput current(const GuardFiles& files) {
  GuardInput input;
  files.read(input);
  return input;
}

void require_names(const std::vector<std::string>& packages) {
  for (const auto& name : packages)
    if (name.empty() || name.find_first_of(" ,*\n/") != name.npos || printable(name) != name)
      throw Error(filled(tr_text("'{}' is no package name"), {printable(name)}), "", ExitStatus::usage);
}

}  // namespace

Admin from_process() {
  Admin admin{.name = "root", .now = ::time(nullptr), .is_root = ::geteuid() == 0};
  for (const auto* variable : {"LOGNAME", "USER", "DOAS_USER", "SUDO_USER"})
    if (const char* const value = std::getenv(variable); value && *value) admin.name = printable(value);
  return admin;
}

std::string freeze(const GuardFiles& files, const Admin& admin, const FreezeRequest& request) {
  require_root(admin, "freeze");
  require_names(request.packages);
  const Exclusive held(files);
  auto freezes = current(files).freezes;
  std::erase_if(freezes, [&](const Freeze& old) { return old.end <= admin.now; });
  const auto end = admin.now + request.seconds;
  freezes.push_back({end, admin.name, request.packages, request.reason});
  files.write_freezes(freezes);
  files.refresh_hooks();
  record(files, admin,
         "freeze --for " + duration_text(request.seconds) + options_of(request.packages) + ": " +
             request.reason);
  return filled(tr_text("{} is frozen until {}"), {about(request.packages), time_text(end)});
}

std::string thaw(const GuardFiles& files, const Admin& admin, const std::vector<std::string>& packages) {
  require_root(admin, "thaw");
  const Exclusive held(files);
  auto freezes = current(files).freezes;
  const auto before = freezes.size();
  std::erase_if(freezes, [&](Freeze& freeze) {
    if (packages.empty()) return true;
    const auto count = freeze.packages.size();
    std::erase_if(freeze.packages, [&](const auto& name) {
      return std::find(packages.begin(), packages.end(), name) != packages.end();
    });
    return count > 0 && freeze.packages.empty();
  });
  files.write_freezes(freezes);
  files.refresh_hooks();
  if (before == 0) return tr_text("nothing is frozen");
  record(files, admin, "thaw" + options_of(packages));
  return freezes.empty()
             ? tr_text("nothing is frozen any more")
             : filled(tr_count("{} freeze stays in force", "{} freezes stay in force", freezes.size()),
                      {std::to_string(freezes.size())});
}

std::string allow(const GuardFiles& files, const Admin& admin, const AllowRequest& request) {
  require_root(admin, "allow");
  require_names(request.packages);
  const Exclusive held(files);
  auto allowances = current(files).allowances;
  std::erase_if(allowances, [&](const Allowance& old) { return old.end <= admin.now; });
  const auto seconds = request.once ? once_lasts : request.seconds;
  allowances.push_back({request.once, admin.now + seconds, admin.name, request.packages});
  files.write_allowances(allowances);
  record(files, admin,
         (request.once ? std::string("allow --once") : "allow --for " + duration_text(seconds)) +
             options_of(request.packages));
  return filled(request.once ? tr_text("the guard lets one transaction pass until {}: {}")
                             : tr_text("the guard lets transactions pass until {}: {}"),
                {time_text(admin.now + seconds), about(request.packages)});
}

void use_up(const GuardFiles& files, const Admin& admin, const std::vector<Allowance>& used) {
  const Exclusive held(files);
  auto allowances = current(files).allowances;
  for (const auto& allowance : used) {
    const auto found = std::find(allowances.begin(), allowances.end(), allowance);
    if (found == allowances.end()) continue;
    if (allowance.once) allowances.erase(found);
    record(files, admin, "allowance of " + allowance.owner + " used" + options_of(allowance.packages));
  }
  files.write_allowances(allowances);
}

Verdict check(const GuardFiles& files, const Host& host, const std::vector<std::string>& names,
              GuardInput& input) {
  input.policy = files.policy();
  files.read(input);
  const auto installed = installed_versions(files.dbpath());
  auto wanted = names;
  if (wanted.empty())
    for (const auto& [name, version] : installed)
      if (is_watched(name) || input.pins.versions.count(name) || !input.freezes.empty())
        wanted.push_back(name);
  for (const auto& name : wanted)
    input.targets.push_back({name, installed.count(name) ? Operation::upgrade : Operation::install});
  if (names.empty()) {
    // Of all that is installed only what would change is a question.
    add_installed(files, input);
    add_offers(files, {}, input);
    std::erase_if(input.targets, [](const GuardTarget& target) {
      return std::all_of(target.offered.begin(), target.offered.end(),
                         [&](const auto& offered) { return offered == target.installed; });
    });
  }
  return decide(
      files, host, [] { return std::vector<std::string>(); }, input);
}

}  // namespace cudapin::guard_admin
