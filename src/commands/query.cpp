// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "commands/profiles.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/http.hpp"
#include "system/state.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace {

/// A profile or the reason why its file cannot be read: one bad file must not hide the others.
struct Listed {
  ProfileEntry entry;
  Profile profile;
  std::string problem;
};

std::vector<Listed> read_all(const Host& host) {
  std::vector<Listed> all;
  for (const auto& entry : known_profiles(host)) {
    Listed listed{entry, {}, ""};
    try {
      listed.profile = load_profile(host, entry.name);
    } catch (const Error& error) {
      listed.problem = error.what();
    }
    all.push_back(std::move(listed));
  }
  return all;
}

/// Where a profile comes from, when it is not built in, and which one of its name it hides.
std::string layer_note(const ProfileEntry& entry) {
  if (entry.layer == "built-in") return {};
  auto note = " (" + entry.layer;
  if (!entry.source.empty()) note += ": " + shown_url(entry.source);
  if (!entry.hides.empty())
    note += tr("; hides the one that is {}", join(entry.hides, tr_text(" and the one that is ")));
  return note + ")";
}

nlohmann::json list_json(const std::vector<Listed>& all, const std::string& active) {
  auto profiles = nlohmann::json::array();
  for (const auto& one : all)
    profiles.push_back({{"name", one.entry.name},
                        {"summary", one.profile.summary},
                        {"generations", one.profile.generations},
                        {"layer", one.entry.layer},
                        {"source", one.entry.source},
                        {"hides", one.entry.hides},
                        {"path", one.entry.path.string()},
                        {"active", one.entry.name == active},
                        {"problem", one.problem}});
  return {{"schema", 1}, {"profiles", profiles}};
}

nlohmann::json package_json(const ProfilePackage& package) {
  std::vector<std::string> depends;
  for (const auto& dependency : package.depends) depends.push_back(dependency.text());
  return {{"name", package.name},
          {"version", package.version.text()},
          {"file", package.file},
          {"depends", depends},
          {"only_if_installed", package.only_if_installed},
          {"reason", package.reason == Reason::dependency ? "dependency" : "explicit"}};
}

nlohmann::json tune_json(const Tuning& tuning) {
  auto json = nlohmann::json::object();
  if (tuning.persistence) json["persistence"] = *tuning.persistence;
  if (tuning.power_limit) json["power_limit"] = *tuning.power_limit;
  return json;
}

nlohmann::json show_json(const Profile& profile) {
  auto packages = nlohmann::json::array();
  for (const auto& package : profile.packages) packages.push_back(package_json(package));
  auto open = nlohmann::json::array();
  for (const auto& package : profile.open)
    open.push_back({{"name", package.name}, {"range", package.range.text()}});
  nlohmann::json environment = nlohmann::json::object();
  for (const auto& [name, value] : profile.environment) environment[name] = value;
  std::vector<std::string> requirements;
  for (const auto& wanted : profile.requirements) requirements.push_back(wanted.text());
  return {{"schema", 1},
          {"name", profile.name},
          {"summary", profile.summary},
          {"reason", profile.reason},
          {"generations", profile.generations},
          {"snapshot", profile.snapshot},
          {"packages", packages},
          {"open", open},
          {"pin_if_installed", profile.pin_if_installed},
          {"requires", requirements},
          {"environment", environment},
          {"tune", tune_json(profile.tune)},
          {"unverified", profile.unverified},
          {"origin", profile.origin},
          {"extends", profile.bases}};
}

std::string show_text(const Profile& profile, const Style& style) {
  std::vector<Row> rows{{tr_text("Profile"), "", profile.name + ": " + profile.summary},
                        {tr_text("For"), "", join(profile.generations, ", ")},
                        {tr_text("Why"), "", profile.reason},
                        {tr_text("File"), "", profile.origin}};
  for (const auto& base : profile.bases) rows.push_back({tr_text("Extends"), "", base});
  if (!profile.snapshot.empty()) rows.push_back({tr_text("Stood on"), "", profile.snapshot});
  for (const auto& wanted : profile.requirements) rows.push_back({tr_text("Needs"), "", wanted.text()});
  if (!profile.pin_if_installed.empty())
    rows.push_back(
        {tr_text("Pins too"), "", tr("{} (where installed)", join(profile.pin_if_installed, " "))});
  for (const auto& [name, value] : profile.environment)
    rows.push_back({tr_text("Sets"), "", name + "=" + value});
  if (!profile.tune.empty()) rows.push_back({tr_text("Tunes"), "", profile.tune.text()});
  for (const auto& text : profile.unverified) rows.push_back({tr_text("Unverified"), "", text});
  auto out = table(rows, style) + "\n";
  rows.clear();
  for (const auto& package : profile.packages) {
    std::vector<std::string> depends;
    for (const auto& dependency : package.depends) depends.push_back(dependency.text());
    auto note = depends.empty() ? "" : tr("needs {}", join(depends, " "));
    if (package.only_if_installed)
      note += std::string(note.empty() ? "" : "; ") + tr_text("only where it is installed");
    rows.push_back({package.name, package.version.text(), note});
  }
  for (const auto& package : profile.open)
    rows.push_back({package.name, package.range.text(), tr_text("a range: no version is chosen yet")});
  return out + table(rows, style);
}

}  // namespace

ExitStatus list(const ListOptions& options, const Host& host) {
  const auto all = read_all(host);
  const auto state = read_state(host);
  const auto active = state ? state->profile : "";
  if (options.json) {
    *host.out << json_text(list_json(all, active));
    return ExitStatus::done;
  }
  std::vector<Row> rows;
  for (const auto& one : all) {
    if (options.quiet)
      *host.out << printable(one.entry.name) << '\n';
    else
      rows.push_back({(one.entry.name == active ? "* " : "  ") + one.entry.name,
                      one.problem.empty() ? join(one.profile.generations, ", ") : tr_text("unreadable"),
                      (one.problem.empty() ? one.profile.summary : one.problem) + layer_note(one.entry)});
  }
  *host.out << table(rows, style_of(host));
  if (!options.quiet && all.empty()) *host.out << tr_text("no profiles are installed\n");
  return ExitStatus::done;
}

ExitStatus show(const ShowOptions& options, const Host& host) {
  const auto profile = load_profile(host, options.profile);
  *host.out << (options.json ? json_text(show_json(profile)) : show_text(profile, style_of(host)));
  return ExitStatus::done;
}

}  // namespace cudapin
