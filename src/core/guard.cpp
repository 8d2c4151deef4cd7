// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

constexpr std::string_view first_line = "# cudapin pins 1";
constexpr std::string_view profile_word = "# profile ";
constexpr std::size_t most_facts = 12;
constexpr std::size_t most_advice = 6;

bool is_name(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@._+-") ==
         text.npos;
}

/// What a rule has against a transaction; no facts, no objection.
struct Objection {
  std::vector<std::string> facts;
  std::vector<std::string> advice;
};

std::string pinned_by(const PinState& pins) {
  return pins.profile.empty() ? "is pinned" : "is pinned by profile " + pins.profile;
}

Objection object_to_moved_pins(const GuardInput& input) {
  Objection objection;
  std::vector<std::string> removed;
  for (const auto& target : input.targets) {
    const auto pin = input.pins.versions.find(target.name);
    if (pin == input.pins.versions.end()) continue;
    objection.facts.push_back(std::string(operation_word(target.operation)) + ": " + pin->first + ' ' +
                              pin->second + ' ' + pinned_by(input.pins));
    if (target.operation == Operation::remove) removed.push_back(target.name);
  }
  objection.advice.push_back("to change it: cudapin use PROFILE, or cudapin release");
  if (removed.size() < objection.facts.size())
    objection.advice.push_back("to upgrade everything else: pacman -Syu");
  if (!removed.empty() && removed.size() <= 4)
    objection.advice.push_back("to remove it: cudapin release, then pacman -R " + join(removed, " "));
  return objection;
}

struct Rule {
  bool binds_cudapin;  ///< cudapin's own transaction has to keep it as well
  Objection (*object)(const GuardInput&);
};

constexpr std::array rules{
    Rule{false, &object_to_moved_pins},
};

void append_some(std::vector<std::string>& lines, std::vector<std::string> more, std::size_t most,
                 std::string_view indent) {
  if (more.size() > most) {
    const auto left = more.size() - most + 1;
    more.resize(most - 1);
    more.push_back("and " + std::to_string(left) + " more");
  }
  for (const auto& line : more) lines.push_back(std::string(indent) + printable(line));
}

}  // namespace

std::string_view operation_word(Operation operation) {
  switch (operation) {
    case Operation::install:
      return "install";
    case Operation::upgrade:
      return "upgrade";
    case Operation::remove:
      return "remove";
    case Operation::change:
      break;
  }
  return "change";
}

std::string pin_state_text(const PinState& pins) {
  std::string text =
      std::string(first_line) + '\n' + std::string(profile_word) + printable(pins.profile) + '\n';
  for (const auto& [name, version] : pins.versions) text += name + ' ' + version + '\n';
  return text;
}

std::optional<PinState> parse_pin_state(std::string_view text) {
  const auto lines = split(text, "\n");
  if (lines.empty() || lines[0] != first_line) return std::nullopt;
  PinState pins;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].starts_with(profile_word)) {
      pins.profile = lines[i].substr(profile_word.size());
      continue;
    }
    const auto words = split(lines[i], " ");
    if (words.size() != 2 || !is_name(words[0])) return std::nullopt;
    pins.versions.emplace(words[0], words[1]);
  }
  return pins;
}

Verdict judge(const GuardInput& input) {
  std::vector<std::string> facts;
  std::vector<std::string> advice;
  for (const auto& rule : rules) {
    if (input.is_own && !rule.binds_cudapin) continue;
    auto objection = rule.object(input);
    if (objection.facts.empty()) continue;
    facts.insert(facts.end(), objection.facts.begin(), objection.facts.end());
    advice.insert(advice.end(), objection.advice.begin(), objection.advice.end());
  }
  if (facts.empty()) return {};
  Verdict verdict{true, {"cudapin: this transaction is blocked, nothing was changed"}};
  append_some(verdict.lines, std::move(facts), most_facts, "  ");
  append_some(verdict.lines, std::move(advice), most_advice, "");
  return verdict;
}

}  // namespace cudapin
