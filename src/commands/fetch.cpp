// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"
#include "commands/package_files.hpp"
#include "commands/profiles.hpp"
#include "commands/resolving.hpp"
#include "commands/way_back.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/local_database.hpp"
#include "system/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Where the files go: the store, or with --to a folder that anybody may fill.
fs::path target_of(const FetchOptions& options, const Host& host) {
  if (!options.to.empty()) return fs::absolute(options.to).lexically_normal();
  if (!host.privileged)
    throw Error(tr_text("only root can fill the store"),
                tr_text("sudo cudapin fetch, or add --to with a folder of yours"));
  return host.at(store_folder);
}

/// With --to every file of the profile, for other machines; else those that this machine would install.
std::vector<PackageFileName> files_of(const FetchOptions& options, const Profile& profile,
                                      const std::vector<Package>& installed) {
  std::vector<PackageFileName> names;
  const auto wanted = options.to.empty() ? for_installed(profile, installed) : profile;
  for (const auto& package : wanted.packages) names.push_back(*parse_file_name(package.file));
  return names;
}

void report(const FetchOptions& options, const Host& host, std::span<const CheckedFile> files,
            const fs::path& target) {
  if (options.json) *host.out << signatures_json(files);
  if (options.json || options.quiet) return;
  *host.out << signatures_text(files, host);
  if (!files.empty())
    *host.out << trn("{} file in {}\n", "{} files in {}\n", files.size(), files.size(), target.string());
}

ExitStatus fetch_profile(const FetchOptions& options, const Host& host) {
  const auto& word = options.words[0];
  auto profile = load_profile(host, word);
  const auto lock = lock_of(host, profile, options.locked);
  const auto target = target_of(options, host);
  const auto conf = read_pacman_conf(host);
  const auto installed = LocalDatabase(conf).all();
  if (lock)
    profile =
        with_lock(std::move(profile), lock->file, options.to.empty() ? installed : std::vector<Package>{});
  auto sources = sources_of(host, conf, options.archives, options.offline);
  if (target != sources.store) sources.caches.insert(sources.caches.begin(), sources.store);
  sources.store = target;
  Repositories repositories(host, conf);
  if (!lock) profile = resolve_here(host, conf, sources, profile, installed, repositories).profile;
  const auto checks = checks_with(host, conf, lock, options.quiet);
  const auto paths = fetch_files(host, sources, files_of(options, profile, installed), options.quiet);
  auto files = check_files(checks, paths);
  require_accepted(checks, files, word);
  check_archives(checks, files);
  find_keyrings(host, conf, files);
  report(options, host, files, target);
  return ExitStatus::done;
}

/// A folder inside the target in which a file is checked where nobody else can change it; gone afterwards.
class Staging {
 public:
  explicit Staging(const fs::path& target) : folder_(target / ".import") {
    clear();
    make_store_folder(folder_);
  }
  ~Staging() { clear(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path folder_;
};

FoundFile open_named(const fs::path& file) {
  std::error_code missing;
  const auto real = fs::canonical(file, missing);
  return missing ? FoundFile{} : open_below(real.parent_path(), real.filename().string());
}

/// A browser may have kept `%3A` for the colon in the name.
PackageFileName name_of(const fs::path& file) {
  if (auto name = parse_file_name(percent_decode(file.filename().string()))) return *std::move(name);
  throw Error(
      tr("'{}' is not called like a package file (NAME-VERSION-ARCH.pkg.tar.zst)", printable(file.string())),
      tr_text("give it the name that it has in the archive"));
}

/// The checked copy of one file and its signature in the staging folder.
CheckedFile stage(const Checks& checks, const Staging& staging, const fs::path& file) {
  const auto name = name_of(file);
  const auto package = open_named(file);
  if (!package.fd)
    throw Error(tr("'{}' is no file, or an empty one", printable(file.string())),
                fmt::format("ls -l '{}'", printable(file.string())));
  const auto copy = staging / name.text();
  require_space(copy.parent_path(), fs::file_size(file));
  copy_into_store(checks.host, package, copy);
  if (const auto signature = open_named(file.string() + ".sig"); signature.fd)
    copy_into_store(checks.host, signature, copy.string() + ".sig");
  const auto checked = check_files(checks, {copy});
  require_accepted(checks, checked, "");
  check_archives(checks, checked);
  return checked[0];
}

/// Puts the pair in its place: first the signature, so that the package never stands there without it.
void settle_in(const Host& host, const fs::path& target, CheckedFile& file) {
  const auto place = target / archive_path(file.name);
  make_store_folder(place.parent_path());
  const FileLock lock(host, place);
  remove_stored(place);
  fs::rename(file.path.string() + ".sig", place.string() + ".sig");
  fs::rename(file.path, place);
  sync_path(place.parent_path());
  file.path = place;
}

/// In terms of the person's own path, not of the copy that was checked.
std::string told_of(const std::string& text, const fs::path& copy, const std::string& file) {
  std::string told = text;
  for (auto at = told.find(copy.string()); at != told.npos; at = told.find(copy.string(), at + file.size()))
    told.replace(at, copy.string().size(), file);
  return told;
}

ExitStatus import_files(const FetchOptions& options, const Host& host) {
  const auto target = target_of(options, host);
  const auto conf = read_pacman_conf(host);
  const auto locks = system_locks(host);
  const Checks checks{.host = host, .conf = conf, .quiet = options.quiet, .vouching = locks};
  make_store_folder(target);
  const FileLock alone(host, target / ".import");
  std::vector<CheckedFile> taken;
  std::vector<std::string> refused;
  std::string hint;
  for (const auto& file : options.words) {
    const Staging staging(target);
    try {
      taken.push_back(stage(checks, staging, file));
      settle_in(host, target, taken.back());
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      const auto copy = staging / percent_decode(fs::path(file).filename().string());
      refused.push_back(told_of(error.what(), copy, file));
      if (hint.empty()) hint = told_of(error.hint, copy, file);
    }
  }
  find_keyrings(host, conf, taken);
  report(options, host, taken, target);
  if (!refused.empty()) throw Error(join(refused, "\n"), hint);
  return ExitStatus::done;
}

}  // namespace

ExitStatus fetch(const FetchOptions& options, const Host& host) {
  return options.import_files ? import_files(options, host) : fetch_profile(options, host);
}

}  // namespace cudapin
