// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/package_files.hpp"

#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/transfer_board.hpp"
#include "commands/style.hpp"
#include "commands/way_back.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/local_database.hpp"
#include "system/package_file.hpp"
#include "system/signature.hpp"
#include "system/store.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr auto keyring_folder = "/usr/share/pacman/keyrings";

std::string again(const fs::path& file) { return tr("rm '{0}' '{0}.sig', then run it again", file.string()); }

/// How the file differs from what the lock says, or empty.
std::string difference(const CheckedFile& file, const LockFile& lock) {
  const auto* locked = lock.find_file(file.name.text());
  if (!locked) return tr("'{}' is not in the lock '{}'", file.name.text(), lock.origin);
  if (locked->sha256 == file.sha256 && locked->size == file.size) return {};
  return tr("'{}' is not the file that the lock '{}' names: {} bytes with SHA-256 {}, not {} with {}",
            file.path.string(), lock.origin, file.size, file.sha256, locked->size, locked->sha256);
}

void require_exact(std::span<const CheckedFile> files, const LockFile& lock) {
  std::vector<std::string> problems;
  std::string hint;
  for (const auto& file : files)
    if (auto problem = difference(file, lock); !problem.empty()) {
      problems.push_back(std::move(problem));
      if (hint.empty()) hint = again(file.path);
    }
  if (!problems.empty()) throw Error(join(problems, "\n"), hint);
}

CheckedFile check_file(const Checks& checks, const fs::path& path) {
  CheckedFile file{.name = *parse_file_name(path.filename().string()),
                   .path = path,
                   .size = fs::file_size(path),
                   .sha256 = sha256_file(path),
                   .signature = check_signature(path, checks.conf.gpg_dir)};
  if (may_be_vouched(file.signature.state))
    for (const auto& lock : checks.vouching)
      if (lock.vouches_for(file.name.text(), file.sha256)) file.vouching = lock.file.origin;
  return file;
}

/// What a person can do about it, safely. A key that is gone for good comes back with no keyring.
std::string remedy_of(const CheckedFile& file, const std::string& profile) {
  using enum SignatureState;
  const auto state = file.signature.state;
  const auto vouch = profile.empty() ? "" : fmt::format("sudo cudapin lock {} --vouch", profile);
  if (state == unknown_key && !file.keyring.empty()) return "pacman-key --populate";
  if (state == key_revoked || state == key_disabled || state == signature_expired)
    return vouch.empty() ? remedy_for(state, file.path) : vouch;
  const auto remedy = remedy_for(state, file.path);
  return may_be_vouched(state) && !vouch.empty() ? tr("{}; where that does not help: {}", remedy, vouch)
                                                 : remedy;
}

void require_the_package(const Package& found, const CheckedFile& file, const PacmanConf& conf) {
  if (found.name != file.name.name || found.version != file.name.version.text())
    throw Error(tr("'{}' holds {} {} instead of {} {}", file.path.string(), printable(found.name),
                   printable(found.version), file.name.name, file.name.version.text()),
                again(file.path));
  if (found.arch != "any" && std::ranges::find(conf.architectures, found.arch) == conf.architectures.end())
    throw Error(tr("'{}' is built for {}, this system is {}", file.path.string(), printable(found.arch),
                   join(conf.architectures, ", ")),
                again(file.path));
}

/// The installed package that ships the keyring, else the keyring's own name.
std::string owner_of(const LocalDatabase& database, const std::string& keyring) {
  const auto usual = keyring + "-keyring";
  return database.find(usual) ? usual : keyring;
}

std::string signer_text(const CheckedFile& file) {
  std::vector<std::string> parts;
  for (const auto& part : {day_made(file.signature), file.signature.signer, file.signature.fingerprint})
    if (!part.empty()) parts.push_back(part);
  if (!file.keyring.empty()) parts.push_back(tr("key in {}", file.keyring));
  return join(parts, ", ");
}

}  // namespace

Checks checks_with(const Host& host, const PacmanConf& conf, const std::optional<Lock>& lock, bool quiet) {
  Checks checks{host, conf, quiet};
  if (!lock) return checks;
  checks.exact = &lock->file;
  checks.vouching = std::span<const Lock>(&*lock, 1);
  return checks;
}

namespace {

TransferBoard::Form form_of(const Host& host, bool is_quiet) {
  using enum TransferBoard::Form;
  if (host.json_progress) return json;
  if (is_quiet) return quiet;
  return host.err_is_terminal ? terminal : lines;
}

}  // namespace

WantedFile wanted_file(const ProfilePackage& package) {
  return {*parse_file_name(package.file), package.size, package.sha256};
}

std::vector<fs::path> fetch_files(const Host& host, const Sources& sources,
                                  const std::vector<WantedFile>& files, bool quiet) {
  std::uint64_t needed = 0;
  for (const auto& file : files)
    if (!is_whole(sources.store / archive_path(file.name))) needed += file.size;
  if (needed > 0) require_space(sources.store, needed);
  TransferBoard board(*host.err, form_of(host, quiet), host.err_columns);
  const auto paths = fetch(host, sources, files, [&](const DownloadProgress& progress) {
    if (!progress.note.empty()) return board.tell(progress.file, progress.note);
    if (progress.file.ends_with(".sig")) return;
    board.update({progress.file, progress.received, progress.total, progress.rate, progress.is_over});
  });
  for (const auto& path : paths) board.finish(path.filename().string(), fs::file_size(path));
  return paths;
}

std::vector<CheckedFile> check_files(const Checks& checks, const std::vector<fs::path>& files) {
  ProgressBar bar(*checks.host.err, checks.host.err_is_terminal, checks.quiet, checks.host.err_columns);
  std::vector<CheckedFile> checked;
  for (const auto& file : files) {
    checks.host.check_interrupt();
    bar.update(tr("checking {} ({}/{})", file.filename().string(), checked.size() + 1, files.size()), 0, 0,
               0);
    checked.push_back(check_file(checks, file));
  }
  if (checks.exact) require_exact(checked, *checks.exact);
  return checked;
}

bool is_accepted(const CheckedFile& file) {
  return file.signature.state == SignatureState::good || !file.vouching.empty();
}

void require_accepted(const Checks& checks, std::span<const CheckedFile> files, const std::string& profile) {
  std::vector<CheckedFile> refused;
  std::ranges::remove_copy_if(files, std::back_inserter(refused), is_accepted);
  if (refused.empty()) return;
  find_keyrings(checks.host, checks.conf, refused);
  std::vector<std::string> problems;
  for (const auto& file : refused)
    problems.push_back(tr("'{}' is not accepted: {}", file.path.string(), sentence_of(file.signature)));
  throw Error(join(problems, "\n"), remedy_of(refused[0], profile));
}

std::vector<Package> check_archives(const Checks& checks, std::span<const CheckedFile> files) {
  ProgressBar bar(*checks.host.err, checks.host.err_is_terminal, checks.quiet, checks.host.err_columns);
  std::vector<Package> descriptions;
  for (const auto& file : files) {
    checks.host.check_interrupt();
    descriptions.push_back(verify_package_archive(file.path, [&](std::uint64_t done) {
      bar.update(tr("verifying {}", file.name.name), done, file.size, 0);
      checks.host.check_interrupt();
    }));
    require_the_package(descriptions.back(), file, checks.conf);
  }
  return descriptions;
}

void find_keyrings(const Host& host, const PacmanConf& conf, std::vector<CheckedFile>& files) {
  const auto keys = shipped_keys(host.at(keyring_folder));
  if (keys.empty()) return;
  const LocalDatabase database(conf);
  for (auto& file : files) {
    const auto& wanted = file.signature.fingerprint;
    const auto found = std::ranges::find_if(
        keys, [&](const auto& key) { return !wanted.empty() && key.first.ends_with(wanted); });
    if (found != keys.end()) file.keyring = owner_of(database, found->second);
  }
}

std::string signatures_text(std::span<const CheckedFile> files, const Host& host) {
  std::vector<Row> rows;
  for (const auto& file : files) {
    const auto word = word_text(file.signature.state);
    rows.push_back({file.name.name + " " + file.name.version.text(),
                    file.vouching.empty() ? word : tr("vouched for: {}", word), signer_text(file)});
  }
  return table(rows, style_of(host));
}

std::string signatures_json(std::span<const CheckedFile> files) {
  auto packages = nlohmann::json::array();
  for (const auto& file : files)
    packages.push_back({{"name", file.name.name},
                        {"version", file.name.version.text()},
                        {"path", file.path.string()},
                        {"size", file.size},
                        {"sha256", file.sha256},
                        {"signature", word_of(file.signature.state)},
                        {"signer", file.signature.signer},
                        {"fingerprint", file.signature.fingerprint},
                        {"made", day_made(file.signature)},
                        {"keyring", file.keyring},
                        {"vouched_by", file.vouching}});
  return json_text({{"schema", 1}, {"packages", packages}});
}

}  // namespace cudapin
