// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/profiles.hpp"
#include "commands/sharing.hpp"
#include "commands/style.hpp"
#include "core/index_file.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/http.hpp"
#include "system/private_folder.hpp"
#include "system/state.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// What is to be added: the names of profiles in one place.
struct Offer {
  SharedSource source;
  std::vector<std::string> names;
};

std::string profile_in(const std::string& word, const std::string& file) {
  if (is_shared_name(file) && file.ends_with(profile_ending) && !file.ends_with(lock_ending))
    return file.substr(0, file.size() - profile_ending.size());
  throw Error(
      tr("'{}' does not name a profile: NAME{}, in lower-case letters, digits, '.', '+' and '-'",
         shown_url(word), profile_ending),
      is_remote_place(word) ? tr_text("sudo cudapin profile subscribe URL takes a whole folder") : "");
}

Offer offer_of(const Host& host, const std::string& word) {
  std::error_code ignored;
  if (is_remote_place(word)) {
    const auto slash = word.rfind('/');
    return {SharedSource(host, word.substr(0, slash)), {profile_in(word, word.substr(slash + 1))}};
  }
  const auto path = fs::absolute(word).lexically_normal();
  if (!fs::is_directory(path, ignored))
    return {SharedSource(host, path.parent_path().string()), {profile_in(word, path.filename().string())}};
  Offer offer{SharedSource(host, path.string()), {}};
  for (const auto& entry : fs::directory_iterator(path)) {
    const auto file = entry.path().filename().string();
    if (file.ends_with(profile_ending) && !file.ends_with(lock_ending) && file != "index.yaml")
      offer.names.push_back(profile_in(file, file));
  }
  std::ranges::sort(offer.names);
  if (offer.names.empty()) throw Error(tr("there is no profile in '{}'", printable(word)));
  return offer;
}

std::vector<SharedSource::Wanted> files_of(const std::string& name) {
  const auto profile = name + std::string(profile_ending);
  const auto lock = name + std::string(lock_ending);
  return {{profile, largest_text},
          {profile + std::string(signature_ending), largest_signature},
          {lock, largest_text},
          {lock + std::string(signature_ending), largest_signature}};
}

void stage(const Offer& offer, const std::string& name, const fs::path& staged) {
  const auto wanted = files_of(name);
  const auto texts = offer.source.read_all(wanted);
  if (!texts[0]) throw Error(tr("there is no '{}'", offer.source.shown(wanted[0].name)));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (texts[i]) replace_file(staged / wanted[i].name, *texts[i]);
}

/// What was there of that name goes with its lock and signatures, also where the new one has none.
void put_in_place(const Host& host, const std::string& name, const fs::path& staged) {
  const auto folder = host.at("/etc/cudapin/profiles");
  make_folders(folder);
  for (const auto& file : files_of(name)) {
    std::error_code ignored;
    const auto target = folder / file.name;
    if (fs::is_symlink(target) || !fs::exists(staged / file.name)) fs::remove(target, ignored);
    if (fs::exists(staged / file.name)) replace_file(target, read_file(staged / file.name));
  }
}

void show(const ProfileOptions& options, const Host& host, const std::vector<SharedProfile>& all) {
  if (options.json) {
    auto profiles = nlohmann::json::array();
    for (const auto& shared : all) profiles.push_back(shared_json(host, shared));
    *host.out << json_text({{"schema", 1}, {"profiles", profiles}});
  } else if (!options.quiet) {
    for (const auto& shared : all) *host.out << fitted(host, shared_text(host, shared)) << '\n';
  }
}

}  // namespace

ExitStatus add_profiles(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const auto offer = offer_of(host, options.words[0]);
  const PrivateFolder staged("profiles");
  for (const auto& name : offer.names) stage(offer, name, staged.path());
  std::vector<SharedProfile> all;
  for (const auto& name : offer.names) all.push_back(read_shared(host, staged.path(), name));
  for (const auto& shared : all) require_trusted(shared, offer.source.is_remote());
  show(options, host, all);
  if (options.dry_run) return ExitStatus::done;
  ask(options, host, all.size() == 1 ? tr_text("Add it?") : tr("Add these {}?", all.size()));
  const StateLock lock(host);
  for (const auto& shared : all) {
    put_in_place(host, shared.profile.name, staged.path());
    note(host, "add " + shared.profile.name,
         tr("from {}, {}", shown_url(offer.source.place()), signer_text(shared.signature)));
  }
  if (!options.quiet && !options.json)
    *host.out << tr("added: {}; nothing is switched: cudapin use NAME\n", join(offer.names, " "));
  return ExitStatus::done;
}

}  // namespace cudapin
