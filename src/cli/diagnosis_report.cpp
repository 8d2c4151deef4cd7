// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/diagnosis_report.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace {

std::size_t count(std::span<const Topic> topics, Severity severity) {
  std::size_t number = 0;
  for (const auto& topic : topics)
    number += static_cast<std::size_t>(std::ranges::count(topic.findings, severity, &Finding::severity));
  return number;
}

std::string heading(const std::string& text, const Style& style) {
  return style.color ? fmt::format("\x1b[1m{}\x1b[0m\n", text) : text + "\n";
}

}  // namespace

std::string diagnosis_text(std::span<const Topic> topics, const Style& style, bool is_quiet) {
  std::string out;
  for (const auto& topic : topics) {
    auto findings = topic.findings;
    if (is_quiet) std::erase_if(findings, [](const Finding& one) { return one.severity == Severity::note; });
    if (findings.empty()) continue;
    out += heading(tr_text(topic.name.c_str()), style) + findings_text(findings, style) + "\n";
  }
  const auto errors = count(topics, Severity::error);
  const auto warnings = count(topics, Severity::warning);
  if (errors + warnings == 0) return out + tr_text("nothing is wrong as far as the tables know\n");
  return out + tr("{}, {}\n", trn("{} error", "{} errors", errors, errors),
                  trn("{} warning", "{} warnings", warnings, warnings));
}

std::string explanations_text(std::span<const Explanation> explanations, const Style& style) {
  std::string out;
  for (const auto& explanation : explanations)
    out += heading(printable(explanation.quote), style) +
           findings_text(std::span(&explanation.finding, 1), style) + "\n";
  return out;
}

std::string diagnosis_json(std::span<const Topic> topics) {
  auto list = nlohmann::json::array();
  for (const auto& topic : topics) {
    auto findings = nlohmann::json::array();
    for (const auto& finding : topic.findings) findings.push_back(to_json(finding));
    list.push_back({{"name", topic.name}, {"findings", findings}});
  }
  return json_text({{"schema", 1},
                    {"errors", count(topics, Severity::error)},
                    {"warnings", count(topics, Severity::warning)},
                    {"topics", list}});
}

std::string explanations_json(std::span<const Explanation> explanations) {
  auto list = nlohmann::json::array();
  for (const auto& explanation : explanations)
    list.push_back(
        {{"id", explanation.id}, {"message", explanation.quote}, {"finding", to_json(explanation.finding)}});
  return json_text({{"schema", 1}, {"explanations", list}});
}

}  // namespace cudapin
