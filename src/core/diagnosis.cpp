// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis.hpp"

#include "core/diagnosis_rules.hpp"
#include "core/words.hpp"

#include <algorithm>

namespace cudapin {

namespace {

Topic ask(const std::string& name, std::span<const diagnosis::Rule> rules, const Examination& found) {
  Topic topic{name, {}};
  for (const auto rule : rules)
    for (auto& finding : rule(found))
      if (std::ranges::find(topic.findings, finding) == topic.findings.end())
        topic.findings.push_back(std::move(finding));
  return topic;
}

Severity worst(const Topic& topic) {
  return topic.findings.empty() ? Severity::note
                                : std::ranges::max(topic.findings, {}, &Finding::severity).severity;
}

}  // namespace

std::vector<Topic> diagnose(const Examination& found) {
  std::vector<Topic> topics{ask(tr_later("driver"), diagnosis::driver_rules(), found),
                            ask(tr_later("toolkit"), diagnosis::toolkit_rules(), found),
                            ask(tr_later("environment"), diagnosis::environment_rules(), found),
                            ask(tr_later("packages"), diagnosis::package_rules(), found),
                            ask(tr_later("pins"), diagnosis::pin_rules(), found),
                            ask(tr_later("machine"), diagnosis::machine_rules(), found)};
  put_worst_first(topics);
  return topics;
}

void put_worst_first(std::vector<Topic>& topics) {
  std::erase_if(topics, [](const Topic& topic) { return topic.findings.empty(); });
  for (auto& topic : topics)
    std::ranges::stable_sort(topic.findings, std::ranges::greater{}, &Finding::severity);
  std::ranges::stable_sort(topics, std::ranges::greater{}, worst);
}

bool has_error(const std::vector<Topic>& topics) {
  return std::ranges::any_of(topics, [](const Topic& topic) { return worst(topic) == Severity::error; });
}

}  // namespace cudapin
