// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard.hpp"

#include "core/guard_rules.hpp"
#include "core/language.hpp"

#include <algorithm>

namespace cudapin {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The first allowance in force that covers the package, or null.
const Allowance* allowance_for(const GuardInput& input, const std::string& name) {
  const auto covers = [&](const Allowance& allowance) {
    return allowance.end > input.now && (allowance.packages.empty() || contains(allowance.packages, name));
  };
  const auto found = std::find_if(input.allowances.begin(), input.allowances.end(), covers);
  return found == input.allowances.end() ? nullptr : &*found;
}

}  // namespace

const char* operation_word(Operation operation) {
  switch (operation) {
    case Operation::install:
      return tr_later("install");
    case Operation::upgrade:
      return tr_later("upgrade");
    case Operation::remove:
      return tr_later("remove");
    case Operation::change:
      break;
  }
  return tr_later("change");
}

Verdict judge(const GuardInput& input) {
  Verdict verdict;
  std::vector<guard::Objection> standing;
  for (auto& objection : guard::objections(input)) {
    const auto& name = objection.target->name;
    if (const auto* allowance = allowance_for(input, name)) {
      if (std::find(verdict.used.begin(), verdict.used.end(), *allowance) == verdict.used.end())
        verdict.used.push_back(*allowance);
      continue;
    }
    if (!contains(verdict.blocking, name)) verdict.blocking.push_back(name);
    standing.push_back(std::move(objection));
  }
  verdict.blocks = !standing.empty();
  if (verdict.blocks) verdict.lines = guard::message(input, standing, verdict.blocking);
  return verdict;
}

bool needs_work(const GuardInput& input) {
  return input.transactor != Transactor::recovery &&
         std::any_of(input.targets.begin(), input.targets.end(), [&](const GuardTarget& target) {
           return guard::is_about_work(input, guard::class_in(input, target.name));
         });
}

void drop_bystanders(GuardInput& input) {
  if (!input.freezes.empty()) return;
  std::erase_if(input.targets, [&](const GuardTarget& target) {
    return input.pins.versions.count(target.name) == 0 &&
           guard::class_in(input, target.name) == PackageClass::none;
  });
}

bool concerns_guard(const GuardInput& input) {
  if (input.transactor == Transactor::recovery || input.targets.empty()) return false;
  const auto pinned = [&](const GuardTarget& target) {
    return !input.pins.versions.empty() && (input.pins.versions.count(target.name) != 0 ||
                                            guard::class_in(input, target.name) == PackageClass::kernel);
  };
  return !input.freezes.empty() || needs_work(input) ||
         std::any_of(input.targets.begin(), input.targets.end(), pinned);
}

bool asks_who_uses(const GuardInput& input, std::string_view package) {
  const auto package_class = guard::class_in(input, package);
  return guard::is_about_work(input, package_class) && package_class != PackageClass::driver &&
         package_class != PackageClass::kernel;
}

bool needs_versions(const GuardInput& input) {
  const auto bounded = [&](const GuardTarget& target) {
    const auto family = guard::bound_family(input, target.name);
    return !family.empty() && std::any_of(input.bounds.limits.begin(), input.bounds.limits.end(),
                                          [&](const Bound& limit) { return limit.family == family; });
  };
  return !guard::objections(input).empty() ||
         (input.transactor == Transactor::foreign &&
          std::any_of(input.targets.begin(), input.targets.end(), bounded));
}

}  // namespace cudapin
