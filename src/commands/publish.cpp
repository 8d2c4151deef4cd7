// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/profiles.hpp"
#include "commands/sharing.hpp"
#include "commands/style.hpp"
#include "core/index_file.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/keys.hpp"
#include "system/state.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Profiles and locks in the folder, each a plain file whose name a subscriber takes.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::vector<std::string> problems;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (!name.ends_with(profile_ending) || name == "index.yaml") continue;
    if (entry.is_symlink() || !entry.is_regular_file())
      problems.push_back(tr("'{}' is a symbolic link or no file", printable(entry.path().string())));
    else if (!is_shared_name(name))
      problems.push_back(tr("'{}' is no name of a profile or lock", printable(entry.path().string())));
    else
      names.push_back(name);
  }
  if (!problems.empty())
    throw Error(join(problems, "\n"), fmt::format("ls -l '{}'", printable(folder.string())));
  if (names.empty()) throw Error(tr("there is no profile in '{}'", printable(folder.string())));
  std::ranges::sort(names);
  return names;
}

void require_valid(const Host& host, const fs::path& folder, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (!name.ends_with(lock_ending)) {
      read_shared(host, folder, name.substr(0, name.size() - profile_ending.size()));
      continue;
    }
    const auto profile = name.substr(0, name.size() - lock_ending.size()) + std::string(profile_ending);
    if (!std::ranges::binary_search(names, profile))
      throw Error(tr("'{}' is the lock of a profile that is not beside it", name),
                  fmt::format("rm '{}'", (folder / name).string()));
  }
}

std::uint64_t next_serial(const fs::path& folder) {
  const auto former = read_file_if_exists(folder / "index.yaml");
  return former.empty() ? 1 : parse_index(former, (folder / "index.yaml").string()).serial + 1;
}

std::string moment_after(const Host& host, int days) {
  const auto then = host.now() + std::chrono::hours(24) * days;
  return utc_text(std::chrono::system_clock::to_time_t(then), "%FT%TZ");
}

IndexedFile indexed(const fs::path& folder, const std::string& name) {
  const auto text = read_file(folder / name, largest_text);
  return {name, text.size(), sha256_text(text)};
}

}  // namespace

ExitStatus publish(const ProfileOptions& options, const Host& host) {
  const fs::path folder = fs::absolute(options.words[0]).lexically_normal();
  const auto names = files_in(folder);
  require_valid(host, folder, names);
  Index index{.serial = next_serial(folder),
              .made = moment_after(host, 0),
              .expires = moment_after(host, options.days),
              .files = {}};
  const auto sign = [&](const std::string& name, const std::string& text) {
    replace_file(folder / (name + std::string(signature_ending)),
                 sign_text(text, gpg_home(host), options.key));
  };
  for (const auto& name : names) {
    sign(name, read_file(folder / name, largest_text));
    index.files.push_back(indexed(folder, name));
    index.files.push_back(indexed(folder, name + std::string(signature_ending)));
  }
  const auto text = index_text(index);
  replace_file(folder / "index.yaml", text);
  sign("index.yaml", text);
  if (options.json)
    *host.out << json_text(
        {{"schema", 1}, {"serial", index.serial}, {"expires", index.expires}, {"files", names}});
  else if (!options.quiet)
    *host.out << trn("edition {} of {} file in {}, holds until {}\n",
                     "edition {} of {} files in {}, holds until {}\n", names.size(), index.serial,
                     names.size(), folder.string(), index.expires);
  if (!options.json && !options.quiet && index.serial == 1)
    *host.out << fitted(
        host, tr_text("next: put the folder on a web server, write the public key with 'gpg --armor "
                      "--export >KEYFILE', and on every machine 'sudo cudapin profile trust KEYFILE' "
                      "and 'sudo cudapin profile subscribe https://...'\n"));
  return ExitStatus::done;
}

}  // namespace cudapin
