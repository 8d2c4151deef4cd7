// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/facts.hpp"

#include "core/compatibility_site.hpp"
#include "core/error.hpp"
#include "core/guard_bounds.hpp"
#include "core/package_class.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/guard_facts.hpp"
#include "system/guard_state.hpp"
#include "system/local_database.hpp"

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace {

std::string driver_of(const Machine& machine) {
  return machine.driver_loaded.empty() ? machine.driver_on_disk : machine.driver_loaded;
}

std::string upstream_of(const Profile& profile, std::string_view package) {
  const auto* found = profile.find(package);
  return found ? found->version.upstream() : std::string{};
}

/// The driver that the profile's programs will meet: the one it brings, else the machine's.
std::string driver_under(const Profile& profile, const Machine& machine) {
  const auto brought = upstream_of(profile, "nvidia-utils");
  return brought.empty() ? driver_of(machine) : brought;
}

/// gcc10 -> 10: the host compilers a profile brings.
std::vector<int> compilers_of(const Profile& profile) {
  std::vector<int> majors;
  for (const auto& package : profile.packages) {
    const auto digits = std::string_view(package.name).substr(std::min<std::size_t>(3, package.name.size()));
    const bool numbered = package.name.starts_with("gcc") && !digits.empty() &&
                          std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    if (numbered) majors.push_back(std::stoi(std::string(digits)));
  }
  return majors;
}

bool serves(const Profile& profile, const Gpu& gpu) {
  return gpu.generation.empty() ||
         std::ranges::find(profile.generations, gpu.generation) != profile.generations.end();
}

void add_generation_findings(const Profile& profile, const std::vector<Gpu>& gpus,
                             std::vector<Finding>& findings) {
  const bool any = std::ranges::any_of(gpus, [&](const Gpu& gpu) { return serves(profile, gpu); });
  for (const auto& gpu : gpus)
    if (!serves(profile, gpu))
      findings.push_back({any ? Severity::warning : Severity::error,
                          tr("{} is a profile for {}, and the {} is {}", profile.name,
                             join(profile.generations, tr_text(" and ")), gpu.name, gpu.generation),
                          profile.origin, "cudapin list"});
}

void add_driver_requirement(const Dependency& wanted, const std::string& driver,
                            std::vector<Finding>& findings) {
  if (driver.empty())
    findings.push_back({Severity::error,
                        tr("no NVIDIA driver is installed, and the profile needs {}", wanted.text()), "",
                        "pacman -S nvidia-open"});
  else if (!version_meets(wanted, driver))
    findings.push_back({Severity::error,
                        tr("the profile needs {}, and the driver is {}", wanted.text(), driver), "",
                        "pacman -S nvidia-utils"});
}

/// A module stays loaded until a reboot; programs of another driver cannot talk to it.
void add_reboot(const Profile& profile, const Machine& machine, std::vector<Finding>& findings) {
  const auto brought = upstream_of(profile, "nvidia-utils");
  if (!brought.empty() && brought != machine.driver_loaded)
    findings.push_back(
        {Severity::warning,
         machine.driver_loaded.empty()
             ? tr("driver {} works after a reboot only; until then no driver is loaded", brought)
             : tr("driver {} works after a reboot only; until then driver {} stays loaded and CUDA fails",
                  brought, machine.driver_loaded),
         "/proc/driver/nvidia/version", "reboot"});
}

}  // namespace

void load_site_rows(const Host& host) {
  std::vector<tables::SiteFile> files;
  std::error_code missing;
  for (const auto& entry :
       std::filesystem::directory_iterator(host.at("/etc/cudapin/compatibility.d"), missing))
    if (entry.path().extension() == ".yaml")
      files.emplace_back(read_file(entry.path(), 1u << 20), entry.path().string());
  std::ranges::sort(files, {}, &tables::SiteFile::second);
  tables::use_site_rows(files);
}

Facts gather_facts(const Host& host, const PacmanConf& conf, const std::vector<std::string>& words) {
  load_site_rows(host);
  Facts facts{.machine = inspect_machine(host)};
  if (!words.empty()) {
    facts.gpus_chosen = true;
    facts.machine.gpus.clear();
    for (const auto& word : words) facts.machine.gpus.push_back(gpu_by_word(word));
  }
  if (const auto glibc = LocalDatabase(conf).find("glibc"))
    if (const auto version = Version::parse(glibc->version)) facts.glibc = version->upstream();
  return facts;
}

std::vector<Finding> judge_profile(const Profile& profile, const Facts& facts) {
  if (facts.machine.gpus.empty())
    return {{Severity::error, tr_text("no NVIDIA GPU was found in this machine"), "/sys/bus/pci/devices",
             tr_text("name the card: --gpu 'RTX 3090'")}};
  auto findings = judge({.gpus = facts.machine.gpus,
                         .driver = driver_under(profile, facts.machine),
                         .toolkit = upstream_of(profile, "cuda"),
                         .cudnn = upstream_of(profile, "cudnn"),
                         .glibc = facts.glibc,
                         .host_gcc = compilers_of(profile)});
  const bool refused = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::error; });
  if (!refused) add_generation_findings(profile, facts.machine.gpus, findings);
  for (const auto& wanted : profile.requirements)
    if (wanted.name == "driver" && !refused)
      add_driver_requirement(wanted, driver_under(profile, facts.machine), findings);
  if (!refused) add_reboot(profile, facts.machine, findings);
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::severity);
  return findings;
}

void refuse_errors(const std::vector<Finding>& findings) {
  std::vector<std::string> errors;
  std::string hint;
  for (const auto& finding : findings) {
    if (finding.severity != Severity::error) continue;
    errors.push_back(finding.what);
    if (hint.empty()) hint = finding.remedy;
  }
  if (!errors.empty()) throw Error(join(errors, "\n"), hint);
}

std::string facts_text(const Facts& facts, const Style& style) {
  std::vector<Row> rows;
  for (const auto& gpu : facts.machine.gpus)
    rows.push_back({"GPU", gpu.name,
                    gpu.capability.empty() ? gpu.pci_id
                                           : tr("{}, compute capability {}{}", gpu.generation, gpu.capability,
                                                facts.gpus_chosen ? tr_text(", chosen by --gpu") : "")});
  const auto driver = driver_of(facts.machine);
  rows.push_back({tr_text("Driver"), driver.empty() ? tr_text("none") : driver,
                  driver.empty()                        ? ""
                  : facts.machine.driver_loaded.empty() ? tr_text("on disk")
                                                        : tr_text("loaded")});
  return table(rows, style);
}

namespace {

GuardFiles guard_files(const Host& host) {
  return GuardFiles(host.root.string(), [&](const std::string& text) {
    *host.err << tr_text("warning: ") << printable(text) << '\n';
  });
}

/// What the guard would know of a transaction of ours, but for its targets and what runs.
GuardInput guard_input(const Host& host) {
  const auto files = guard_files(host);
  GuardInput input{.transactor = Transactor::cudapin};
  input.policy = files.policy();
  files.read(input);
  input.now = std::chrono::system_clock::to_time_t(host.now());
  return input;
}

Operation operation_of(const Action& action) {
  if (action.kind == ActionKind::remove) return Operation::remove;
  return action.from.empty() ? Operation::install : Operation::upgrade;
}

}  // namespace

void refuse_guarded(const Host& host, const Plan& plan) {
  if (!plan.changes_packages()) return;
  auto input = guard_input(host);
  for (const auto& action : plan.actions)
    if (action.kind != ActionKind::keep)
      input.targets.push_back({action.name, operation_of(action), action.from, {action.to}});
  add_work(guard_files(host), host, input);
  const auto verdict = judge(input);
  if (!verdict.blocks) return;
  std::vector<std::string> objections;
  std::vector<std::string> advice;
  for (const auto& line : std::span(verdict.lines).subspan(1))
    (line.starts_with(' ') ? objections : advice).emplace_back(trim(line));
  if (!input.work.empty())
    advice.insert(advice.begin(), tr_text("wait for it to end; 'cudapin who' lists what computes"));
  throw Error(join(objections, "\n"), join(advice, "\n"), ExitStatus::refused);
}

void refuse_frozen(const Host& host, std::span<const std::string> pins) {
  const auto input = guard_input(host);
  const auto is_about_them = [&](const auto& rule) {
    return rule.end > input.now &&
           (rule.packages.empty() || std::ranges::any_of(rule.packages, [&](const std::string& name) {
              return std::ranges::count(pins, name) > 0;
            }));
  };
  if (std::ranges::any_of(input.allowances, is_about_them)) return;
  std::vector<std::string> objections;
  for (const auto& freeze : input.freezes)
    if (is_about_them(freeze))
      objections.push_back(tr("the pins are frozen by {} until {}: {}", printable(freeze.owner),
                              time_text(freeze.end), printable(freeze.reason)));
  if (!objections.empty())
    throw Error(join(objections, "\n"), tr_text("to end the freeze: cudapin thaw"), ExitStatus::refused);
}

void refresh_bounds(const Host& host, const PacmanConf& conf, const std::vector<Gpu>& gpus) {
  auto bounds = bounds_of(gpus);
  for (const auto& package : LocalDatabase(conf).all()) {
    const auto brings_driver = [](const Dependency& given) {
      return given.name == "NVIDIA-MODULE" || given.name == "nvidia-utils";
    };
    if (class_of(package.name) != PackageClass::driver &&
        std::ranges::any_of(package.provides, brings_driver))
      bounds.drivers.push_back(package.name);
  }
  write_guard_bounds(host, bounds);
}

}  // namespace cudapin
