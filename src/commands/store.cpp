// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/store.hpp"

#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "core/text.hpp"
#include "system/journal.hpp"
#include "system/package_file.hpp"
#include "system/signature.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

struct Stored {
  PackageFileName name;
  fs::path path;
  std::uint64_t size = 0;
  std::string needed_by;  ///< empty: nothing but `--keep`
};

/// Newest first within a package.
bool comes_before(const Stored& left, const Stored& right) {
  if (left.name.name != right.name.name) return left.name.name < right.name.name;
  return compare_versions(left.name.version.text(), right.name.version.text()) > 0;
}

std::vector<Stored> stored_files(const Host& host) {
  std::vector<Stored> files;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(host.at(store_folder), missing))
    if (auto name = parse_file_name(entry.path().filename().string()); name && is_whole(entry.path()))
      files.push_back({*name, entry.path(), entry.file_size(), ""});
  std::ranges::sort(files, comes_before);
  return files;
}

using Versions = std::multimap<std::string, std::string>;

void add_state(Versions& needed, const std::optional<State>& state) {
  if (state) needed.insert(state->pins.begin(), state->pins.end());
}

/// Both sides of a change: undo goes back, and undo of undo forward again.
Versions versions_of(const std::optional<JournalRecord>& record) {
  Versions needed;
  if (!record) return needed;
  add_state(needed, record->before);
  add_state(needed, record->after);
  for (const auto& package : record->packages) {
    needed.emplace(package.name, package.from);
    needed.emplace(package.name, package.to);
  }
  return needed;
}

/// The text of every file below /etc/cudapin: locks and profiles of this site name package files in full.
std::string site_text(const Host& host) {
  std::string text;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(host.at("/etc/cudapin"), missing))
    if (entry.is_regular_file() && entry.file_size() < (16 << 20)) text += read_file(entry.path()) + "\n";
  return text;
}

void find_needs(const Host& host, std::vector<Stored>& files) {
  Versions pins;
  add_state(pins, read_state(host));
  const std::pair<const char*, Versions> reasons[] = {{"pinned", pins},
                                                      {"recover", versions_of(pending_journal(host))},
                                                      {"undo", versions_of(last_change(host))}};
  const auto site = site_text(host);
  for (auto& file : files) {
    for (const auto& [word, versions] : reasons) {
      const auto [begin, end] = versions.equal_range(file.name.name);
      if (file.needed_by.empty() && std::any_of(begin, end, [&](const auto& version) {
            return version.second == file.name.version.text();
          }))
        file.needed_by = word;
    }
    if (file.needed_by.empty() && site.find(file.name.text()) != site.npos) file.needed_by = "/etc/cudapin";
  }
}

std::string size_text(std::uint64_t bytes) {
  return bytes < (1 << 20) ? fmt::format("{} KiB", (bytes + 1023) >> 10)
                           : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void list_files(const StoreOptions& options, const Host& host, const std::vector<Stored>& files) {
  if (options.json) {
    auto packages = nlohmann::json::array();
    for (const auto& file : files)
      packages.push_back({{"name", file.name.name},
                          {"version", file.name.version.text()},
                          {"path", file.path.string()},
                          {"size", file.size},
                          {"needed_by", file.needed_by}});
    *host.out << nlohmann::json{{"schema", 1}, {"packages", packages}}.dump(2) << '\n';
    return;
  }
  std::vector<Row> rows;
  for (const auto& file : files) rows.push_back({file.name.text(), size_text(file.size), file.needed_by});
  *host.out << table(rows, {host.out_is_terminal && host.variable("NO_COLOR").empty(), host.columns});
  if (files.empty() && !options.quiet) *host.out << "the store is empty\n";
}

/// Every byte against .MTREE and the signature; a file without a signature is told of, for it may be the
/// person's own build.
ExitStatus verify_files(const Host& host, const std::vector<Stored>& files) {
  const auto conf = read_pacman_conf(host);
  auto result = ExitStatus::done;
  for (const auto& file : files) {
    host.check_interrupt();
    try {
      verify_package_archive(file.path);
      if (is_whole(file.path.string() + ".sig")) {
        require_good_signature(file.path, conf.gpg_dir);
        *host.out << fmt::format("{}: good\n", file.name.text());
      } else {
        *host.out << fmt::format("{}: whole, but has no signature\n", file.name.text());
      }
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      *host.out << fmt::format("{}: {}\n", file.name.text(), printable(error.what()));
      result = ExitStatus::failed;
    }
  }
  return result;
}

void prune(const StoreOptions& options, const Host& host, const std::vector<Stored>& files) {
  std::map<std::string, int> seen;
  std::uint64_t freed = 0;
  for (const auto& file : files) {
    if (seen[file.name.name]++ < options.keep || !file.needed_by.empty()) continue;
    freed += file.size;
    if (!options.quiet)
      *host.out << fmt::format("{}{}\n", options.dry_run ? "would remove " : "", file.name.text());
    if (options.dry_run) continue;
    const FileLock lock(host, file.path);
    remove_stored(file.path.string() + ".sig");
    remove_stored(file.path);
  }
  if (!options.quiet)
    *host.out << fmt::format("{} {}\n", size_text(freed), options.dry_run ? "to free" : "freed");
}

}  // namespace

ExitStatus store(const StoreOptions& options, const Host& host) {
  if (options.action == "prune" && !options.dry_run) {
    if (!host.privileged) throw Error("only root can prune the store", "sudo cudapin store prune");
    const StateLock lock(host);
    auto files = stored_files(host);
    find_needs(host, files);
    prune(options, host, files);
    return ExitStatus::done;
  }
  auto files = stored_files(host);
  find_needs(host, files);
  if (options.action == "verify") return verify_files(host, files);
  if (options.action == "prune")
    prune(options, host, files);
  else
    list_files(options, host, files);
  return ExitStatus::done;
}

}  // namespace cudapin
