// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tuning.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace {

constexpr unsigned milliwatts = 1000;
constexpr int schema = 1;

bool takes(const CardSettings& card, unsigned power) {
  return card.least_power && card.greatest_power && power >= *card.least_power &&
         power <= *card.greatest_power;
}

void judge_power(unsigned watts, const CardSettings& card, std::vector<Finding>& findings) {
  if (!card.least_power || !card.greatest_power)
    findings.push_back({Severity::note, tr("the {} has no power limit that can be set", card.name), "", ""});
  else if (!takes(card, watts * milliwatts))
    findings.push_back({Severity::error,
                        tr("a power limit of {} W is outside of what the {} takes", watts, card.name),
                        tr("the driver reports {} to {} W", *card.least_power / milliwatts,
                           *card.greatest_power / milliwatts),
                        tr_text("another 'power_limit' under 'tune' in the profile")});
}

std::string change_text(const CardChange& change, const CardSettings& card) {
  std::vector<std::string> parts;
  if (change.persistence)
    parts.push_back(tr("persistence mode {}", *change.persistence ? tr_text("on") : tr_text("off")));
  if (change.power_limit)
    parts.push_back(
        tr("power limit {} -> {} W", *card.power_limit / milliwatts, *change.power_limit / milliwatts));
  return join(parts, ", ");
}

CardChange change_for(const Tuning& wanted, const CardSettings& card) {
  CardChange change{.uuid = card.uuid, .name = card.name, .persistence = {}, .power_limit = {}};
  if (wanted.persistence && card.persistence && wanted.persistence != card.persistence)
    change.persistence = wanted.persistence;
  if (!wanted.power_limit || !card.power_limit) return change;
  const auto power = *wanted.power_limit * milliwatts;
  if (takes(card, power) && power != *card.power_limit) change.power_limit = power;
  return change;
}

template <typename Value>
std::optional<Value> unless_same(const std::optional<Value>& wanted, const std::optional<Value>& now) {
  return wanted && now && wanted != now ? wanted : std::nullopt;
}

void add_if_any(CardChange change, std::vector<CardChange>& changes) {
  if (change.persistence || change.power_limit) changes.push_back(std::move(change));
}

template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

template <typename Value>
std::optional<Value> optional_at(const nlohmann::json& json, const char* key) {
  const auto& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

CardSettings card_from(const nlohmann::json& json) {
  return {.uuid = json.at("uuid"),
          .name = json.at("name"),
          .persistence = optional_at<bool>(json, "persistence"),
          .power_limit = optional_at<unsigned>(json, "power_limit"),
          .least_power = {},
          .greatest_power = {}};
}

}  // namespace

std::string Tuning::text() const {
  std::vector<std::string> parts;
  if (persistence) parts.push_back(tr("persistence mode {}", *persistence ? tr_text("on") : tr_text("off")));
  if (power_limit) parts.push_back(tr("power limit {} W", *power_limit));
  return join(parts, ", ");
}

std::vector<Finding> judge_tuning(const Tuning& wanted, std::span<const CardSettings> cards) {
  std::vector<Finding> findings;
  for (const auto& card : cards) {
    if (wanted.power_limit) judge_power(*wanted.power_limit, card, findings);
    const auto text = change_text(change_for(wanted, card), card);
    if (!text.empty())
      findings.push_back({Severity::note, tr("the {} is set to {}", card.name, text), "", ""});
  }
  return findings;
}

std::vector<CardChange> changes_for(const Tuning& wanted, std::span<const CardSettings> cards) {
  std::vector<CardChange> changes;
  for (const auto& card : cards) add_if_any(change_for(wanted, card), changes);
  return changes;
}

std::vector<CardChange> changes_back(std::span<const CardSettings> former,
                                     std::span<const CardSettings> now) {
  std::vector<CardChange> changes;
  for (const auto& card : former)
    if (const auto current = std::ranges::find(now, card.uuid, &CardSettings::uuid); current != now.end())
      add_if_any({.uuid = card.uuid,
                  .name = card.name,
                  .persistence = unless_same(card.persistence, current->persistence),
                  .power_limit = unless_same(card.power_limit, current->power_limit)},
                 changes);
  return changes;
}

std::string to_json(const TuningRecord& record) {
  auto cards = nlohmann::json::array();
  for (const auto& card : record.former)
    cards.push_back({{"uuid", card.uuid},
                     {"name", card.name},
                     {"persistence", or_null(card.persistence)},
                     {"power_limit", or_null(card.power_limit)}});
  return nlohmann::json{{"schema", schema},
                        {"profile", record.profile},
                        {"persistence", or_null(record.wanted.persistence)},
                        {"power_limit", or_null(record.wanted.power_limit)},
                        {"former", cards}}
             .dump(2) +
         "\n";
}

TuningRecord parse_tuning(std::string_view text, const std::string& origin) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("schema").get<int>() != schema)
      throw Error(tr("'{}' was written by a newer cudapin", origin), "pacman -S cudapin");
    TuningRecord record{
        .profile = json.at("profile"),
        .wanted = {optional_at<bool>(json, "persistence"), optional_at<unsigned>(json, "power_limit")},
        .former = {}};
    for (const auto& card : json.at("former")) record.former.push_back(card_from(card));
    return record;
  } catch (const nlohmann::json::exception&) {
    throw Error(tr("'{}' is damaged", origin), fmt::format("rm {}", origin));
  }
}

}  // namespace cudapin
