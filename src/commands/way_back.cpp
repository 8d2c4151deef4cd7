// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/way_back.hpp"

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/distribution.hpp"
#include "system/package_file.hpp"
#include "system/store.hpp"

#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

// What the database, the log and the configuration may take besides the packages.
constexpr std::uint64_t reserve = 8 << 20;

std::optional<fs::path> find_in(const fs::path& folder, const std::string& name, const std::string& version) {
  std::error_code missing;
  for (const auto& file : fs::directory_iterator(folder, missing)) {
    const auto parsed = parse_file_name(file.path().filename().string());
    if (parsed && parsed->name == name && parsed->version.text() == version && is_whole(file.path()))
      return file.path();
  }
  return std::nullopt;
}

fs::path shelf(const Host& host, const std::string& name, const std::string& version) {
  return (host.at(store_folder) / archive_path({name, *Version::parse(version), "any", ""})).parent_path();
}

}  // namespace

std::optional<fs::path> find_package_file(const Host& host, const PacmanConf& conf, const std::string& name,
                                          const std::string& version) {
  if (!Version::parse(version)) return std::nullopt;
  if (auto stored = find_in(shelf(host, name, version), name, version)) return stored;
  for (const auto& cache : conf.cache_dirs)
    if (auto cached = find_in(cache, name, version)) return cached;
  return std::nullopt;
}

std::optional<fs::path> keep_in_store(const Host& host, const PacmanConf& conf, const std::string& name,
                                      const std::string& version) {
  const auto found = find_package_file(host, conf, name, version);
  if (!found) return std::nullopt;
  const auto folder = shelf(host, name, version);
  if (found->parent_path() == folder) return found;
  verify_package_archive(*found);
  make_store_folder(folder);
  const auto target = folder / found->filename();
  const FileLock lock(host, target);
  for (const auto* ending : {"", ".sig"})
    if (auto file = open_below(found->parent_path(), found->filename().string() + ending); file.fd) {
      require_space(folder, fs::file_size(file.path));
      copy_into_store(host, file, target.string() + ending);
    }
  return target;
}

void keep_way_back(const Host& host, const PacmanConf& conf, std::vector<JournalPackage>& packages) {
  for (auto& package : packages) {
    if (package.from.empty()) continue;
    host.check_interrupt();
    std::string reason = tr_text("its package file is in no cache");
    try {
      if (const auto file = keep_in_store(host, conf, package.name, package.from)) {
        package.file_before = file->string();
        package.sha256_before = sha256_file(*file);
        continue;
      }
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      reason = error.what();
    }
    *host.err << tr("warning: the way back to {} {} will need the archive: {}\n", package.name, package.from,
                    printable(reason));
  }
}

Sources sources_of(const Host& host, const PacmanConf& conf, const std::vector<std::string>& archives,
                   bool offline) {
  Sources sources{host.at(store_folder), conf.cache_dirs, archives, offline, is_manjaro(host)};
  if (!archives.empty()) return sources;
  const auto text = read_file_if_exists(host.at(config_file));
  sources.archives =
      text.empty() ? Config{}.archives : parse_config(text, host.at(config_file).string()).archives;
  return sources;
}

void require_space(const fs::path& folder, std::uint64_t bytes) {
  std::error_code error;
  const auto space = fs::space(folder, error);
  if (error || space.available >= bytes + reserve) return;
  throw Error(tr("not enough space in '{}': {} MiB are needed, {} MiB are free", folder.string(),
                 (bytes + reserve) >> 20, space.available >> 20),
              "cudapin store prune");
}

}  // namespace cudapin
