// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/snapshot.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/download.hpp"
#include "system/files.hpp"
#include "system/http.hpp"
#include "system/private_folder.hpp"
#include "system/repositories.hpp"
#include "system/store.hpp"
#include "system/unprivileged.hpp"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Arch's; community went into extra in 2023.
const std::vector<std::string> arch_repositories{"core", "extra", "community", "multilib"};

/// Where indexes are looked for: root's, which all may read, and our own. What other people keep is never
/// read by root.
std::vector<fs::path> index_folders(const Host& host) {
  std::vector<fs::path> folders{host.at(state_folder) / "snapshots"};
  if (const auto own = host.cache_folder("snapshots"); !own.empty() && own != folders[0])
    folders.push_back(own);
  return folders;
}

std::optional<RepositoryIndex> kept_index(const Host& host, const std::string& name) {
  constexpr std::size_t largest = 64u << 20;
  for (const auto& folder : index_folders(host)) {
    std::error_code missing;
    if (!fs::exists(folder / name, missing)) continue;
    if (auto index = RepositoryIndex::parse(read_file(folder / name, largest))) return index;
  }
  return std::nullopt;
}

/// A folder that cannot be written to costs the next command the reading again, no more.
void keep(const Host& host, const std::string& name, const std::string& text) {
  const auto folder = host.cache_folder("snapshots");
  if (folder.empty() || !host.keeps_caches) return;
  try {
    make_folders(folder);
    replace_file(folder / name, text);
  } catch (const Error&) {
    return;
  }
}

/// A file of the archive at `base`, which is a URL or a folder.
bool get(const Host& host, const std::string& base, const std::string& path, const fs::path& target) {
  if (scheme_of(base).empty()) {
    std::error_code error;
    return fs::copy_file(fs::path(base) / path, target, error);
  }
  return download(host, base + (base.ends_with('/') ? "" : "/") + path, target, {}) == DownloadOutcome::done;
}

/// Decodes the databases, unprivileged; they need no right but to read them and the folders that they lie in.
std::string read_index(const Host& host, const fs::path& dbpath, const std::vector<std::string>& names) {
  const auto folder = open_file(dbpath, O_PATH | O_DIRECTORY);
  const int fd = folder.get();
  return run_unprivileged(host, {&fd, 1}, [&](const Host&, const Tell&) -> Message {
    return index_text(read_repositories(fmt::format("/proc/self/fd/{}", fd), names, dbpath));
  });
}

std::string folder_of(const std::string& day) {
  return fmt::format("repos/{}/{}/{}", day.substr(0, 4), day.substr(5, 2), day.substr(8, 2));
}

/// The databases of that day; false when the archive has no such day.
bool get_databases(const Host& host, const std::string& base, const std::string& day,
                   const fs::path& dbpath) {
  bool any = false;
  for (const auto& name : arch_repositories) {
    const auto target = dbpath / "sync" / (name + ".db");
    const bool got =
        get(host, base, fmt::format("{}/{}/os/x86_64/{}.db", folder_of(day), name, name), target);
    if (!got && name == "core") return false;
    any |= got;
  }
  return any;
}

/// "2020-10" of "2020-11" and "2019-12" of "2020-01".
std::string month_before(const std::string& month) {
  const int year = std::stoi(month.substr(0, 4));
  const int number = std::stoi(month.substr(5, 2));
  return number == 1 ? fmt::format("{}-12", year - 1) : fmt::format("{}-{:02}", year, number - 1);
}

std::vector<std::string> days_of(const Host& host, const std::string& base, const std::string& month,
                                 const fs::path& scratch) {
  const auto folder = fmt::format("repos/{}/{}/", month.substr(0, 4), month.substr(5, 2));
  std::vector<std::string> days;
  if (!scheme_of(base).empty()) {
    if (!get(host, base, folder, scratch)) return {};
    days = days_in_page(read_file(scratch, 1u << 20));
    fs::remove(scratch);
  } else {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(fs::path(base) / folder, missing))
      days.push_back(entry.path().filename());
  }
  std::ranges::sort(days);
  return days;
}

/// The last day before `day` that the archive lists in that month or the one before, or empty.
std::string earlier_day(const Host& host, const std::string& base, const std::string& day,
                        const fs::path& scratch) {
  auto month = day.substr(0, 7);
  for (int months = 0; months < 2; ++months, month = month_before(month)) {
    const auto days = days_of(host, base, month, scratch);
    for (auto found = days.rbegin(); found != days.rend(); ++found)
      if (const auto candidate = month + "-" + *found; candidate < day) return candidate;
  }
  return {};
}

/// Fetches and reads what `base` has for the day; the day it really is, and its index.
std::optional<std::pair<std::string, std::string>> fetch_snapshot(const Host& host, const std::string& base,
                                                                  std::string day) {
  const PrivateFolder scratch("snapshot");
  fs::create_directory(scratch.path() / "sync");
  // An empty database of what is installed, which libalpm would make where it may.
  fs::create_directory(scratch.path() / "local");
  replace_file(scratch.path() / "local/ALPM_DB_VERSION", "9\n");
  if (!get_databases(host, base, day, scratch.path())) {
    day = earlier_day(host, base, day, scratch.path() / "page");
    if (day.empty() || !get_databases(host, base, day, scratch.path())) return std::nullopt;
  }
  fs::permissions(scratch.path(), fs::perms(0755));  // they are no secret
  return std::pair(day, read_index(host, scratch.path(), arch_repositories));
}

/// "2020-10-12" -> the day and the index's name, as a former command noted them.
std::optional<Snapshot> kept_snapshot(const Host& host, const std::string& day) {
  for (const auto& folder : index_folders(host)) {
    const auto words = split(read_file_if_exists(folder / day), " \n");
    if (words.size() != 2) continue;
    if (auto index = kept_index(host, "index-" + words[1])) return Snapshot{std::move(*index), words[0]};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> days_in_page(std::string_view page) {
  constexpr std::string_view start = "href=\"";
  std::vector<std::string> days;
  for (auto at = page.find(start); at != page.npos; at = page.find(start, at + 1)) {
    auto link = page.substr(at + start.size(), 5);
    if (link.starts_with("./")) link.remove_prefix(2);
    if (link.size() >= 3 && std::isdigit(static_cast<unsigned char>(link[0])) &&
        std::isdigit(static_cast<unsigned char>(link[1])) && link[2] == '/')
      days.emplace_back(link.substr(0, 2));
  }
  return days;
}

std::optional<Snapshot> snapshot_of(const Host& host, const Sources& sources, const std::string& day,
                                    std::string& problem) {
  if (day.empty()) return problem = tr_text("the profile names no snapshot"), std::nullopt;
  if (auto kept = kept_snapshot(host, day)) return kept;
  std::vector<std::string> refusals;
  for (const auto& base : sources.archives) {
    const auto shown = printable(shown_url(base));
    const auto place = scheme_of(base) == "file" ? percent_decode(base.substr(7)) : base;
    if (sources.offline && !scheme_of(place).empty()) continue;
    try {
      if (auto got = fetch_snapshot(host, place, day)) {
        const auto hash = sha256_text(got->second);
        keep(host, "index-" + hash, got->second);
        keep(host, day, got->first + " " + hash + "\n");
        if (auto index = RepositoryIndex::parse(std::move(got->second)))
          return Snapshot{std::move(*index), got->first};
      }
      refusals.push_back(tr("'{}' has no repositories of {} or shortly before", shown, day));
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      refusals.push_back(fmt::format("'{}': {}", shown, error.what()));
    }
  }
  problem = refusals.empty() ? tr_text("no archive may be asked for it") : join(refusals, "; ");
  return std::nullopt;
}

std::optional<RepositoryIndex> repositories_of(const Host& host, const PacmanConf& conf) {
  std::string hashes;
  for (const auto& name : conf.repositories)
    if (const auto file = conf.dbpath / "sync" / (name + ".db"); fs::exists(file))
      hashes += name + sha256_file(file);
  if (hashes.empty()) return std::nullopt;
  const auto name = "index-" + sha256_text(hashes);
  if (auto index = kept_index(host, name)) return index;
  const auto text = read_index(host, conf.dbpath, conf.repositories);
  keep(host, name, text);
  return RepositoryIndex::parse(text);
}

}  // namespace cudapin
