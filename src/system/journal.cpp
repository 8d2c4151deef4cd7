// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/journal.hpp"

#include "core/error.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr int schema = 1;

fs::path folder(const Host& host) { return host.at(state_folder) / "journal"; }

fs::path last_file(const Host& host) { return host.at(state_folder) / "last-change.json"; }

fs::path entry_path(const PacmanConf& conf, const std::string& name, const std::string& version) {
  return conf.dbpath / "local" / (name + "-" + version);
}

nlohmann::json to_value(const std::optional<State>& state) {
  return state ? nlohmann::json(to_json(*state)) : nlohmann::json(nullptr);
}

std::optional<State> to_state(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  return parse_state(value.get<std::string>(), "journal");
}

nlohmann::json to_value(const JournalPackage& package) {
  return {{"name", package.name},
          {"from", package.from},
          {"to", package.to},
          {"file", package.file},
          {"sha256", package.sha256},
          {"dependency", package.reason == Reason::dependency},
          {"file_before", package.file_before},
          {"sha256_before", package.sha256_before}};
}

JournalPackage to_package(const nlohmann::json& value) {
  return {
      value.at("name"),        value.at("from"),
      value.at("to"),          value.at("file"),
      value.at("sha256"),      value.at("dependency").get<bool>() ? Reason::dependency : Reason::explicitly,
      value.at("file_before"), value.at("sha256_before")};
}

std::string to_text(const JournalRecord& record) {
  nlohmann::json json{{"schema", schema},
                      {"command", record.command},
                      {"why", record.why},
                      {"user", record.user},
                      {"time", record.time},
                      {"before", to_value(record.before)},
                      {"after", to_value(record.after)},
                      {"packages", nlohmann::json::array()}};
  for (const auto& package : record.packages) json["packages"].push_back(to_value(package));
  return json.dump(2) + "\n";
}

JournalRecord parse_record(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  if (json.at("schema").get<int>() != schema)
    throw Error(tr_text("the journal was written by another cudapin version"));
  JournalRecord record{json.at("command"),
                       json.at("why"),
                       json.at("user"),
                       json.at("time"),
                       {},
                       to_state(json.at("before")),
                       to_state(json.at("after"))};
  for (const auto& package : json.at("packages")) record.packages.push_back(to_package(package));
  return record;
}

std::optional<JournalRecord> read_record(const fs::path& file, const std::string& hint) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return std::nullopt;
  try {
    return parse_record(read_file(file));
  } catch (const nlohmann::json::exception&) {
    throw Error(tr("'{}' is damaged", file.string()), hint);
  }
}

/// A copy of a folder of plain files, every one of them synced.
void copy_entry(const fs::path& from, const fs::path& to) {
  make_folders(to);
  for (const auto& file : fs::directory_iterator(from)) {
    const auto target = to / file.path().filename();
    fs::copy_file(file.path(), target, fs::copy_options::overwrite_existing);
    sync_path(target);
  }
  sync_path(to);
}

bool is_whole(const fs::path& entry) {
  return std::ranges::all_of(std::array{"desc", "files"}, [&](const char* name) {
    std::error_code error;
    return fs::file_size(entry / name, error) > 0 && !error;
  });
}

/// Entry folders of exactly this package: NAME-PKGVER-PKGREL.
std::vector<fs::path> entries_of(const PacmanConf& conf, const std::string& name) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(conf.dbpath / "local")) {
    const auto text = entry.path().filename().string();
    if (text.starts_with(name + "-") && Version::parse(text.substr(name.size() + 1)))
      found.push_back(entry.path());
  }
  return found;
}

bool mend_one(const Host& host, const PacmanConf& conf, const JournalPackage& package) {
  bool mended = false;
  std::size_t whole = 0;
  for (const auto& entry : entries_of(conf, package.name)) {
    if (is_whole(entry)) {
      ++whole;
      continue;
    }
    fs::remove_all(entry);
    mended = true;
  }
  const auto saved = folder(host) / "local" / (package.name + "-" + package.from);
  if (whole == 0 && !package.from.empty() && fs::exists(saved)) {
    copy_entry(saved, entry_path(conf, package.name, package.from));
    mended = true;
  }
  return mended;
}

}  // namespace

void open_journal(const Host& host, const PacmanConf& conf, const JournalRecord& record) {
  for (const auto* leftover : {"journal.new", "journal.done"})
    fs::remove_all(host.at(state_folder) / leftover);
  const auto beside = host.at(state_folder) / "journal.new";
  make_folders(beside / "local");
  for (const auto& package : record.packages) {
    const auto entry = entry_path(conf, package.name, package.from);
    if (!package.from.empty()) copy_entry(entry, beside / "local" / entry.filename());
  }
  replace_file(beside / "pacman.conf", read_file(conf.file));
  replace_file(beside / "record.json", to_text(record), 0600);
  sync_path(beside / "local");
  sync_path(beside);
  fs::rename(beside, folder(host));
  sync_path(host.at(state_folder));
}

bool journal_is_open(const Host& host) {
  std::error_code ignored;
  return fs::exists(folder(host), ignored);
}

std::optional<JournalRecord> pending_journal(const Host& host) {
  if (!journal_is_open(host)) return std::nullopt;
  auto record =
      read_record(folder(host) / "record.json",
                  tr_text("compare 'pacman -Qkk' with the profile, then move the journal folder away"));
  if (!record) throw Error(tr("'{}' has no record", folder(host).string()));
  return record;
}

std::time_t journal_opened(const Host& host) {
  struct stat info {};
  return ::stat((folder(host) / "record.json").c_str(), &info) == 0 ? info.st_mtime : 0;
}

void close_journal(const Host& host) {
  const auto done = host.at(state_folder) / "journal.done";
  fs::remove_all(done);
  fs::rename(folder(host), done);
  sync_path(host.at(state_folder));
  std::error_code ignored;  // the next journal takes it away
  fs::remove_all(done, ignored);
}

void remember_change(const Host& host, const JournalRecord& record) {
  replace_file(last_file(host), to_text(record), 0600);
}

std::optional<JournalRecord> last_change(const Host& host) {
  return read_record(last_file(host), fmt::format("rm '{}'", last_file(host).string()));
}

std::uint64_t journal_size(const PacmanConf& conf, const JournalRecord& record) {
  std::uint64_t size = 0;
  for (const auto& package : record.packages) {
    std::error_code missing;
    for (const auto& file : fs::directory_iterator(entry_path(conf, package.name, package.from), missing))
      size += file.file_size();
  }
  return size;
}

std::vector<std::string> mend_local_database(const Host& host, const PacmanConf& conf,
                                             const JournalRecord& record) {
  std::vector<std::string> mended;
  for (const auto& package : record.packages)
    if (mend_one(host, conf, package)) mended.push_back(package.name);
  return mended;
}

}  // namespace cudapin
