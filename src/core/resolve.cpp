// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/resolve.hpp"

#include "core/error.hpp"
#include "core/family.hpp"
#include "core/package_class.hpp"
#include "core/plan.hpp"
#include "core/profile_words.hpp"
#include "core/satisfiers.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace cudapin {

namespace {

/// More tries than any sane profile takes; a profile of many ranges that exclude each other ends here.
constexpr int most_tries = 5000;
constexpr std::size_t most_versions = 300;

ProfilePackage from_repository(const RepositoryPackage& one, Reason reason) {
  return {.name = one.package.name,
          .version = *Version::parse(one.package.version),
          .file = one.file,
          .depends = one.package.depends,
          .provides = one.package.provides,
          .conflicts = one.package.conflicts,
          .replaces = one.replaces,
          .reason = reason,
          .size = one.size,
          .sha256 = one.sha256};
}

/// The versions of one range, newest first, each once and the nearest place first.
struct Choice {
  const OpenPackage* open;
  std::vector<ProfilePackage> versions;
};

class Resolver {
 public:
  Resolver(const Profile& profile, std::span<const Package> installed, const Supplies& supplies)
      : profile_(profile), installed_(installed), supplies_(supplies) {}

  Resolution run() {
    choose_versions();
    throw_if_any();
    close();
    throw_if_any();
    return {std::move(profile_), std::move(notes_)};
  }

 private:
  void choose_versions();
  Choice choice_for(const OpenPackage& open);
  ProfilePackage described(const ArchivedFile& found, const RepositoryIndex* snapshot) const;
  bool choose_from(std::span<const Choice> choices);
  bool fits(const ProfilePackage& one) const;

  void close();
  void meet(const Package& user, const Dependency& wanted);
  bool meet_from(const RepositoryIndex* index, const std::string& place, const Package& user,
                 const Dependency& wanted);
  bool refuse_to_move(const Package& user, const Dependency& wanted, const RepositoryPackage& one,
                      bool is_own);
  void complain_missing(const Package& user, const Dependency& wanted);
  void throw_if_any() const {
    if (!problems_.empty()) throw Error(join(problems_, "\n"), hint_);
  }

  Profile profile_;
  std::span<const Package> installed_;
  const Supplies& supplies_;
  const RepositoryIndex* own_ = nullptr;  ///< the repositories of the machine
  std::vector<Package> staying_;          ///< what neither leaves nor changes, whatever is chosen
  std::vector<Package> after_;            ///< what will be installed, as far as it is known
  std::optional<Satisfiers> satisfiers_;
  std::vector<Finding> notes_;
  std::vector<std::string> problems_;
  std::string hint_;
  std::set<std::string> missing_;  ///< what nobody has
  bool is_plain_ = true;           ///< and pacman would be asked for it by name
  int tries_ = 0;
};

/// Dependencies and size are the snapshot's where it has that very version; otherwise the file tells them
/// once it is there.
ProfilePackage Resolver::described(const ArchivedFile& found, const RepositoryIndex* snapshot) const {
  const auto known = snapshot ? snapshot->find(found.file.name) : std::nullopt;
  if (known && known->file == found.file.text()) return from_repository(*known, Reason::explicitly);
  ProfilePackage one{.name = found.file.name, .version = found.file.version, .file = found.file.text()};
  one.size = found.size.value_or(0);
  return one;
}

Choice Resolver::choice_for(const OpenPackage& open) {
  Choice choice{&open, {}};
  auto files = supplies_.files ? supplies_.files(open.name) : std::vector<ArchivedFile>{};
  const auto* snapshot = supplies_.snapshot ? supplies_.snapshot() : nullptr;
  std::erase_if(files, [&](const ArchivedFile& found) {
    return found.file.name != open.name || !open.range.holds(found.file.version);
  });
  std::ranges::stable_sort(files, [](const ArchivedFile& left, const ArchivedFile& right) {
    return compare_versions(left.file.version.text(), right.file.version.text()) > 0;
  });
  for (const auto& found : files)
    if (choice.versions.empty() || choice.versions.back().version != found.file.version)
      choice.versions.push_back(described(found, snapshot));
  if (snapshot && choice.versions.empty())
    if (const auto one = snapshot->find(open.name))
      if (const auto version = Version::parse(one->package.version); version && open.range.holds(*version))
        choice.versions.push_back(from_repository(*one, Reason::explicitly));
  if (choice.versions.empty() && supplies_.named) {
    choice.versions = supplies_.named(open.name);
    std::erase_if(choice.versions, [&](const ProfilePackage& one) { return !open.range.holds(one.version); });
    std::ranges::stable_sort(choice.versions, [](const ProfilePackage& left, const ProfilePackage& right) {
      return compare_versions(left.version.text(), right.version.text()) > 0;
    });
  }
  if (choice.versions.size() > most_versions)
    choice.versions.erase(choice.versions.begin() + most_versions, choice.versions.end());
  if (choice.versions.empty())
    problems_.push_back(
        tr("{}: no source has a version of '{}' that is {}", open.place, open.name, open.range.text()));
  return choice;
}

/// Whether a version agrees with all bounds on it of what was chosen and of what stays, and they with its
/// own.
bool Resolver::fits(const ProfilePackage& one) const {
  const auto package = as_package(one);
  const auto agrees = [](const Package& user, const Package& used) {
    return std::ranges::all_of(user.depends, [&](const Dependency& wanted) {
      return wanted.name != used.name || satisfies(used, wanted);
    });
  };
  for (const auto& other : profile_.packages)
    if (!agrees(as_package(other), package) || !agrees(package, as_package(other))) return false;
  const auto* now = find_named(installed_, one.name);
  return std::ranges::all_of(staying_, [&](const Package& other) {
    const bool counts = now && agrees(other, *now);  // what is broken already is not our doing
    return (!counts || agrees(other, package)) && agrees(package, other);
  });
}

bool Resolver::choose_from(std::span<const Choice> choices) {
  if (choices.empty()) return true;
  for (const auto& version : choices.front().versions) {
    if (++tries_ > most_tries) return false;
    if (!fits(version)) continue;
    profile_.packages.push_back(version);
    if (choose_from(choices.subspan(1))) return true;
    profile_.packages.pop_back();
  }
  return false;
}

void Resolver::choose_versions() {
  const auto open = std::exchange(profile_.open, {});
  std::vector<Choice> choices;
  for (const auto& one : open) choices.push_back(choice_for(one));
  hint_ = tr_text("cudapin versions NAME lists what there is");
  if (!problems_.empty()) return;
  staying_ = untouched_by(profile_, installed_);
  std::erase_if(staying_, [&](const Package& package) {
    return std::ranges::find(open, package.name, &OpenPackage::name) != open.end();
  });
  const auto first = profile_.packages.size();
  if (!choose_from(choices)) {
    std::vector<std::string> ranges;
    for (const auto& one : open) ranges.push_back(fmt::format("{} {}", one.name, one.range.text()));
    problems_.push_back(
        tr("no versions fit together with the profile's other packages and what is installed: {}",
           join(ranges, ", ")));
  }
  for (auto i = first; i < profile_.packages.size(); ++i)
    notes_.push_back({.severity = Severity::note,
                      .what = tr("{} is the newest '{}' that fits: {}", profile_.packages[i].name,
                                 open[i - first].range.text(), profile_.packages[i].version.text()),
                      .evidence = profile_.packages[i].file});
}

/// An installed package that would have to change for it: only one of the family may. A compiler that the
/// machine has not comes from its own repositories, where it goes with its gcc-libs, and from nowhere else.
bool Resolver::refuse_to_move(const Package& user, const Dependency& wanted, const RepositoryPackage& one,
                              bool is_own) {
  const auto* now = find_named(installed_, one.package.name);
  const bool is_fixed = is_foundation(one.package.name);
  const auto has_family = [&](const ProfilePackage& other) {
    return moves_with(other.name, one.package.name);
  };
  if (!now && (!is_fixed || is_own)) return false;
  if (now && !is_fixed && std::ranges::any_of(profile_.packages, has_family)) return false;
  problems_.push_back(
      now ? tr("{} needs '{}', and the installed {} would have to become {} for it: {} stays as it is",
               label(user), wanted.text(), label(*now), one.package.version, now->name)
          : tr("{} needs '{}', and {} of another day than the system is never brought", label(user),
               wanted.text(), one.package.name));
  hint_ =
      tr("a version of {} that takes the installed one, or upgrade the system first: pacman -Syu", user.name);
  return true;
}

bool Resolver::meet_from(const RepositoryIndex* index, const std::string& place, const Package& user,
                         const Dependency& wanted) {
  if (!index) return false;
  const auto found = index->satisfiers(wanted);
  if (found.empty()) return false;
  const auto& one = found.front();
  if (refuse_to_move(user, wanted, one, index == own_)) return true;
  auto added = from_repository(one, Reason::dependency);
  // A gccN leaves the repositories; a part of the driver goes on with the driver.
  added.is_pinned = moves_with(added.name, added.name) && class_of(added.name) != PackageClass::driver;
  notes_.push_back({.severity = Severity::note,
                    .what = tr("{} {} comes along, {} needs it", added.name, added.version.text(), user.name),
                    .evidence = place});
  profile_.packages.push_back(std::move(added));
  satisfiers_.reset();
  return true;
}

/// Said in the words of the plan, so that a person reads the same whether or not there was anywhere to look.
void Resolver::complain_missing(const Package& user, const Dependency& wanted) {
  const auto* now = find_named(installed_, wanted.name);
  problems_.push_back(
      now ? tr("{} needs '{}', the installed {} is not that, and no repository has one that is", label(user),
               wanted.text(), label(*now))
          : tr("{} needs '{}', which no installed package, none of the profile and no repository provides",
               label(user), wanted.text()));
  is_plain_ &= !now && wanted.op.empty() && wanted.name.find(".so") == wanted.name.npos;
  missing_.insert(wanted.name);
  hint_ = is_plain_ ? "pacman -S --needed --asdeps " +
                          join(std::vector<std::string>(missing_.begin(), missing_.end()), " ")
                    : tr("cudapin show {} lists what the profile needs", profile_.name);
}

void Resolver::meet(const Package& user, const Dependency& wanted) {
  if (!satisfiers_) {
    after_ = packages_after(profile_, installed_);
    satisfiers_.emplace(after_);
  }
  if (satisfiers_->find(wanted)) return;
  own_ = supplies_.repositories ? supplies_.repositories() : nullptr;
  if (meet_from(own_, tr_text("from the repositories of this system"), user, wanted)) return;
  const auto* snapshot = supplies_.snapshot ? supplies_.snapshot() : nullptr;
  if (meet_from(snapshot, tr("from the repositories of {}", profile_.snapshot), user, wanted)) return;
  complain_missing(user, wanted);
}

/// What was added needs things too, so the list grows while it is gone through.
void Resolver::close() {
  profile_ = for_installed(std::move(profile_), installed_);
  for (std::size_t i = 0; i < profile_.packages.size(); ++i) {
    const auto user = as_package(profile_.packages[i]);
    for (const auto& wanted : user.depends) meet(user, wanted);
  }
}

}  // namespace

Resolution resolve(const Profile& profile, std::span<const Package> installed, const Supplies& supplies) {
  return Resolver(profile, installed, supplies).run();
}

}  // namespace cudapin
