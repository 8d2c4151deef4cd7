// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard_rules.hpp"

#include "core/language.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace cudapin::guard {

namespace {

using Answer = std::optional<Objection>;

/// Whether the target becomes something else than `version`; what is not known counts as different.
bool leaves(const GuardTarget& target, const std::string& version) {
  if (target.operation == Operation::remove || target.operation == Operation::change) return true;
  return target.offered.empty() || std::any_of(target.offered.begin(), target.offered.end(),
                                               [&](const auto& offered) { return offered != version; });
}

bool moves(const GuardTarget& target) { return leaves(target, target.installed); }

/// "4:590.48.01-1" -> "590.48.01"
std::string_view upstream(std::string_view version) {
  if (const auto colon = version.find(':'); colon != version.npos) version.remove_prefix(colon + 1);
  return version.substr(0, version.rfind('-'));
}

bool has_target(const GuardInput& input, std::string_view name) {
  return std::any_of(input.targets.begin(), input.targets.end(),
                     [&](const GuardTarget& target) { return target.name == name; });
}

Answer pinned_package_moves(const GuardInput& input, const GuardTarget& target) {
  const auto pin = input.pins.versions.find(target.name);
  if (pin == input.pins.versions.end() || !leaves(target, pin->second)) return std::nullopt;
  const bool is_there = target.installed == pin->second;
  const auto* const form =
      input.pins.profile.empty()
          ? (is_there ? tr_text("is pinned") : tr_text("is pinned at {1}"))
          : (is_there ? tr_text("is pinned by profile {0}") : tr_text("is pinned by profile {0} at {1}"));
  return Objection{&target, filled(form, {input.pins.profile, pin->second}),
                   tr_text("to change a pin: cudapin use PROFILE, or cudapin release")};
}

/// Beside a loaded module, a further package of the very same driver breaks nothing.
bool joins_loaded_driver(const GuardInput& input, const GuardTarget& target) {
  return target.operation == Operation::install && !input.loaded_driver.empty() && !target.offered.empty() &&
         std::all_of(target.offered.begin(), target.offered.end(),
                     [&](const auto& offered) { return upstream(offered) == input.loaded_driver; });
}

std::string used_by(const GuardInput& input, const std::string& name) {
  for (const auto& work : input.work)
    if (std::find(work.uses.begin(), work.uses.end(), name) != work.uses.end())
      return filled(tr_text("is in use by pid {}"), {std::to_string(work.pid)});
  return {};
}

/// Where running work could not be looked for, the driver is not risked while its compute module is loaded.
Answer moves_unseen(const GuardInput& input, const GuardTarget& target, PackageClass package_class) {
  const bool may_break = package_class == PackageClass::driver && input.uvm_is_loaded;
  if (!may_break && !input.policy.blocks_on_error) return std::nullopt;
  return Objection{&target, filled(tr_text("may be in use: {}"), {input.blindness}),
                   tr_text("set on-error in /etc/cudapin/guard.conf to say what happens then")};
}

Answer running_work_breaks(const GuardInput& input, const GuardTarget& target) {
  const auto package_class = class_in(input, target.name);
  if (!is_about_work(input, package_class) || !moves(target)) return std::nullopt;
  if (!input.blindness.empty()) return moves_unseen(input, target, package_class);
  const bool is_system_wide = package_class == PackageClass::driver || package_class == PackageClass::kernel;
  if (!is_system_wide) {
    auto reason = used_by(input, target.name);
    return reason.empty() ? std::nullopt : Answer(Objection{&target, std::move(reason), ""});
  }
  if (input.work.empty() || joins_loaded_driver(input, target)) return std::nullopt;
  return Objection{&target,
                   package_class == PackageClass::driver ? tr_text("is the driver of running work")
                                                         : tr_text("is the kernel under running work"),
                   ""};
}

Answer card_loses_support(const GuardInput& input, const GuardTarget& target) {
  const auto family = bound_family(input, target.name);
  if (family.empty() || target.operation == Operation::remove) return std::nullopt;
  for (const auto& limit : input.bounds.limits) {
    if (limit.family != family || is_beyond(target.installed, limit.last)) continue;
    const bool drops = std::any_of(target.offered.begin(), target.offered.end(),
                                   [&](const auto& offered) { return is_beyond(offered, limit.last); });
    if (drops)
      return Objection{
          &target,
          filled(tr_text("no longer serves the {}, the last that does is {}"), {limit.card, limit.release}),
          ""};
  }
  return std::nullopt;
}

/// dkms builds for a kernel only when its headers come with it.
bool builds_itself(const GuardInput& input, std::string_view kernel) {
  return has_target(input, std::string(kernel) + "-headers");
}

Answer pinned_driver_loses_module(const GuardInput& input, const GuardTarget& target) {
  if (class_in(input, target.name) != PackageClass::kernel || target.name.ends_with("-headers") ||
      target.operation == Operation::install || !moves(target))
    return std::nullopt;
  for (const auto& [name, version] : input.pins.versions) {
    if (has_target(input, name)) continue;
    const bool is_built_for_it = kernel_of_module(name) == target.name;
    const bool is_dkms = name.starts_with("nvidia") && name.ends_with("dkms") &&
                         target.operation != Operation::remove && !builds_itself(input, target.name);
    if (is_built_for_it)
      return Objection{
          &target, filled(tr_text("leaves the pinned {} {} without a module"), {name, version}),
          filled(tr_text("to keep both: pin {} too, or use the dkms package of that driver"), {target.name})};
    if (is_dkms)
      return Objection{&target, filled(tr_text("leaves the pinned {} {} without a module"), {name, version}),
                       filled(tr_text("to have dkms build it: {}"),
                              {"pacman -S " + target.name + " " + target.name + "-headers"})};
  }
  return std::nullopt;
}

Answer is_frozen(const GuardInput& input, const GuardTarget& target) {
  for (const auto& freeze : input.freezes) {
    const bool named = freeze.packages.empty() || std::find(freeze.packages.begin(), freeze.packages.end(),
                                                            target.name) != freeze.packages.end();
    if (freeze.end > input.now && named)
      return Objection{&target,
                       filled(tr_text("is frozen by {} until {}: {}"),
                              {freeze.owner, time_text(freeze.end), freeze.reason}),
                       tr_text("to end the freeze: cudapin thaw")};
  }
  return std::nullopt;
}

struct Rule {
  bool binds_cudapin;  ///< `use` has judged the others itself; recovery is bound by none
  Answer (*judge)(const GuardInput&, const GuardTarget&);
};

constexpr std::array rules{
    Rule{false, &pinned_package_moves},
    Rule{true, &running_work_breaks},
    Rule{false, &card_loses_support},
    Rule{true, &pinned_driver_loses_module},
    Rule{true, &is_frozen},
};

}  // namespace

std::vector<Objection> objections(const GuardInput& input) {
  std::vector<Objection> all;
  if (input.transactor == Transactor::recovery) return all;
  for (const auto& target : input.targets)
    for (const auto& rule : rules)
      if (rule.binds_cudapin || input.transactor == Transactor::foreign)
        if (auto objection = rule.judge(input, target)) all.push_back(std::move(*objection));
  return all;
}

PackageClass class_in(const GuardInput& input, std::string_view package) {
  const bool further = std::find(input.bounds.drivers.begin(), input.bounds.drivers.end(), package) !=
                       input.bounds.drivers.end();
  return further ? PackageClass::driver : class_of(package);
}

bool is_about_work(const GuardInput& input, PackageClass package_class) {
  using enum PackageClass;
  return package_class == driver || package_class == toolkit || package_class == framework ||
         (input.policy.strict && (package_class == kernel || package_class == interpreter));
}

bool is_beyond(std::string_view version, std::string_view last) {
  version = upstream(version);
  const auto next = [](std::string_view& text) {
    long value = 0;
    const auto dot = std::min(text.find('.'), text.size());
    std::from_chars(text.data(), text.data() + dot, value);
    text.remove_prefix(std::min(dot + 1, text.size()));
    return value;
  };
  while (!last.empty()) {
    const long mine = next(version);
    const long limit = next(last);
    if (mine != limit) return mine > limit;
  }
  return false;
}

std::string_view bound_family(const GuardInput& input, std::string_view package) {
  if (class_in(input, package) == PackageClass::driver) return "driver";
  if (package.starts_with("cudnn")) return "cudnn";
  return package == "cuda" || package == "cuda-tools" ? "toolkit" : "";
}

}  // namespace cudapin::guard
