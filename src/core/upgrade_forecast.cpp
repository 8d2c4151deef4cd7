// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/upgrade_forecast.hpp"

#include "core/pins.hpp"
#include "core/satisfiers.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <string_view>

namespace cudapin {

namespace {

constexpr std::string_view remedy = "cudapin upgrade";

bool exclude(const Package& one, const Package& other) { return refuses(one, other) || refuses(other, one); }

class Forecast {
 public:
  Forecast(std::span<const Package> after, std::span<const std::string> pins,
           std::span<const std::string> ignored, const RepositoryIndex& repositories)
      : after_(after), pins_(pins) {
    for (const auto& package : after) {
      auto newer = repositories.find(package.name);
      const bool is_newer = newer && compare_versions(newer->package.version, package.version) > 0;
      if (is_newer && is_pinned(package.name))
        held_.push_back(tr("{} (there is {})", label(package), newer->package.version));
      if (is_pinned(package.name)) pinned_.push_back(package);
      const bool stays =
          !is_newer || is_pinned(package.name) || !covering_entry(ignored, package.name).empty();
      next_.push_back(stays ? package : std::move(newer->package));
    }
  }

  std::vector<Finding> findings() {
    std::vector<Finding> found;
    if (!held_.empty())
      found.push_back({Severity::note, tr("the pins hold back: {}", join(held_, ", ")), "", ""});
    const Satisfiers now(after_);
    const Satisfiers then(next_);
    for (std::size_t i = 0; i < next_.size(); ++i) {
      add_jams(after_[i], next_[i], now, then, found);
      if (after_[i].version != next_[i].version) add_conflicts(after_[i], next_[i], found);
    }
    return found;
  }

 private:
  bool is_pinned(const std::string& name) const { return std::ranges::find(pins_, name) != pins_.end(); }

  /// What is unmet then and has to do with a pin; what is broken now stays so whatever the pins are.
  void add_jams(const Package& before, const Package& next, const Satisfiers& now, const Satisfiers& then,
                std::vector<Finding>& found) const {
    for (const auto& wanted : next.depends) {
      if (then.find(wanted)) continue;
      const auto* keeper = now.find({wanted.name, "", ""});
      if (is_pinned(next.name) && now.find(wanted)) {
        found.push_back({Severity::warning,
                         tr("'pacman -Syu' will stop: the pinned {} needs '{}', which the new {} is not",
                            label(next), wanted.text(), keeper ? keeper->name : wanted.name),
                         "", std::string(remedy)});
      } else if (before.version != next.version && keeper && is_pinned(keeper->name)) {
        found.push_back({Severity::warning,
                         tr("'pacman -Syu' will stop: {} needs '{}', and {} is pinned at {}", label(next),
                            wanted.text(), keeper->name, keeper->version),
                         "", std::string(remedy)});
      }
    }
  }

  /// A new version that a pinned package excludes, as the old one does not.
  void add_conflicts(const Package& before, const Package& next, std::vector<Finding>& found) const {
    for (const auto& kept : pinned_)
      if (exclude(next, kept) && !exclude(before, kept))
        found.push_back({Severity::warning,
                         tr("'pacman -Syu' will stop: {} cannot be installed beside the pinned {}",
                            label(next), label(kept)),
                         "", std::string(remedy)});
  }

  std::span<const Package> after_;
  std::span<const std::string> pins_;
  std::vector<Package> next_;
  std::vector<Package> pinned_;
  std::vector<std::string> held_;
};

}  // namespace

std::vector<Finding> forecast_upgrade(std::span<const Package> after, std::span<const std::string> pins,
                                      std::span<const std::string> ignored,
                                      const RepositoryIndex& repositories) {
  return Forecast(after, pins, ignored, repositories).findings();
}

}  // namespace cudapin
