// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// How a profile wants the cards set; what is empty stays as the card has it.
struct Tuning {
  std::optional<bool> persistence;
  std::optional<unsigned> power_limit;  ///< watts

  bool empty() const { return !persistence && !power_limit; }
  /// "persistence mode on, power limit 250 W"
  std::string text() const;
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// What the driver says of one card; empty optionals: the card does not have it.
struct CardSettings {
  std::string uuid;
  std::string name;
  std::optional<bool> persistence;
  std::optional<unsigned> power_limit;  ///< milliwatts, as the next two
  std::optional<unsigned> least_power;
  std::optional<unsigned> greatest_power;

  friend bool operator==(const CardSettings&, const CardSettings&) = default;
};

/// What has to be set so that the card is as wanted.
struct CardChange {
  std::string uuid;
  std::string name;
  std::optional<bool> persistence;
  std::optional<unsigned> power_limit;  ///< milliwatts

  friend bool operator==(const CardChange&, const CardChange&) = default;
};

/// Errors: a power limit outside of what a card takes. Notes: what is set, and what a card does not have.
std::vector<Finding> judge_tuning(const Tuning& wanted, std::span<const CardSettings> cards);

/// One entry for each card that differs from `wanted`, within what it reports.
std::vector<CardChange> changes_for(const Tuning& wanted, std::span<const CardSettings> cards);

/// What gives the cards `former` settings back, as far as `now` differs; cards that are gone are left out.
std::vector<CardChange> changes_back(std::span<const CardSettings> former, std::span<const CardSettings> now);

/// What is in force and what was before, kept in the state folder from `use` to `release`.
struct TuningRecord {
  std::string profile;
  Tuning wanted;
  std::vector<CardSettings> former;  ///< as the cards were before the first change

  friend bool operator==(const TuningRecord&, const TuningRecord&) = default;
};

/// A record as JSON text and back; parse throws Error naming `origin`.
std::string to_json(const TuningRecord& record);
TuningRecord parse_tuning(std::string_view text, const std::string& origin);

}  // namespace cudapin
