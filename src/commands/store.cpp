// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/store.hpp"

#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/package_files.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/journal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

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

void find_needs(const Host& host, std::vector<Stored>& files) {
  Versions pins;
  add_state(pins, read_state(host));
  const std::pair<const char*, Versions> reasons[] = {{"pinned", pins},
                                                      {"recover", versions_of(pending_journal(host))},
                                                      {"undo", versions_of(last_change(host))}};
  std::set<std::string> locked;
  for (const auto& lock : system_locks(host))
    for (const auto& file : lock.file.files) locked.insert(file.package.file);
  for (auto& file : files) {
    for (const auto& [word, versions] : reasons) {
      const auto [begin, end] = versions.equal_range(file.name.name);
      if (file.needed_by.empty() && std::any_of(begin, end, [&](const auto& version) {
            return version.second == file.name.version.text();
          }))
        file.needed_by = word;
    }
    if (file.needed_by.empty() && locked.contains(file.name.text())) file.needed_by = "lock";
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
    *host.out << json_text(nlohmann::json{{"schema", 1}, {"packages", packages}});
    return;
  }
  std::vector<Row> rows;
  for (const auto& file : files) rows.push_back({file.name.text(), size_text(file.size), file.needed_by});
  *host.out << table(rows, style_of(host));
  if (files.empty() && !options.quiet) *host.out << tr_text("the store is empty\n");
}

/// What `store verify` found of one file: its bytes and its signature.
struct Verdict {
  std::optional<CheckedFile> checked;
  std::string problem;  ///< of its bytes, or empty
};

Verdict judge_file(const Checks& checks, const Stored& file) {
  Verdict verdict;
  try {
    verdict.checked = check_files(checks, {file.path})[0];
    check_archives(checks, std::span<const CheckedFile>(&*verdict.checked, 1));
  } catch (const Error& error) {
    if (error.status == ExitStatus::interrupted) throw;
    verdict.problem = error.what();
  }
  return verdict;
}

/// Every byte against .MTREE, and the signature explained; a file without one is only told of, for it may be
/// the person's own build.
ExitStatus verify_files(const StoreOptions& options, const Host& host, const std::vector<Stored>& stored) {
  const auto conf = read_pacman_conf(host);
  const auto locks = system_locks(host);
  const Checks checks{.host = host, .conf = conf, .quiet = options.quiet, .vouching = locks};
  std::vector<CheckedFile> files;
  std::vector<std::string> problems;
  for (const auto& file : stored) {
    const auto verdict = judge_file(checks, file);
    if (!verdict.problem.empty()) problems.push_back(verdict.problem);
    if (verdict.checked) files.push_back(*verdict.checked);
  }
  find_keyrings(host, conf, files);
  for (const auto& file : files)
    if (!is_accepted(file) && file.signature.state != SignatureState::missing)
      problems.push_back(fmt::format("'{}': {}", file.path.string(), sentence_of(file.signature)));
  if (!options.quiet) *host.out << signatures_text(files, host);
  for (const auto& problem : problems) *host.out << printable(problem) << '\n';
  return problems.empty() ? ExitStatus::done : ExitStatus::failed;
}

void prune(const StoreOptions& options, const Host& host, const std::vector<Stored>& files) {
  std::map<std::string, int> seen;
  std::uint64_t freed = 0;
  for (const auto& file : files) {
    if (seen[file.name.name]++ < options.keep || !file.needed_by.empty()) continue;
    freed += file.size;
    if (!options.quiet)
      *host.out << fmt::format("{}{}\n", options.dry_run ? tr_text("would remove ") : "", file.name.text());
    if (options.dry_run) continue;
    const FileLock lock(host, file.path);
    remove_stored(file.path.string() + ".sig");
    remove_stored(file.path);
  }
  if (!options.quiet)
    *host.out << fmt::format("{} {}\n", size_text(freed),
                             options.dry_run ? tr_text("to free") : tr_text("freed"));
}

}  // namespace

ExitStatus store(const StoreOptions& options, const Host& host) {
  if (options.action == "prune" && !options.dry_run) {
    if (!host.privileged) throw Error(tr_text("only root can prune the store"), "sudo cudapin store prune");
    const StateLock lock(host);
    auto files = stored_files(host);
    find_needs(host, files);
    prune(options, host, files);
    return ExitStatus::done;
  }
  auto files = stored_files(host);
  if (options.action == "verify") return verify_files(options, host, files);
  find_needs(host, files);
  if (options.action == "prune")
    prune(options, host, files);
  else
    list_files(options, host, files);
  return ExitStatus::done;
}

}  // namespace cudapin
