// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/package_files.hpp"
#include "commands/profiles.hpp"
#include "commands/resolving.hpp"
#include "commands/style.hpp"
#include "commands/way_back.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "core/yaml.hpp"
#include "system/files.hpp"
#include "system/local_database.hpp"
#include "system/package_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// The lock that was there before, when it says nothing against itself: what it vouches for stays vouched
/// for.
std::vector<Lock> former_lock(const Host& host, const Profile& profile) {
  try {
    if (auto lock = find_lock(host, profile); lock && lock->objection.empty()) return {*std::move(lock)};
  } catch (const yaml::InvalidFile&) {  // it is about to be replaced
  }
  return {};
}

/// A lock that could not vouch would be written in vain: found out before anything is fetched.
void require_own_place(const Host& host, const fs::path& path) {
  if (const auto objection = place_objection(host, path); !objection.empty())
    throw Error(tr("the lock '{}' could not vouch for anything: {}", path.string(), objection),
                tr("put the profile into '{}'", host.at("/etc/cudapin/profiles").string()));
}

std::string vouching_text(const CheckedFile& file) {
  return tr("{} {}: {}\n  SHA-256  {}\n  signer   {}\n  key      {}\n  made     {}\n  {}\n", file.name.name,
            file.name.version.text(), word_text(file.signature.state), file.sha256,
            file.signature.signer.empty() ? tr_text("not known") : file.signature.signer,
            file.keyring.empty() ? tr("{}, in no installed keyring package", file.signature.fingerprint)
                                 : tr("{}, in {}", file.signature.fingerprint, file.keyring),
            day_made(file.signature), sentence_of(file.signature));
}

/// Shows what pacman refuses although it is the very file that was signed, and takes a typed yes.
void vouch(const LockOptions& options, const Host& host, const fs::path& path,
           std::vector<CheckedFile>& files) {
  std::vector<CheckedFile*> open;
  for (auto& file : files)
    if (file.vouching.empty() && may_be_vouched(file.signature.state)) open.push_back(&file);
  if (!options.vouch || open.empty()) return;
  if (!host.in_is_terminal)
    throw Error(tr_text("nobody can vouch: the input is not a terminal"),
                fmt::format("sudo cudapin lock {} --vouch", printable(options.profile)), ExitStatus::usage);
  *host.out << fitted(
      host,
      tr_text(
          "pacman's keyring refuses the signatures of these files. Each is the file that was signed; whether "
          "the signer's word still counts is yours to say.\n\n"));
  for (const auto* file : open) *host.out << vouching_text(*file) << '\n';
  *host.out << tr_text(":: Let in these bytes, and no others, from now on? Type 'yes': ") << std::flush;
  std::string answer;
  if (!std::getline(*host.in, answer) || trim(answer) != "yes")
    throw Error(tr_text("nothing was vouched for: the answer was not 'yes'"));
  for (auto* file : open) file->vouching = path.string();
}

LockFile lock_from(const Profile& profile, std::span<const CheckedFile> files,
                   const std::vector<std::string>& found) {
  LockFile lock{
      .profile = profile.name, .profile_sha256 = profile_sha256(profile), .files = {}, .origin = {}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    LockedFile locked{.package = profile.packages[i],
                      .size = files[i].size,
                      .sha256 = files[i].sha256,
                      .mtree = mtree_sha256(files[i].path),
                      .signer = files[i].signature.fingerprint,
                      .found = found[i]};
    locked.package.file = files[i].name.text();
    if (!files[i].vouching.empty()) locked.vouched = files[i].signature.state;
    lock.files.push_back(std::move(locked));
  }
  return lock;
}

/// Written anew, never into what somebody else may have put there.
void write_lock(const Host& host, const fs::path& path, const LockFile& lock) {
  make_folders(path.parent_path());
  std::error_code ignored;
  if (fs::is_symlink(path)) fs::remove(path, ignored);
  fs::remove(path.string() + std::string(signature_ending), ignored);  // it was another lock's
  replace_file(path, lock_text(lock));
  if (!lock.has_vouches()) return;
  const auto profile_lock = read_lock(host, path);
  if (!profile_lock.objection.empty())
    throw Error(tr("the lock '{}' is written, but may not vouch: {}", path.string(), profile_lock.objection),
                fmt::format("sudo chown root:root '{0}' && sudo chmod go-w '{0}'", path.string()));
}

}  // namespace

ExitStatus lock(const LockOptions& options, const Host& host) {
  auto profile = load_profile(host, options.profile);
  const auto path = lock_path(host, profile);
  if (!host.privileged)
    throw Error(tr_text("only root can fill the store, which a lock is made from"),
                fmt::format("sudo cudapin lock {}", printable(options.profile)));
  if (options.vouch) require_own_place(host, path);
  const auto conf = read_pacman_conf(host);
  const auto former = former_lock(host, profile);
  const auto sources = sources_of(host, conf, options.archives, options.offline);
  Repositories repositories(host, conf);
  profile = resolve_here(host, conf, sources, profile, LocalDatabase(conf).all(), repositories).profile;
  std::vector<WantedFile> names;
  std::vector<std::string> found;
  for (const auto& package : profile.packages) {
    names.push_back(wanted_file(package));
    found.push_back(locate(sources, names.back().name));
  }
  const Checks checks{.host = host, .conf = conf, .quiet = options.quiet, .vouching = former};
  auto files = check_files(checks, fetch_files(host, sources, names, options.quiet));
  find_keyrings(host, conf, files);
  vouch(options, host, path, files);
  require_accepted(checks, files, options.profile);
  check_archives(checks, files);
  write_lock(host, path, lock_from(profile, files, found));
  if (options.quiet) return ExitStatus::done;
  *host.out << signatures_text(files, host) << tr("{} names these {} files\n", path.string(), files.size());
  return ExitStatus::done;
}

}  // namespace cudapin
