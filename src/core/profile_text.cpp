// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile_text.hpp"

#include "core/text.hpp"
#include "core/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace {

using yaml::scalar;

std::vector<std::string> texts_of(const std::vector<Dependency>& dependencies) {
  std::vector<std::string> texts;
  for (const auto& dependency : dependencies) texts.push_back(dependency.text());
  return texts;
}

std::string list_line(std::string_view indent, std::string_view key, const std::vector<std::string>& texts) {
  return texts.empty() ? "" : fmt::format("{}{}: {}\n", indent, key, yaml::flow_list(texts));
}

std::string file_text(const ProfilePackage& package) {
  auto text = fmt::format("  - file: {}\n    depends: {}\n", scalar(package.file),
                          yaml::flow_list(texts_of(package.depends)));
  text += list_line("    ", "provides", texts_of(package.provides));
  text += list_line("    ", "conflicts", texts_of(package.conflicts));
  text += list_line("    ", "replaces", texts_of(package.replaces));
  if (package.reason == Reason::dependency) text += "    as: dependency\n";
  if (package.only_if_installed) text += "    only_if_installed: true\n";
  return text;
}

std::string packages_text(const Profile& profile) {
  std::string text = "packages:\n";
  for (const auto& package : profile.packages)
    text += fmt::format("  {}: {}\n", package.name, scalar(package.version.text()));
  for (const auto& open : profile.open)
    text += fmt::format("  {}: {}\n", open.name, scalar(open.range.text()));
  if (profile.packages.empty()) return text;
  text += "files:\n";
  for (const auto& package : profile.packages) text += file_text(package);
  return text;
}

std::string tune_text(const Tuning& tune) {
  if (tune.empty()) return {};
  std::string text = "tune:\n";
  if (tune.persistence) text += fmt::format("  persistence: {}\n", *tune.persistence);
  if (tune.power_limit) text += fmt::format("  power_limit: {}\n", *tune.power_limit);
  return text;
}

constexpr std::string_view file_part = "file of ";

/// Every part of a profile as one line of text, by its name.
std::vector<Difference> parts_of(const Profile& profile) {
  std::vector<Difference> parts;
  for (const auto& package : profile.packages)
    parts.push_back({package.name, "", package.version.text(), true});
  for (const auto& open : profile.open) parts.push_back({open.name, "", open.range.text(), true});
  const auto add = [&](const std::string& part, const std::string& value) {
    if (!value.empty()) parts.push_back({part, "", value, false});
  };
  for (const auto& package : profile.packages) add(std::string(file_part) + package.name, package.file);
  add("pin_if_installed", join(profile.pin_if_installed, " "));
  for (const auto& wanted : profile.requirements) add("requires " + wanted.name, wanted.text());
  for (const auto& [name, value] : profile.environment) add("sets " + name, value);
  add("tune", profile.tune.text());
  add("generations", join(profile.generations, " "));
  add("snapshot", profile.snapshot);
  return parts;
}

const Difference* find_part(const std::vector<Difference>& parts, const Difference& wanted) {
  const auto found = std::ranges::find_if(parts, [&](const Difference& one) {
    return one.part == wanted.part && one.is_package == wanted.is_package;
  });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

std::string profile_text(const Profile& profile) {
  auto text =
      fmt::format("name: {}\nsummary: {}\nreason: {}\ngenerations: {}\n", scalar(profile.name),
                  scalar(profile.summary), scalar(profile.reason), yaml::flow_list(profile.generations));
  if (!profile.snapshot.empty()) text += fmt::format("snapshot: {}\n", scalar(profile.snapshot));
  text += packages_text(profile);
  text += list_line("", "pin_if_installed", profile.pin_if_installed);
  if (!profile.requirements.empty()) text += "requires:\n";
  for (const auto& wanted : profile.requirements)
    text += fmt::format("  {}: {}\n", wanted.name, scalar(wanted.text().substr(wanted.name.size())));
  if (!profile.environment.empty()) text += "environment:\n";
  for (const auto& [name, value] : profile.environment)
    text += fmt::format("  {}: {}\n", name, scalar(value));
  text += tune_text(profile.tune);
  return text + list_line("", "unverified", profile.unverified);
}

std::vector<Difference> differences(const Profile& from, const Profile& to) {
  const auto old_parts = parts_of(from);
  const auto new_parts = parts_of(to);
  std::vector<Difference> found;
  for (const auto& part : new_parts) {
    const auto* old_part = find_part(old_parts, part);
    if (!old_part || old_part->to != part.to)
      found.push_back({part.part, old_part ? old_part->to : "", part.to, part.is_package});
  }
  for (const auto& part : old_parts)
    if (!find_part(new_parts, part)) found.push_back({part.part, part.to, "", part.is_package});
  // Another version is another file, of course.
  std::erase_if(found, [versions = found](const Difference& one) {
    return one.part.starts_with(file_part) &&
           find_part(versions, {one.part.substr(file_part.size()), "", "", true});
  });
  std::stable_partition(found.begin(), found.end(), [](const Difference& one) { return one.is_package; });
  return found;
}

std::vector<Difference> differences(const std::map<std::string, std::string>& installed, const Profile& to) {
  std::vector<Difference> found;
  for (const auto& package : to.packages) {
    const auto now = installed.find(package.name);
    if (now == installed.end() && package.only_if_installed) continue;
    if (now == installed.end() || now->second != package.version.text())
      found.push_back({package.name, now == installed.end() ? "" : now->second, package.version.text()});
  }
  for (const auto& open : to.open) {
    const auto now = installed.find(open.name);
    if (now == installed.end() || !open.range.holds(*Version::parse(now->second)))
      found.push_back({open.name, now == installed.end() ? "" : now->second, open.range.text()});
  }
  return found;
}

}  // namespace cudapin
