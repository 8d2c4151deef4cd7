// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/profiles.hpp"
#include "commands/style.hpp"
#include "core/compatibility_data.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "core/words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace {

struct Suggestion {
  std::string profile;
  std::string cuda;
  std::vector<Finding> findings;

  auto count(Severity severity) const { return std::ranges::count(findings, severity, &Finding::severity); }
  bool fits() const { return count(Severity::error) == 0; }
};

std::string upstream_of(const Profile& profile, std::string_view package) {
  const auto* found = profile.find(package);
  return found ? found->version.upstream() : std::string{};
}

/// Fewest reservations first, then the newest toolkit.
bool is_better(const Suggestion& left, const Suggestion& right) {
  if (left.fits() != right.fits()) return left.fits();
  const auto warnings = left.count(Severity::warning) - right.count(Severity::warning);
  return warnings != 0 ? warnings < 0 : compare_versions(left.cuda, right.cuda) > 0;
}

std::vector<Suggestion> suggestions_for(const Host& host, const Facts& facts) {
  std::vector<Suggestion> all;
  for (const auto& profile : readable_profiles(host))
    all.push_back({profile.name, upstream_of(profile, "cuda"), judge_profile(profile, facts)});
  std::ranges::stable_sort(all, is_better);
  return all;
}

std::string names_of(const std::vector<Gpu>& gpus) {
  std::vector<std::string> names;
  for (const auto& gpu : gpus)
    if (std::ranges::find(names, gpu.name) == names.end()) names.push_back(gpu.name);
  return join(names, tr_text(" and the "));
}

std::string why(const Suggestion& suggestion, const Facts& facts) {
  const auto worst = std::ranges::find_if(suggestion.findings,
                                          [](const Finding& one) { return one.severity != Severity::note; });
  if (worst == suggestion.findings.end())
    return tr("CUDA {} compiles for the {}, and the driver serves it", tables::series(suggestion.cuda),
              names_of(facts.machine.gpus));
  const auto more = suggestion.count(Severity::warning) + suggestion.count(Severity::error) - 1;
  return worst->what + (more > 0 ? tr(" (and {} more)", more) : "");
}

nlohmann::json to_json(const std::vector<Suggestion>& suggestions, const Facts& facts) {
  auto list = nlohmann::json::array();
  for (const auto& one : suggestions)
    if (one.fits())
      list.push_back({{"profile", one.profile},
                      {"cuda", one.cuda},
                      {"warnings", one.count(Severity::warning)},
                      {"why", why(one, facts)}});
  return {{"schema", 1}, {"suggestions", list}};
}

}  // namespace

ExitStatus suggest(const SuggestOptions& options, const Host& host) {
  const auto facts = gather_facts(host, read_pacman_conf(host), options.gpus);
  if (facts.machine.gpus.empty())
    throw Error(tr_text("no NVIDIA GPU was found in this machine"), "cudapin suggest --gpu 'RTX 3090'");
  const auto suggestions = suggestions_for(host, facts);
  if (suggestions.empty())
    throw Error(tr_text("no profile is installed"),
                tr_text("put one into /etc/cudapin/profiles, or install cudapin again"));
  const bool any = std::ranges::any_of(suggestions, &Suggestion::fits);
  if (options.json) {
    *host.out << json_text(to_json(suggestions, facts));
    return any ? ExitStatus::done : ExitStatus::failed;
  }
  std::vector<Row> rows;
  for (const auto& one : suggestions)
    if (one.fits() || !any) rows.push_back({one.profile, "", why(one, facts)});
  if (!any) *host.out << tr_text("no profile fits this machine:\n");
  *host.out << table(rows, style_of(host));
  return any ? ExitStatus::done : ExitStatus::failed;
}

}  // namespace cudapin
