// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/tuning.hpp"

#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "commands/profiles.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/card_settings.hpp"
#include "system/files.hpp"

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Its presence is what starts the unit at boot.
fs::path record_file(const Host& host) { return host.at(state_folder) / "tuning.json"; }

/// Another root's profile does not set this machine's cards.
std::string card_library(const Host& host) {
  if (!host.card_library.empty() || host.root != "/") return host.card_library;
  return "libnvidia-ml.so.1";
}

std::optional<TuningRecord> read_record(const Host& host) {
  const auto text = read_file_if_exists(record_file(host));
  if (text.empty()) return std::nullopt;
  return parse_tuning(text, record_file(host).string());
}

void set(const Host& host, const std::vector<CardChange>& changes) {
  for (const auto& refused : set_cards(changes, card_library(host)))
    *host.err << tr("warning: {}; next: sudo cudapin tune\n", printable(refused));
}

/// A profile that is gone or unreadable sets nothing any more.
std::pair<std::string, Tuning> wanted_now(const Host& host) {
  const auto state = read_state(host);
  if (!state) return {};
  try {
    return {state->profile, read_profile_file(host, state->origin).tune};
  } catch (const std::exception&) {
    return {state->profile, {}};
  }
}

/// Before the first change: what a later release gives back. Cards that came later are added.
TuningRecord record_for(const std::string& profile, const Tuning& wanted,
                        const std::optional<TuningRecord>& former, const std::vector<CardSettings>& cards) {
  TuningRecord record{.profile = profile, .wanted = wanted, .former = {}};
  if (former) record.former = former->former;
  for (const auto& card : cards)
    if (std::ranges::find(record.former, card.uuid, &CardSettings::uuid) == record.former.end())
      record.former.push_back(card);
  return record;
}

}  // namespace

std::vector<Finding> tuning_findings(const Host& host, const Profile& profile) {
  if (profile.tune.empty()) return {};
  const auto cards = read_cards(card_library(host));
  if (!cards.empty()) return judge_tuning(profile.tune, cards);
  return {{.severity = Severity::note,
           .what = tr("the cards are set to {} at the next boot with their driver", profile.tune.text()),
           .evidence = tr_text("the driver does not answer now")}};
}

bool tuning_is_recorded(const Host& host, const Profile& profile) {
  const auto record = read_record(host);
  return record ? record->profile == profile.name && record->wanted == profile.tune : profile.tune.empty();
}

void follow_tuning(const Host& host) {
  const auto [profile, wanted] = wanted_now(host);
  const auto former = read_record(host);
  if (!former && wanted.empty()) return;
  if (former && former->wanted != wanted)
    set(host, changes_back(former->former, read_cards(card_library(host))));
  if (wanted.empty()) {
    fs::remove(record_file(host));
    return;
  }
  const auto cards = read_cards(card_library(host));
  replace_file(record_file(host), to_json(record_for(profile, wanted, former, cards)));
  set(host, changes_for(wanted, cards));
}

ExitStatus tune(const TuneOptions& options, const Host& host) {
  if (!options.dry_run && !host.privileged)
    throw Error(tr_text("only root can set the cards"), "sudo cudapin tune");
  const auto record = read_record(host);
  if (!record) {
    if (!options.quiet) *host.out << tr_text("no profile in force sets the cards; nothing to do\n");
    return ExitStatus::done;
  }
  const auto cards = read_cards(card_library(host));
  if (cards.empty())
    throw Error(tr_text("the driver does not answer, so no card can be set"), "cudapin doctor");
  const auto changes = changes_for(record->wanted, cards);
  if (!options.quiet)
    for (const auto& finding : judge_tuning(record->wanted, cards)) *host.out << finding.what << '\n';
  if (!options.quiet && changes.empty())
    *host.out << tr("the cards have {} already\n", record->wanted.text());
  if (options.dry_run || changes.empty()) return ExitStatus::done;
  const StateLock lock(host);
  const auto refused = set_cards(changes, card_library(host));
  if (!refused.empty())
    throw Error(join(refused, "\n"), tr_text("nvidia-smi -q -d POWER shows what it takes"));
  return ExitStatus::done;
}

}  // namespace cudapin
