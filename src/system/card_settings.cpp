// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/card_settings.hpp"

#include "core/text.hpp"
#include "core/words.hpp"
#include "system/nvml_library.hpp"
#include "system/process_text.hpp"

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

using nvml::call;
using nvml::Device;
using nvml::Library;

constexpr auto reading_limit = std::chrono::seconds(1);
/// Waking a card that sleeps takes some seconds.
constexpr auto setting_limit = std::chrono::seconds(10);

/// A text of the device's, empty when it has none.
std::string text_of(const Library& library, const char* function, Device device) {
  std::array<char, 96> text{};
  call(library, function, device, text.data(), unsigned{text.size()});
  return printable(text.data());
}

CardSettings settings_of(const Library& library, Device device) {
  CardSettings card{.uuid = text_of(library, "nvmlDeviceGetUUID", device),
                    .name = text_of(library, "nvmlDeviceGetName", device),
                    .persistence = {},
                    .power_limit = {},
                    .least_power = {},
                    .greatest_power = {}};
  unsigned value = 0;
  if (call(library, "nvmlDeviceGetPersistenceMode", device, &value)) card.persistence = value != 0;
  if (call(library, "nvmlDeviceGetPowerManagementLimit", device, &value)) card.power_limit = value;
  unsigned greatest = 0;
  if (call(library, "nvmlDeviceGetPowerManagementLimitConstraints", device, &value, &greatest)) {
    card.least_power = value;
    card.greatest_power = greatest;
  }
  return card;
}

std::string read_all(const std::string& name) {
  const Library library(name.c_str());
  std::vector<CardSettings> cards;
  nvml::visit_devices(library,
                      [&](unsigned, Device device) { cards.push_back(settings_of(library, device)); });
  return to_lines(cards);
}

/// What the device refused, in words.
std::string set_one(const Library& library, Device device, const CardChange& change) {
  std::string refused;
  if (change.persistence &&
      !call(library, "nvmlDeviceSetPersistenceMode", device, unsigned{*change.persistence}))
    refused += tr("the {} does not take its persistence mode\n", change.name);
  if (change.power_limit && !call(library, "nvmlDeviceSetPowerManagementLimit", device, *change.power_limit))
    refused += tr("the {} does not take its power limit\n", change.name);
  return refused;
}

std::string set_all(std::span<const CardChange> changes, const std::string& name) {
  const Library library(name.c_str());
  std::string refused;
  nvml::visit_devices(library, [&](unsigned, Device device) {
    const auto uuid = text_of(library, "nvmlDeviceGetUUID", device);
    for (const auto& change : changes)
      if (change.uuid == uuid) refused += set_one(library, device, change);
  });
  return refused;
}

std::string word(const std::optional<unsigned>& value) { return value ? std::to_string(*value) : "-"; }

}  // namespace

std::string to_lines(std::span<const CardSettings> cards) {
  std::string text;
  for (const auto& card : cards)
    text += (card.uuid.empty() ? "-" : card.uuid) + ' ' +
            (card.persistence ? *card.persistence ? "1" : "0" : "-") + ' ' + word(card.power_limit) + ' ' +
            word(card.least_power) + ' ' + word(card.greatest_power) + ' ' + card.name + '\n';
  return text;
}

std::vector<CardSettings> parse_card_lines(std::string_view text) {
  using process_text::number;
  std::vector<CardSettings> cards;
  for (const auto& line : split(text, "\n")) {
    const auto words = split(line, " ");
    if (words.size() < 5) continue;
    const auto persistence = number<unsigned>(words[1]);
    cards.push_back({.uuid = words[0],
                     .name = join({words.begin() + 5, words.end()}, " "),
                     .persistence = persistence ? std::optional(*persistence != 0) : std::nullopt,
                     .power_limit = number<unsigned>(words[2]),
                     .least_power = number<unsigned>(words[3]),
                     .greatest_power = number<unsigned>(words[4])});
  }
  return cards;
}

std::vector<CardSettings> read_cards(const std::string& library) {
  if (library.empty()) return {};
  return parse_card_lines(nvml::in_child([&] { return read_all(library); }, reading_limit).value_or(""));
}

std::vector<std::string> set_cards(std::span<const CardChange> changes, const std::string& library) {
  if (changes.empty() || library.empty()) return {};
  const auto refused = nvml::in_child([&] { return set_all(changes, library); }, setting_limit);
  return refused ? split(*refused, "\n")
                 : std::vector<std::string>{tr_text("the driver did not answer in time")};
}

}  // namespace cudapin
