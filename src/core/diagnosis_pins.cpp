// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>

namespace cudapin::diagnosis {

using fmt::format;
using enum Severity;

namespace {

/// pacman reads a line into a buffer of this size, the end included; what is over becomes a line of its own.
constexpr std::size_t longest_line = 4095;

Findings pins_hold(const Examination& found) {
  Findings findings;
  for (const auto& pin : found.pins) {
    const auto evidence = tr("profile {}: {} {}", found.profile, pin.name, pin.version);
    if (pin.installed.empty())
      findings.push_back({error, tr("{} is pinned, but not installed", pin.name), evidence,
                          format("sudo cudapin use {}", found.profile)});
    else if (pin.installed != pin.version)
      findings.push_back({error,
                          tr("{} is pinned at {}, and {} is installed", pin.name, pin.version, pin.installed),
                          evidence, format("sudo cudapin use {}", found.profile)});
    if (!pin.in_force)
      findings.push_back({error, tr("{} is pinned, but pacman does not ignore it", pin.name),
                          tr_text("pacman-conf IgnorePkg does not list it"),
                          format("sudo cudapin use {}", found.profile)});
  }
  return findings;
}

struct Frozen {
  const char* package;
  Severity severity;
  const char* harm;
};

constexpr Frozen frozen[] = {
    {"archlinux-keyring", warning, tr_later("signatures of new packages will stop being accepted")},
    {"manjaro-keyring", warning, tr_later("signatures of new packages will stop being accepted")},
    {"glibc", warning, tr_later("every other upgrade will break programs sooner or later")},
    {"pacman", warning, tr_later("upgrades will fail when the package format or its library moves on")},
};

Findings vital_packages_move(const Examination& found) {
  Findings findings;
  for (const auto& row : frozen)
    for (const auto& pattern : found.ignored)
      if (::fnmatch(pattern.c_str(), row.package, 0) == 0)
        findings.push_back(
            {row.severity, tr("'{}' in IgnorePkg freezes {}: {}", pattern, row.package, tr_text(row.harm)),
             "pacman-conf IgnorePkg", tr("take '{}' out of IgnorePkg in /etc/pacman.conf", pattern)});
  return findings;
}

struct ConfLine {
  const TextFile& file;
  int number;
  std::string_view text;  ///< trimmed

  std::string place() const { return format("{}:{}", file.path, number); }
};

bool is_ignore_line(std::string_view line) {
  const auto equals = line.find('=');
  return equals != line.npos && trim(line.substr(0, equals)) == "IgnorePkg";
}

void look_at_line(const ConfLine& line, Findings& findings) {
  if (line.text.starts_with('#')) return;
  if (line.text.size() > longest_line)
    findings.push_back({error,
                        tr("this line has {} bytes, and pacman reads {}: the rest of it is lost",
                           line.text.size(), longest_line),
                        line.place(), tr_text("break it into several IgnorePkg lines")});
  if (!is_ignore_line(line.text)) return;
  const auto value = line.text.substr(line.text.find('=') + 1);
  if (const auto hash = value.find('#'); hash != value.npos)
    findings.push_back({warning,
                        tr("pacman knows no remarks behind a value: it takes '{}' for package names",
                           printable(trim(value.substr(hash)).substr(0, 80))),
                        line.place(), tr_text("put the remark on a line of its own that begins with #")});
  if (trim(value).find('\t') != value.npos)
    findings.push_back({warning,
                        tr_text("there is a tab between names; pacman parts them at blanks only, so these "
                                "names are not ignored"),
                        line.place(), tr_text("write blanks between the names")});
  if (value.find(',') != value.npos)
    findings.push_back({warning,
                        tr_text("there is a comma between names; pacman parts them at blanks only, so these "
                                "names are not ignored"),
                        line.place(), tr_text("write blanks between the names")});
}

Findings lines_mean_what_they_say(const Examination& found) {
  Findings findings;
  for (const auto& file : found.pacman_conf) {
    std::string section;
    int number = 0;
    for (std::size_t at = 0; at < file.text.size();) {
      const auto end = std::min(file.text.find('\n', at), file.text.size());
      const ConfLine line{file, ++number, trim(std::string_view(file.text).substr(at, end - at))};
      at = end + 1;
      if (line.text.starts_with('[') && line.text.ends_with(']')) section = line.text;
      look_at_line(line, findings);
      if (is_ignore_line(line.text) && !section.empty() && section != "[options]" &&
          !line.text.starts_with('#'))
        findings.push_back({warning,
                            tr("IgnorePkg stands under {}, where pacman passes over it", printable(section)),
                            line.place(), tr_text("move the line under [options]")});
    }
  }
  return findings;
}

Findings hooks_are_in_force(const Examination& found) {
  Findings findings;
  if (found.profile.empty()) return findings;
  if (!found.has_guard)
    findings.push_back(
        {error, tr_text("the guard is not installed, so nothing stops a direct change of a pinned package"),
         tr_text("/usr/lib/cudapin/cudapin-guard is missing"), tr_text("reinstall cudapin")});
  if (!found.guard_trouble.empty())
    findings.push_back({error, tr_text("the guard does not run, so the hooks let every transaction pass"),
                        "/usr/lib/cudapin/cudapin-guard check: " + printable(found.guard_trouble),
                        tr_text("reinstall cudapin")});
  for (const auto& hook : found.hooks) {
    if (!hook.installed)
      findings.push_back({error, tr("the hook {} is not installed, so the guard is not asked", hook.name),
                          tr("/usr/share/libalpm/hooks/{} is missing", hook.name),
                          tr_text("reinstall cudapin")});
    else if (!hook.hidden_by.empty())
      findings.push_back(
          {error,
           tr("the hook {} is {}, so the guard is not asked", hook.name,
              hook.masked ? tr_text("masked") : tr_text("replaced by another file of that name")),
           hook.hidden_by, format("sudo rm {}", hook.hidden_by)});
  }
  return findings;
}

Findings change_came_to_its_end(const Examination& found) {
  if (!found.change_unfinished) return {};
  return {{error,
           tr_text("a change of cudapin was interrupted, and the set is neither the old nor the new one"),
           "/var/lib/cudapin/journal", "sudo cudapin recover"}};
}

constexpr Rule all[] = {change_came_to_its_end, pins_hold, hooks_are_in_force, vital_packages_move,
                        lines_mean_what_they_say};

}  // namespace

std::span<const Rule> pin_rules() { return all; }

}  // namespace cudapin::diagnosis
