// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/diagnosis_report.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/profiles.hpp"
#include "commands/resolving.hpp"
#include "commands/style.hpp"
#include "core/diagnosis.hpp"
#include "core/explanation.hpp"
#include "core/frameworks.hpp"
#include "core/upgrade_forecast.hpp"
#include "core/words.hpp"
#include "system/examine.hpp"
#include "system/local_database.hpp"
#include "system/python_environment.hpp"
#include "system/state.hpp"

#include <istream>
#include <iterator>
#include <ostream>

namespace cudapin {

namespace {

constexpr std::size_t log_limit = 64u << 20;

/// A doctor that refuses to look at a machine because its pacman.conf is broken would be of no use.
PacmanConf usual_conf(const Host& host) {
  return {.file = host.at("/etc/pacman.conf"),
          .root = host.root,
          .dbpath = host.at("/var/lib/pacman"),
          .hook_dirs = {host.at("/etc/pacman.d/hooks")},
          .log_file = host.at("/var/log/pacman.log")};
}

void add_profiles(const Host& host, Examination& found) {
  for (const auto& profile : readable_profiles(host))
    if (const auto* cuda = profile.find("cuda"))
      found.profiles.push_back({profile.name, cuda->version.upstream(), profile.generations});
}

Examination examine_machine(const Host& host, const std::vector<std::string>& gpus) {
  Examination found;
  std::string bad_rows;
  try {
    load_site_rows(host);
  } catch (const Error& error) {
    bad_rows = error.what();
  }
  try {
    found = examine(host, read_pacman_conf(host));
  } catch (const Error& error) {
    found = examine(host, usual_conf(host));
    found.unreadable.emplace_back(error.what());
  }
  if (!bad_rows.empty()) found.unreadable.push_back(bad_rows);
  if (!gpus.empty()) {
    found.gpus_chosen = true;
    found.gpus.clear();
    for (const auto& word : gpus) found.gpus.push_back(gpu_by_word(word));
  }
  return found;
}

std::string text_to_explain(const DoctorOptions& options, const Host& host) {
  if (options.explain != "-") return options.explain;
  std::string text(std::istreambuf_iterator<char>(*host.in), {});
  if (text.size() > log_limit) text.resize(log_limit);
  return text;
}

ExitStatus explain_text(const DoctorOptions& options, const Host& host) {
  const auto text = text_to_explain(options, host);
  auto found = examine_machine(host, options.gpus);
  add_profiles(host, found);
  const auto explanations = explain(text, found);
  if (explanations.empty())
    throw Error(tr_text("no message in this text is known"),
                tr_text("cudapin doctor looks at the machine itself"));
  *host.out << (options.json ? explanations_json(explanations)
                             : explanations_text(explanations, style_of(host)));
  return ExitStatus::done;
}

/// What a profile would bring, judged in the place of what is installed.
Topic profile_topic(const Profile& profile, const Examination& found) {
  Facts facts;
  facts.machine.gpus = found.gpus;
  facts.machine.driver_loaded = found.driver_loaded;
  facts.machine.driver_on_disk = found.driver_on_disk;
  facts.gpus_chosen = found.gpus_chosen;
  facts.glibc = found.glibc;
  return {"profile " + profile.name, judge_profile(profile, facts)};
}

/// pacman gives up on what it cannot resolve before any hook could say a word: the pins and what waits in its
/// repositories explain it.
void add_upgrade(const Host& host, std::vector<Topic>& topics) try {
  const auto state = read_state(host);
  if (!state) return;
  const auto conf = read_pacman_conf(host);
  Repositories repositories(host, conf);
  std::vector<std::string> pins;
  for (const auto& [name, version] : state->pins) pins.push_back(name);
  if (const auto* index = repositories.index())
    if (auto findings = forecast_upgrade(LocalDatabase(conf).all(), pins, foreign_ignores(conf), *index);
        !findings.empty())
      topics.push_back({"upgrade", std::move(findings)});
} catch (const Error&) {
  return;  // the other topics tell what cannot be read
}

std::vector<Topic> topics_of(const DoctorOptions& options, const Host& host) {
  auto found = examine_machine(host, options.gpus);
  if (!options.env.empty()) {
    add_profiles(host, found);
    const auto environment = read_python_environment(options.env);
    std::vector<Topic> topics{{environment.folder, judge_environment(environment, found)}};
    if (environment.frameworks.empty())
      topics[0].findings.push_back(
          {Severity::note, tr_text("no framework that uses a card was found in it"), environment.folder, ""});
    return topics;
  }
  auto topics = diagnose(found);
  add_upgrade(host, topics);
  if (!options.candidate.empty()) {
    // What is installed now leaves with the profile.
    std::erase_if(topics, [](const Topic& topic) { return topic.name == "toolkit"; });
    topics.insert(topics.begin(), profile_topic(load_profile(host, options.candidate), found));
  }
  put_worst_first(topics);
  return topics;
}

}  // namespace

ExitStatus doctor(const DoctorOptions& options, const Host& host) {
  if (!options.explain.empty()) return explain_text(options, host);
  const auto topics = topics_of(options, host);
  *host.out << (options.json ? diagnosis_json(topics)
                             : diagnosis_text(topics, style_of(host), options.quiet));
  return has_error(topics) ? ExitStatus::failed : ExitStatus::done;
}

}  // namespace cudapin
