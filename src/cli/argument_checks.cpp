// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/argument_checks.hpp"

#include "cli/actions.hpp"
#include "core/error.hpp"
#include "core/package.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace cudapin {

namespace {

/// The action that was typed, with as many words as it takes.
void check_action(std::string_view verb, const std::string& action, std::span<const std::string> words,
                  const std::string& hint) {
  std::vector<std::string> names;
  for (const auto& known : actions_of(verb)) names.push_back(known.name);
  if (action.empty()) refuse(tr("'{}' needs one of: {}", verb, join(names, ", ")), hint);
  const auto found = std::ranges::find(actions_of(verb), action, &VerbAction::name);
  if (found == actions_of(verb).end())
    refuse(tr("unknown action '{}'{}", action, did_you_mean(action, names)), hint);
  if (words.size() < found->least) refuse(tr("'{} {}' needs {}", verb, action, tr_text(found->needs)), hint);
  if (words.size() > found->most) refuse(tr("unexpected argument '{}'", words[found->most]), hint);
}

}  // namespace

void refuse(const std::string& message, const std::string& hint) {
  throw Error(printable(message), hint, ExitStatus::usage);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto nearest = closest(word, candidates);
  return nearest.empty() ? "" : tr(", did you mean '{}'?", nearest);
}

std::uint64_t read_rate(const std::string& text) {
  char* end = nullptr;
  const auto number = std::strtod(text.c_str(), &end);
  const std::string_view unit = end;
  const auto at = std::string_view("KMG").find(unit.empty() ? 'X' : unit[0]);
  const bool is_right = number > 0 && number < 1e9 && (unit.empty() || (unit.size() == 1 && at != unit.npos));
  if (!is_right || !std::isdigit(static_cast<unsigned char>(text[0])))
    refuse(tr("'{}' is no rate", text), tr_text("--limit-rate takes bytes a second, such as 500K or 2M"));
  return static_cast<std::uint64_t>(number * (unit.empty() ? 1 : std::pow(1024, at + 1)));
}

unsigned read_connections(const std::string& text) {
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number < 1 || number > connections_limit)
    refuse(tr("'{}' is no number of connections", text),
           tr("--connections takes 1 to {}", connections_limit));
  return number;
}

void require_value(const std::string& value, const std::string& name, const std::string& hint) {
  if (value.empty() || value.starts_with('-')) refuse(tr("option '{}' needs a value", name), hint);
}

void check_store(const StoreOptions& options, const std::string& hint) {
  check_action("store", options.action, {}, hint);
  if (options.keep < 0) refuse(tr_text("option '--keep' needs a number from 0 up"), hint);
  if (options.json && options.action != "list") refuse(tr_text("only 'store list' prints JSON"), hint);
}

void check_fetch(const FetchOptions& options, const std::string& hint) {
  if (options.import_files && options.words.empty()) refuse(tr_text("'fetch --import' needs a file"), hint);
  if (options.import_files && (options.offline || options.locked || !options.archives.empty()))
    refuse(tr_text("'fetch --import' takes no option about sources"), hint);
  if (!options.import_files && options.words.empty())
    refuse(tr_text("'fetch' needs a profile"), "cudapin list");
  if (!options.import_files && options.words.size() > 1)
    refuse(tr("unexpected argument '{}'", options.words[1]), hint);
}

void check_packages(const std::vector<std::string>& names, const std::string& hint) {
  if (names.empty()) refuse(tr_text("'versions' needs a package"), hint);
  for (const auto& name : names)
    if (!is_package_name(name)) refuse(tr("'{}' is no package name", name), hint);
}

void check_guard(const GuardOptions& options, const std::string& hint) {
  const std::span words(options.words);
  if (words.empty()) check_action("guard", "", {}, hint);
  check_action("guard", words[0], words.subspan(1), hint);
}

void check_profile(const ProfileOptions& options, const std::string& hint) {
  check_action("profile", options.action, options.words, hint);
  if (options.action == "export" && options.output.empty())
    refuse(tr_text("'profile export' needs '--output' and a file"), hint);
  if (options.days < 1 || options.days > 3650)
    refuse(tr_text("option '--days' needs a number from 1 to 3650"), hint);
}

}  // namespace cudapin
