// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile.hpp"

#include "core/profile_draft.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

const ProfilePackage* Profile::find(std::string_view package) const {
  const auto found = std::ranges::find(packages, package, &ProfilePackage::name);
  return found == packages.end() ? nullptr : &*found;
}

namespace {

constexpr std::size_t depth_limit = 8;
constexpr auto format_hint = "man cudapin-profile";

using Pin = ProfileDraft::Pin;
using File = ProfileDraft::File;

std::string place_of(const ProfileDraft& draft, const Pin& pin) {
  return fmt::format("{}:{}:{}", draft.profile.origin, pin.line, pin.column);
}

/// A profile's own draft and those of the profiles it extends, nearest first, made one.
class Chain {
 public:
  Chain(std::string_view text, const std::string& origin, const ProfileLibrary& library);

  Profile join();

 private:
  /// A pin and how far from the own draft it was given.
  struct Given {
    const Pin* pin;
    std::size_t draft;
  };

  void climb(const ProfileLibrary& library);
  std::string base_problem(const ProfileLibrary& library, std::optional<ProfileLibrary::Source>& found) const;
  std::string way_to(const std::string& origin) const;
  std::vector<Given> pins() const;
  void add_package(Profile& profile, const Given& given);
  void check_orphans(const std::vector<Given>& given);
  bool files_are_whole() const;
  void throw_if_any() const;

  std::vector<ProfileDraft> drafts_;
  std::vector<yaml::Problem> unreadable_;  ///< of a base that is no YAML
};

Chain::Chain(std::string_view text, const std::string& origin, const ProfileLibrary& library) {
  drafts_.push_back(read_profile_draft(text, origin));
  climb(library);
}

void Chain::climb(const ProfileLibrary& library) {
  while (!drafts_.back().base.empty()) {
    auto& draft = drafts_.back();
    std::optional<ProfileLibrary::Source> found;
    if (const auto problem = base_problem(library, found); !problem.empty())
      return draft.problems.add(draft.base_line, draft.base_column, problem);
    try {
      drafts_.push_back(read_profile_draft(found->text, found->origin));
    } catch (const yaml::InvalidFile& error) {
      unreadable_ = error.problems;
      return;
    }
  }
}

/// Why the last draft's base cannot be read on, or empty and the base itself.
std::string Chain::base_problem(const ProfileLibrary& library,
                                std::optional<ProfileLibrary::Source>& found) const {
  const auto& draft = drafts_.back();
  const bool is_itself = draft.base == draft.profile.name;
  if (library.find) found = library.find(draft.base, is_itself ? draft.profile.origin : "");
  if (!found && is_itself) return tr("'{}' extends itself", draft.base);
  if (!found) {
    const auto nearest = closest(draft.base, library.names);
    return tr("no profile is called '{}'{}", draft.base,
              nearest.empty() ? "" : tr(", did you mean '{}'?", nearest));
  }
  if (const auto way = way_to(found->origin); !way.empty()) return tr("a loop of profiles: {}", way);
  if (drafts_.size() > depth_limit) return tr("more than {} profiles deep", depth_limit);
  return {};
}

/// `a -> b -> a` when the file is one of the chain, else empty.
std::string Chain::way_to(const std::string& origin) const {
  const auto first =
      std::ranges::find(drafts_, origin, [](const auto& draft) { return draft.profile.origin; });
  if (first == drafts_.end()) return {};
  std::string way;
  for (auto draft = first; draft != drafts_.end(); ++draft) way += draft->profile.name + " -> ";
  return way + first->profile.name;
}

/// The base's pins in its order, the own ones in their places or after them.
std::vector<Chain::Given> Chain::pins() const {
  std::vector<Given> all;
  for (auto i = drafts_.size(); i-- > 0;)
    for (const auto& pin : drafts_[i].pins) {
      const auto older = std::ranges::find(all, pin.name, [](const Given& given) { return given.pin->name; });
      if (older == all.end())
        all.push_back({&pin, i});
      else
        *older = {&pin, i};
    }
  return all;
}

bool Chain::files_are_whole() const {
  const bool is_bad = std::ranges::any_of(drafts_, &ProfileDraft::has_bad_file);
  return unreadable_.empty() && !is_bad && (drafts_.size() > 1 || drafts_.front().has_files);
}

/// The file of a pin is the nearest one that is not farther away than the pin itself.
void Chain::add_package(Profile& profile, const Given& given) {
  const auto& [name, version, range, line, column] = *given.pin;
  for (std::size_t i = 0; i <= given.draft; ++i) {
    const auto* file = drafts_[i].find_file(name);
    if (!file) continue;
    if (range || (version && version->text() != file->package.version.text()))
      drafts_[i].problems.add(
          file->line, file->column,
          tr("'{}' is version {}, but 'packages' has {}", file->package.file, file->package.version.text(),
             range ? "'" + range->text() + "'" : version->text()));
    profile.packages.push_back(file->package);
    return;
  }
  auto& draft = drafts_[given.draft];
  if (range)
    profile.open.push_back({name, *range, place_of(draft, *given.pin)});
  else if (version && files_are_whole())
    draft.problems.add(line, column, tr("'{}' has no entry in 'files'", name));
}

void Chain::check_orphans(const std::vector<Given>& given) {
  for (auto& draft : drafts_)
    for (const auto& file : draft.files)
      if (std::ranges::none_of(given, [&](const Given& one) { return one.pin->name == file.package.name; }))
        draft.problems.add(
            file.line, file.column,
            tr("'{}' is a file of '{}', which is not in 'packages'", file.package.file, file.package.name));
}

void Chain::throw_if_any() const {
  std::vector<yaml::Problem> all;
  for (const auto& draft : drafts_) {
    const auto problems = draft.problems.in_order();
    all.insert(all.end(), problems.begin(), problems.end());
  }
  all.insert(all.end(), unreadable_.begin(), unreadable_.end());
  if (!all.empty()) throw yaml::InvalidFile(std::move(all), format_hint);
}

/// `own` with what only `base` has, at the end.
template <typename Item, typename Key>
void complete(std::vector<Item>& own, const std::vector<Item>& base, Key key) {
  const auto given = own;
  for (const auto& item : base)
    if (std::ranges::find(given, std::invoke(key, item), key) == given.end()) own.push_back(item);
}

template <typename Value>
void inherit(Value& own, const Value& base) {
  if (own.empty()) own = base;
}

void inherit_from(Profile& profile, const Profile& base) {
  inherit(profile.summary, base.summary);
  inherit(profile.reason, base.reason);
  inherit(profile.generations, base.generations);
  inherit(profile.snapshot, base.snapshot);
  if (!profile.tune.persistence) profile.tune.persistence = base.tune.persistence;
  if (!profile.tune.power_limit) profile.tune.power_limit = base.tune.power_limit;
  complete(profile.pin_if_installed, base.pin_if_installed, std::identity{});
  complete(profile.requirements, base.requirements, &Dependency::name);
  complete(profile.environment, base.environment, &std::pair<std::string, std::string>::first);
  complete(profile.unverified, base.unverified, std::identity{});
  profile.bases.push_back(base.origin);
}

Profile Chain::join() {
  auto profile = drafts_.front().profile;
  for (std::size_t i = 1; i < drafts_.size(); ++i) inherit_from(profile, drafts_[i].profile);
  const auto given = pins();
  for (const auto& one : given) add_package(profile, one);
  check_orphans(given);
  throw_if_any();
  std::erase_if(profile.pin_if_installed, [&](const std::string& name) {
    return std::ranges::any_of(given, [&](const Given& one) { return one.pin->name == name; });
  });
  return profile;
}

}  // namespace

Package as_package(const ProfilePackage& wanted) {
  return {.name = wanted.name,
          .version = wanted.version.text(),
          .depends = wanted.depends,
          .provides = wanted.provides,
          .conflicts = wanted.conflicts};
}

Profile parse_profile(std::string_view text, const std::string& origin, const ProfileLibrary& library) {
  return Chain(text, origin, library).join();
}

void require_exact_versions(const Profile& profile) {
  std::vector<std::string> problems;
  for (const auto& package : profile.open)
    problems.push_back(tr("{}: '{}' needs an exact version in place of '{}', and its file", package.place,
                          package.name, package.range.text()));
  if (!problems.empty()) throw Error(join(problems, "\n"), format_hint);
}

Profile for_installed(Profile profile, std::span<const Package> installed) {
  std::erase_if(profile.packages, [&](const ProfilePackage& package) {
    return package.only_if_installed &&
           std::ranges::find(installed, package.name, &Package::name) == installed.end();
  });
  return profile;
}

}  // namespace cudapin
