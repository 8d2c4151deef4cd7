// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/guard_facts.hpp"

#include "core/guard_partners.hpp"
#include "core/language.hpp"
#include "core/text.hpp"
#include "system/local_entries.hpp"
#include "system/mapped_files.hpp"
#include "system/process_text.hpp"
#include "system/processes.hpp"
#include "system/raw_files.hpp"
#include "system/sync_entries.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

namespace cudapin {

namespace {

/// Whether the machine's first process has another root: then what computes is not ours to judge.
bool is_inside_other_root(const GuardFiles& files, const Host& host) {
  struct stat ours {};
  struct stat theirs {};
  const auto root = files.root() + '/';
  if (::stat(root.c_str(), &ours) != 0 || ::stat((host.proc / "1/root/").c_str(), &theirs) != 0) return false;
  return ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
}

std::string loaded_driver(const Host& host) {
  return std::string(trim(raw::read_at(AT_FDCWD, (host.sys / "module/nvidia/version").c_str(), 64)));
}

using OwnedFiles = std::map<std::string, std::vector<std::string>>;

OwnedFiles files_of_targets(const GuardFiles& files, const GuardInput& input) {
  OwnedFiles owned;
  for (const auto& target : input.targets)
    if (!target.installed.empty() && asks_who_uses(input, target.name))
      if (auto paths = owned_files(files.dbpath(), target.name, target.installed); !paths.empty())
        owned.emplace(target.name, std::move(paths));
  return owned;
}

struct FileName {
  std::string name;
  std::string version;
};

/// NAME-VERSION-RELEASE-ARCH.pkg.tar*, with or without folders or a server before it.
FileName parse_package_file(std::string_view word) {
  auto text = word.substr(word.rfind('/') + 1);
  text = text.substr(0, text.find(".pkg.tar"));
  std::array<std::size_t, 3> dashes{};
  auto end = text.npos;
  for (auto& dash : dashes) {
    dash = end == 0 ? text.npos : text.rfind('-', end == text.npos ? end : end - 1);
    if (dash == text.npos) return {};
    end = dash;
  }
  return {std::string(text.substr(0, dashes[2])),
          percent_decode(text.substr(dashes[2] + 1, dashes[0] - dashes[2] - 1))};
}

std::vector<std::string> versions_of(const std::vector<PackageLinks>& entries) {
  std::vector<std::string> versions;
  for (const auto& entry : entries)
    if (std::find(versions.begin(), versions.end(), entry.version) == versions.end())
      versions.push_back(entry.version);
  return versions;
}

pid_t parent_of(const Host& host, pid_t pid) {
  const auto stat = raw::read_at(AT_FDCWD, (host.proc / std::to_string(pid) / "stat").c_str(), 4096);
  return process_text::number<pid_t>(process_text::word(process_text::after_name(stat), 1)).value_or(0);
}

}  // namespace

void add_work(const GuardFiles& files, const Host& host, GuardInput& input) {
  if (!needs_work(input) || is_inside_other_root(files, host)) return;
  auto scan = find_work(host, input.policy.ignored_processes);
  if (!scan.is_readable) {
    input.blindness = tr_text("running processes cannot be seen");
    input.uvm_is_loaded = uvm_is_loaded(host);
    return;
  }
  std::erase_if(scan.processes, [](const ComputeProcess& process) { return process.is_ignored; });
  if (scan.processes.empty()) return;
  input.loaded_driver = loaded_driver(host);
  const auto owned = files_of_targets(files, input);
  for (auto& process : scan.processes)
    input.work.push_back({.pid = process.pid,
                          .user = std::move(process.user),
                          .gpus = std::move(process.gpus),
                          .started = process.started,
                          .command = std::move(process.command),
                          .place = std::move(process.place),
                          .uses = packages_in_use(host, process.pid, owned)});
}

void add_installed(const GuardFiles& files, GuardInput& input) {
  const auto versions = installed_versions(files.dbpath());
  for (auto& target : input.targets)
    if (const auto found = versions.find(target.name); found != versions.end())
      target.installed = found->second;
}

void add_offers(const GuardFiles& files, const std::vector<std::string>& package_files, GuardInput& input) {
  std::set<std::string, std::less<>> unknown;
  for (auto& target : input.targets) {
    target.offered.clear();
    for (const auto& word : package_files)
      if (auto file = parse_package_file(word); file.name == target.name)
        target.offered.push_back(file.version);
    if (target.offered.empty() && target.operation != Operation::remove) unknown.insert(target.name);
  }
  if (unknown.empty()) return;
  const auto entries = sync_entries(
      files.dbpath(), [&](std::string_view name) { return unknown.find(name) != unknown.end(); });
  for (auto& target : input.targets)
    if (const auto found = entries.find(target.name); target.offered.empty() && found != entries.end())
      target.offered = versions_of(found->second);
}

void add_ignored(const GuardFiles& files, const Host& host, const std::vector<std::string>& blocking,
                 GuardInput& input) {
  const auto dbpath = files.dbpath();
  const auto versions = installed_versions(dbpath);
  const auto entries =
      sync_entries(dbpath, [&](std::string_view name) { return versions.count(std::string(name)) != 0; });
  auto full = input;
  full.targets.clear();
  full.work.clear();
  full.allowances.clear();
  std::map<std::string, UpgradablePackage> installed;
  for (const auto& [name, version] : versions) {
    UpgradablePackage package{installed_links(dbpath, name, version), {}};
    if (const auto found = entries.find(name); found != entries.end()) {
      package.next = found->second.front();
      full.targets.push_back({name, Operation::upgrade, version, versions_of(found->second)});
    }
    installed.emplace(name, std::move(package));
  }
  add_work(files, host, full);
  auto names = judge(full).blocking;
  names.insert(names.end(), blocking.begin(), blocking.end());
  input.ignored = close_over_partners(names, installed);
}

std::vector<std::string> package_files_of_ancestors(const Host& host) {
  constexpr int most_levels = 4;
  std::vector<std::string> words;
  auto pid = ::getppid();
  for (int level = 0; level < most_levels && pid > 1; ++level, pid = parent_of(host, pid)) {
    const auto command =
        raw::read_at(AT_FDCWD, (host.proc / std::to_string(pid) / "cmdline").c_str(), 4u << 20);
    for (auto& word : split(command, std::string_view("\0", 1)))
      if (word.find(".pkg.tar") != word.npos) words.push_back(std::move(word));
  }
  return words;
}

Verdict decide(const GuardFiles& files, const Host& host,
               const std::function<std::vector<std::string>()>& package_files, GuardInput& input) {
  drop_bystanders(input);
  if (!concerns_guard(input)) return {};
  add_installed(files, input);
  add_work(files, host, input);
  if (needs_versions(input)) add_offers(files, package_files(), input);
  auto verdict = judge(input);
  if (!verdict.blocks) return verdict;
  add_ignored(files, host, verdict.blocking, input);
  return judge(input);
}

}  // namespace cudapin
