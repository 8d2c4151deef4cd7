// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compatibility.hpp"
#include "core/compatibility_data.hpp"
#include "core/words.hpp"

/// The rules that judge() asks, each about one pair, and each without an answer when the pair fits.
namespace cudapin::rules {

using Findings = std::vector<Finding>;

/// A card with what the tables say of it.
struct Card {
  const Gpu& gpu;
  int sm;
  const tables::Capability& capability;
  const tables::Product* product;

  /// "10de:2204: capability 8.6"
  std::string evidence() const;
};

/// Nothing for a card that is in no table.
std::optional<Card> card_of(const Gpu& gpu);

Findings some_card_is_known(const std::vector<Gpu>& gpus);
Findings card_is_known(const Gpu& gpu);
Findings toolkit_is_known(std::string_view version);
Findings cudnn_is_known(std::string_view version);

Findings toolkit_has_code(const tables::Toolkit& toolkit, const Card& card);
Findings driver_keeps_card(std::string_view driver, const Card& card);
Findings driver_knows_card(std::string_view driver, const Card& card);
Findings cudnn_has_code(const tables::Cudnn& cudnn, std::string_view toolkit, const Card& card);

Findings driver_serves_toolkit(std::string_view driver, const tables::Toolkit& toolkit);
Findings cudnn_fits_toolkit(const tables::Cudnn& cudnn, std::string_view toolkit);
Findings compiler_fits(const std::vector<int>& majors, const tables::Toolkit& toolkit);
Findings glibc_fits(std::string_view version, const tables::Toolkit& toolkit);

inline std::string_view hedge(bool uncertain) { return uncertain ? tr_text("probably ") : ""; }
/// By the one version comparison.
bool older(std::string_view version, std::string_view than);

}  // namespace cudapin::rules
