// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiles.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_profile = 1u << 20;

void add_folder(const fs::path& folder, const std::string& layer,
                std::map<std::string, ProfileEntry>& found) {
  std::error_code missing;
  for (const auto& file : fs::directory_iterator(folder, missing))
    if (file.path().extension() == ".yaml") {
      const auto name = file.path().stem().string();
      found[name] = {name, file.path(), layer};
    }
}

bool is_path(const std::string& word) { return word.find('/') != word.npos || word.ends_with(".yaml"); }

[[noreturn]] void fail_unknown(const std::string& word, const std::vector<ProfileEntry>& known) {
  std::vector<std::string> names;
  for (const auto& entry : known) names.push_back(entry.name);
  const auto near = closest(word, names);
  throw Error(fmt::format("no profile is called '{}'{}", printable(word),
                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)),
              near.empty() ? "cudapin list" : "cudapin show " + near);
}

Profile read_profile(const fs::path& path) {
  return parse_profile(read_file(path, largest_profile), path.string());
}

}  // namespace

std::vector<ProfileEntry> known_profiles(const Host& host) {
  std::map<std::string, ProfileEntry> found;
  add_folder(host.profiles, "built-in", found);
  add_folder(host.at("/etc/cudapin/profiles"), "site", found);
  std::vector<ProfileEntry> entries;
  for (auto& [name, entry] : found) entries.push_back(std::move(entry));
  return entries;
}

Profile load_profile(const Host& host, const std::string& word) {
  if (is_path(word)) return read_profile(word);
  const auto known = known_profiles(host);
  const auto found = std::ranges::find(known, word, &ProfileEntry::name);
  if (found == known.end()) fail_unknown(word, known);
  auto profile = read_profile(found->path);
  if (profile.name != word)
    throw Error(fmt::format("{}:1:1: the file is called '{}' but the profile in it '{}'",
                            found->path.string(), word, printable(profile.name)),
                "give the file and the profile the same name");
  return profile;
}

}  // namespace cudapin
