// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/locks.hpp"
#include "commands/profiles.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "core/yaml.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

struct Checked {
  std::string file;
  std::string profile;  ///< its name, when it can be read
  std::vector<yaml::Problem> problems;
};

bool is_lock(const std::string& file) { return file.ends_with(lock_ending); }

/// A profile in a folder of profiles is found by its file's name, and so is its lock; one of another name
/// could never be used.
void check_name(const fs::path& path, const std::string& name, std::vector<yaml::Problem>& problems) {
  const auto wanted = name + (is_lock(path.string()) ? std::string(lock_ending) : ".yaml");
  if (path.filename() != wanted)
    problems.push_back(
        {path.string(), 1, 1, tr("the profile is called '{}', so the file must be '{}'", name, wanted)});
}

Checked check_file(const Host& host, const std::string& file) {
  Checked checked{.file = file, .profile = {}, .problems = {}};
  try {
    checked.profile = is_lock(file) ? read_lock(host, file).file.profile : read_profile_file(host, file).name;
    check_name(file, checked.profile, checked.problems);
  } catch (const yaml::InvalidFile& invalid) {
    checked.problems = invalid.problems;
  } catch (const Error& unreadable) {
    checked.problems.push_back({file, 1, 1, unreadable.what()});
  }
  return checked;
}

nlohmann::json to_json(const std::vector<Checked>& all) {
  auto files = nlohmann::json::array();
  for (const auto& checked : all) {
    auto problems = nlohmann::json::array();
    for (const auto& problem : checked.problems)
      problems.push_back({{"file", problem.origin},
                          {"line", problem.line},
                          {"column", problem.column},
                          {"text", problem.text}});
    files.push_back({{"file", checked.file},
                     {"profile", checked.profile},
                     {"valid", checked.problems.empty()},
                     {"problems", problems}});
  }
  return {{"schema", 1}, {"files", files}};
}

}  // namespace

ExitStatus validate(const ValidateOptions& options, const Host& host) {
  std::vector<Checked> all;
  std::vector<yaml::Problem> problems;
  for (const auto& file : options.files) {
    all.push_back(check_file(host, file));
    problems.insert(problems.end(), all.back().problems.begin(), all.back().problems.end());
  }
  if (options.json) {
    *host.out << json_text(to_json(all));
    return problems.empty() ? ExitStatus::done : ExitStatus::failed;
  }
  for (const auto& checked : all)
    if (checked.problems.empty() && !options.quiet)
      *host.out << printable(tr("{}: {} is a valid {}", checked.file, checked.profile,
                                is_lock(checked.file) ? tr_text("lock") : tr_text("profile")))
                << '\n';
  if (!problems.empty()) throw yaml::InvalidFile(std::move(problems), "man cudapin-profile");
  return ExitStatus::done;
}

}  // namespace cudapin
