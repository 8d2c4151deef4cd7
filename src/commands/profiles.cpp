// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiles.hpp"

#include "commands/locks.hpp"
#include "commands/sharing.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/subscriptions.hpp"

#include <algorithm>
#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_profile = 1u << 20;

struct Layer {
  fs::path folder;
  std::string name;
  std::string source = {};
};

/// The ones that hide others first.
std::vector<Layer> layers_of(const Host& host, const fs::path& edition) {
  std::vector<Layer> layers;
  if (!edition.empty()) layers.push_back({edition, "subscribed"});
  for (const auto& subscription : subscriptions(host)) {
    const auto folder = edition_folder(host, subscription);
    if (edition.empty() || folder.parent_path() != edition.parent_path())
      layers.push_back({folder, "subscribed", subscription.place});
  }
  layers.push_back({host.at("/etc/cudapin/profiles"), "site"});
  layers.push_back({host.profiles, "built-in"});
  return layers;
}

/// Every profile file that there is, the ones that hide others first.
std::vector<ProfileEntry> all_profiles(const Host& host, const fs::path& edition = {}) {
  std::vector<ProfileEntry> entries;
  for (const auto& layer : layers_of(host, edition)) {
    std::error_code missing;
    for (const auto& file : fs::directory_iterator(layer.folder, missing))
      if (file.path().extension() == ".yaml" && !file.path().string().ends_with(lock_ending))
        entries.push_back({file.path().stem().string(), file.path(), layer.name, layer.source});
  }
  return entries;
}

std::vector<ProfileEntry> in_force(const std::vector<ProfileEntry>& all) {
  std::map<std::string, ProfileEntry> found;
  for (const auto& entry : all)
    if (const auto [first, is_new] = found.emplace(entry.name, entry); !is_new)
      first->second.hides.push_back(entry.layer);
  std::vector<ProfileEntry> entries;
  for (auto& [name, entry] : found) entries.push_back(std::move(entry));
  return entries;
}

bool is_path(const std::string& word) { return word.find('/') != word.npos || word.ends_with(".yaml"); }

[[noreturn]] void fail_unknown(const std::string& word, const std::vector<ProfileEntry>& known) {
  std::vector<std::string> names;
  for (const auto& entry : known) names.push_back(entry.name);
  const auto near = closest(word, names);
  throw Error(tr("no profile is called '{}'{}", printable(word),
                 near.empty() ? "" : tr("; did you mean '{}'?", near)),
              near.empty() ? "cudapin list" : "cudapin show " + near);
}

std::string read_text(const fs::path& path) {
  try {
    return read_file(path, largest_profile);
  } catch (const Error& error) {
    throw Error(error.what(), "cudapin list");
  }
}

std::optional<ProfileLibrary::Source> find_source(const std::vector<ProfileEntry>& all,
                                                  const std::string& name, const std::string& below) {
  auto first = all.begin();
  const auto hiding = std::ranges::find(all, below, [](const auto& entry) { return entry.path.string(); });
  if (hiding != all.end()) first = hiding + 1;
  const auto found = std::find_if(first, all.end(), [&](const auto& entry) { return entry.name == name; });
  if (found == all.end()) return std::nullopt;
  return ProfileLibrary::Source{read_text(found->path), found->path.string()};
}

}  // namespace

std::vector<ProfileEntry> known_profiles(const Host& host) { return in_force(all_profiles(host)); }

Profile read_profile_file(const Host& host, const fs::path& path, const fs::path& edition) {
  const auto all = all_profiles(host, edition);
  ProfileLibrary library;
  for (const auto& entry : in_force(all)) library.names.push_back(entry.name);
  library.find = [&all](const std::string& name, const std::string& below) {
    return find_source(all, name, below);
  };
  return parse_profile(read_text(path), path.string(), library);
}

namespace {

/// The profile of a file of that name.
Profile named_as_its_file(const Host& host, const fs::path& file) {
  auto profile = read_profile_file(host, file);
  if (profile.name + std::string(profile_ending) != file.filename())
    throw Error(tr("{}:1:1: the file is called '{}' but the profile in it '{}'", file.string(),
                   file.stem().string(), printable(profile.name)),
                tr_text("give the file and the profile the same name"));
  return profile;
}

}  // namespace

Profile load_profile(const Host& host, const std::string& word) {
  if (is_path(word)) return named_as_its_file(host, word);
  const auto known = known_profiles(host);
  const auto found = std::ranges::find(known, word, &ProfileEntry::name);
  if (found == known.end()) fail_unknown(word, known);
  return named_as_its_file(host, found->path);
}

std::vector<Profile> readable_profiles(const Host& host) {
  std::vector<Profile> profiles;
  for (const auto& entry : known_profiles(host)) try {
      profiles.push_back(load_profile(host, entry.name));
    } catch (const Error&) {
      continue;
    }
  return profiles;
}

}  // namespace cudapin
