// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/upgrade_forecast.hpp"

#include "core/satisfiers.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace cudapin {

namespace {

constexpr std::string_view remedy = "cudapin upgrade";

std::string label(const Package& package) { return package.name + " " + package.version; }

class Forecast {
 public:
  Forecast(std::span<const Package> after, std::span<const std::string> pins,
           const RepositoryIndex& repositories)
      : after_(after), pins_(pins) {
    for (const auto& package : after) {
      auto newer = repositories.find(package.name);
      const bool is_newer = newer && compare_versions(newer->package.version, package.version) > 0;
      if (is_newer && is_pinned(package.name))
        held_.push_back(fmt::format("{} (there is {})", label(package), newer->package.version));
      next_.push_back(is_newer && !is_pinned(package.name) ? std::move(newer->package) : package);
    }
  }

  std::vector<Finding> findings() {
    std::vector<Finding> found;
    if (!held_.empty()) found.push_back({Severity::note, "the pins hold back: " + join(held_, ", "), "", ""});
    const Satisfiers now(after_);
    const Satisfiers then(next_);
    for (std::size_t i = 0; i < next_.size(); ++i) add_jams(after_[i], next_[i], now, then, found);
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
        found.push_back(
            {Severity::warning,
             fmt::format("'pacman -Syu' will stop: the pinned {} needs '{}', which the new {} is not",
                         label(next), wanted.text(), keeper ? keeper->name : wanted.name),
             "", std::string(remedy)});
      } else if (before.version != next.version && keeper && is_pinned(keeper->name)) {
        found.push_back({Severity::warning,
                         fmt::format("'pacman -Syu' will stop: {} needs '{}', and {} is pinned at {}",
                                     label(next), wanted.text(), keeper->name, keeper->version),
                         "", std::string(remedy)});
      }
    }
  }

  std::span<const Package> after_;
  std::span<const std::string> pins_;
  std::vector<Package> next_;
  std::vector<std::string> held_;
};

}  // namespace

std::vector<Finding> forecast_upgrade(std::span<const Package> after, std::span<const std::string> pins,
                                      const RepositoryIndex& repositories) {
  return Forecast(after, pins, repositories).findings();
}

}  // namespace cudapin
