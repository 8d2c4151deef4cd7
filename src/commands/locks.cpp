// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/locks.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/archive.hpp"
#include "system/files.hpp"
#include "system/owned_file.hpp"
#include "system/trusted_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view site_folder = "/etc/cudapin";
constexpr std::string_view subscribed_folder = "/var/lib/cudapin/subscribed";

/// The folder of the system's own that holds `path`, or empty.
fs::path system_folder(const Host& host, const fs::path& path) {
  for (const auto& folder : {host.at(site_folder), host.profiles})
    if (is_below(path, folder)) return folder;
  return {};
}

std::string lock_name(const Profile& profile) { return profile.name + std::string(lock_ending); }

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

}  // namespace

bool Lock::vouches_for(const std::string& name, const std::string& sha256) const {
  const auto* locked = file.find_file(name);
  return objection.empty() && locked && locked->vouched && locked->sha256 == sha256;
}

std::string vouching_objection(const Host& host, std::string_view text, std::string_view signature) {
  const auto report = check_trusted(host, text, signature, Role::vouch);
  if (report.state == SignatureState::good) return {};
  if (report.state == SignatureState::unknown_key)
    return tr("it is signed by the key {}, which is not trusted to vouch", report.fingerprint);
  return trust_sentence(report);
}

Lock read_lock(const Host& host, const fs::path& path) {
  const auto folder = system_folder(host, path);
  auto owned = folder.empty() ? OwnedText{read_file(path, 1u << 20), place_objection(host, path)}
                              : read_owned(folder, path.lexically_relative(folder));
  Lock lock{parse_lock(owned.text, path.string()), owned.objection};
  // A lock that came signed is its signer's word, wherever it lies now.
  const auto signature = read_file_if_exists(path.string() + std::string(signature_ending));
  if (lock.file.has_vouches() && !signature.empty())
    lock.objection = vouching_objection(host, owned.text, signature);
  return lock;
}

fs::path lock_path(const Host& host, const Profile& profile) {
  const fs::path origin = fs::absolute(profile.origin).lexically_normal();
  const bool is_ours_to_write =
      !is_below(origin, host.profiles) && !is_below(origin, host.at(subscribed_folder));
  return (!is_ours_to_write ? host.at("/etc/cudapin/profiles") : origin.parent_path()) / lock_name(profile);
}

std::string profile_sha256(const Profile& profile) {
  auto text = read_file(profile.origin);
  for (const auto& base : profile.bases) text += read_file(base);
  return sha256_text(text);
}

std::optional<Lock> find_lock(const Host& host, const Profile& profile) {
  const auto beside = fs::path(profile.origin).parent_path() / lock_name(profile);
  const auto own = lock_path(host, profile);
  const bool is_subscribed = is_below(beside, host.at(subscribed_folder));
  for (const auto& path : is_subscribed ? std::array{beside, own} : std::array{own, beside})
    if (is_there(path)) return read_lock(host, path);
  return std::nullopt;
}

std::optional<Lock> lock_of(const Host& host, const Profile& profile, bool required) {
  auto lock = find_lock(host, profile);
  if (!lock && required)
    throw Error(tr("there is no lock '{}'", lock_path(host, profile).string()),
                fmt::format("sudo cudapin lock {}", profile.name));
  if (!lock) return lock;
  const auto refuse = [&](const std::string& why) {
    throw Error(tr("the lock '{}' {}", lock->file.origin, why),
                fmt::format("sudo cudapin lock {}", profile.name));
  };
  if (lock->file.profile != profile.name)
    refuse(tr("is of the profile '{}', not of '{}'", lock->file.profile, profile.name));
  if (lock->file.profile_sha256 != profile_sha256(profile))
    refuse(tr("was made of another text of the profile '{}'", profile.origin));
  return lock;
}

void require_installed_as_locked(const Host& host, const PacmanConf& conf, const LockFile& lock) {
  std::vector<std::string> problems;
  std::string files;
  for (const auto& locked : lock.files) {
    const auto& package = locked.package;
    const auto entry = conf.dbpath / "local" / (package.name + "-" + package.version.text());
    if (!is_there(entry / "mtree") || sha256_file(entry / "mtree") == locked.mtree) continue;
    problems.push_back(tr("{} {} is installed, but not from the file that the lock '{}' names", package.name,
                          package.version.text(), lock.origin));
    const auto stored = host.at(store_folder) / archive_path(*parse_file_name(package.file));
    files += fmt::format(" '{}'", stored.string());
  }
  if (!problems.empty())
    throw Error(join(problems, "\n"),
                fmt::format("sudo cudapin fetch {} && sudo pacman -U{}", lock.profile, files));
}

std::vector<Lock> system_locks(const Host& host) {
  std::vector<fs::path> paths;
  for (const auto& folder : {host.at(site_folder), host.profiles, host.at(subscribed_folder)}) {
    std::error_code missing;
    for (const auto& entry : fs::recursive_directory_iterator(folder, missing))
      if (entry.path().string().ends_with(lock_ending)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Lock> locks;
  for (const auto& path : paths) locks.push_back(read_lock(host, path));
  return locks;
}

std::string place_objection(const Host& host, const fs::path& path) {
  if (!system_folder(host, path).empty()) return {};
  return tr("it does not lie below '{}'", host.at(site_folder).string());
}

}  // namespace cudapin
