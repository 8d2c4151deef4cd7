// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/profiles.hpp"
#include "commands/sharing.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/keys.hpp"
#include "system/local_database.hpp"
#include "system/pacman_conf.hpp"
#include "system/state.hpp"
#include "system/trusted_keys.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool is_lock(const fs::path& file) { return file.string().ends_with(lock_ending); }

/// NAME.yaml in the folder, or the file itself, which must be called so.
fs::path export_path(const std::string& output, const std::string& name) {
  const fs::path path = fs::absolute(output).lexically_normal();
  const auto wanted = name + std::string(profile_ending);
  std::error_code ignored;
  if (output.ends_with('/') || fs::is_directory(path, ignored)) return path / wanted;
  if (path.filename() == wanted) return path;
  throw Error(tr("the profile is called '{}', so the file must be '{}'", name, wanted),
              fmt::format("cudapin profile export {} -o '{}'", name,
                          printable((path.parent_path() / wanted).string())));
}

/// The lock for the profile's new text.
void export_lock(const Host& host, const Profile& profile, const std::string& text, const fs::path& file) {
  auto lock = lock_of(host, profile, true)->file;
  lock.profile_sha256 = sha256_text(text);
  with_lock(profile, lock, {});
  replace_file(file, lock_text(lock));
}

/// A file that nobody could use is not worth a signature.
void require_valid(const Host& host, const fs::path& file) {
  if (is_lock(file))
    read_lock(host, file);
  else
    read_profile_file(host, file, file.parent_path());
}

std::map<std::string, std::string> installed_here(const Host& host) {
  std::map<std::string, std::string> installed;
  const auto packages = LocalDatabase(read_pacman_conf(host)).all();
  for (const auto& package : packages) installed[package.name] = package.version;
  return installed;
}

}  // namespace

ExitStatus export_profile(const ProfileOptions& options, const Host& host) {
  const auto profile = load_profile(host, options.words[0]);
  const auto path = export_path(options.output, profile.name);
  const auto text = profile.bases.empty() ? read_file(profile.origin, largest_text) : profile_text(profile);
  const auto lock_file = path.parent_path() / (profile.name + std::string(lock_ending));
  if (options.lock) export_lock(host, profile, text, lock_file);
  replace_file(path, text);
  if (options.quiet) return ExitStatus::done;
  *host.out << path.string() << '\n';
  if (options.lock) *host.out << lock_file.string() << '\n';
  return ExitStatus::done;
}

ExitStatus sign_profile(const ProfileOptions& options, const Host& host) {
  const fs::path file = fs::absolute(options.words[0]).lexically_normal();
  std::vector<fs::path> files{file};
  const auto lock_file = file.parent_path() / (file.stem().string() + std::string(lock_ending));
  if (!is_lock(file) && fs::exists(lock_file)) files.push_back(lock_file);
  for (const auto& one : files) require_valid(host, one);
  for (const auto& one : files) {
    const auto signature = sign_text(read_file(one, largest_text), gpg_home(host), options.key);
    replace_file(one.string() + std::string(signature_ending), signature);
    if (!options.quiet) *host.out << one.string() << signature_ending << '\n';
  }
  return ExitStatus::done;
}

ExitStatus verify_profile(const ProfileOptions& options, const Host& host) {
  const fs::path file = options.words[0];
  const auto text = read_file(file, largest_text);
  const auto signature = read_file_if_exists(file.string() + std::string(signature_ending));
  const auto report = check_trusted(host, text, signature, Role::profile);
  const bool vouches = check_trusted(host, text, signature, Role::vouch).state == SignatureState::good;
  const bool is_good = report.state == SignatureState::good;
  if (options.json)
    *host.out << json_text({{"schema", 1},
                            {"file", file.string()},
                            {"state", word_of(report.state)},
                            {"trusted", is_good},
                            {"role", is_good ? word_of(vouches ? Role::vouch : Role::profile) : ""},
                            {"key", report.key.empty() ? report.fingerprint : report.key},
                            {"signer", report.signer}});
  else if (!options.quiet)
    *host.out << fitted(host, tr("{}: {}{}\n", printable(file.string()), signer_text(report),
                                 vouches ? tr_text(" to vouch") : ""));
  return is_good ? ExitStatus::done : ExitStatus::failed;
}

ExitStatus diff_profiles(const ProfileOptions& options, const Host& host) {
  const auto first = load_profile(host, options.words[0]);
  const bool is_pair = options.words.size() == 2;
  const auto found = is_pair ? differences(first, load_profile(host, options.words[1]))
                             : differences(installed_here(host), first);
  if (options.json) {
    *host.out << json_text({{"schema", 1},
                            {"from", is_pair ? nlohmann::json(options.words[0]) : nlohmann::json(nullptr)},
                            {"to", options.words[is_pair ? 1 : 0]},
                            {"differences", differences_json(found)}});
    return ExitStatus::done;
  }
  if (found.empty())
    *host.out << (is_pair ? tr_text("both profiles come to the same\n")
                          : tr_text("this machine has what the profile names\n"));
  *host.out << differences_text(host, found);
  return ExitStatus::done;
}

ExitStatus remove_profile(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const auto& name = options.words[0];
  const auto known = known_profiles(host);
  const auto found = std::ranges::find(known, name, &ProfileEntry::name);
  const auto file = host.at("/etc/cudapin/profiles") / (name + std::string(profile_ending));
  const bool is_there = is_profile_file_name(name) && fs::exists(fs::symlink_status(file));
  if (!is_there && found != known.end())
    throw Error(
        tr("'{}' is a {} profile, which cannot be removed", name, found->layer),
        found->layer == "subscribed" ? "sudo cudapin profile unsubscribe " + printable(found->source) : "");
  if (!is_there) throw Error(tr("no profile is called '{}'", printable(name)), "cudapin list");
  if (const auto state = read_state(host); state && fs::path(state->origin) == file)
    throw Error(tr("'{}' is in force", name), "sudo cudapin release");
  const StateLock lock(host);
  const auto lock_file = file.parent_path() / (name + std::string(lock_ending));
  for (const auto& one : {file, lock_file}) {
    fs::remove(one);
    fs::remove(one.string() + std::string(signature_ending));
  }
  note(host, "remove " + name, "");
  if (!options.quiet) *host.out << file.string() << tr_text(" is removed\n");
  return ExitStatus::done;
}

}  // namespace cudapin
