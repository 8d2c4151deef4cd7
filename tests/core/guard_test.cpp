// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

using enum Operation;

const PinState pinned{"ampere-11.1", {{"cuda", "11.1.0-2"}, {"cudnn", "8.0.5.39-1"}}};
constexpr std::int64_t now = 1'700'000'000;

RunningWork training(std::vector<std::string> uses = {}) {
  return {.pid = 4242,
          .user = "alice",
          .gpus = {0, 1},
          .started = now - 51 * 3600,
          .command = "python train.py",
          .place = "slurm job 77",
          .uses = std::move(uses)};
}

GuardInput input_of(std::vector<GuardTarget> targets) {
  GuardInput input;
  input.targets = std::move(targets);
  input.now = now;
  return input;
}

bool tells(const Verdict& verdict, const std::string& part) {
  return std::any_of(verdict.lines.begin(), verdict.lines.end(),
                     [&](const auto& line) { return line.find(part) != line.npos; });
}

/// A row of the decision table: one target in circumstances that differ in one thing.
struct Row {
  const char* what;
  GuardTarget target;
  bool blocks;
};

const GuardTarget driver{"nvidia-utils", upgrade, "590.48.01-1", {"595.10-1"}};
const GuardTarget toolkit{"cuda", upgrade, "13.1.1-1", {"13.2.1-3"}};
const GuardTarget framework{"python-pytorch-cuda", upgrade, "2.10.0-1", {"2.11.0-1"}};
const GuardTarget kernel{"linux", upgrade, "6.18.2.arch2-1", {"6.19.arch1-1"}};
const GuardTarget interpreter{"python", upgrade, "3.13.11-1", {"3.14.2-1"}};

GuardTarget offered(GuardTarget target, std::vector<std::string> versions) {
  target.offered = std::move(versions);
  return target;
}

GuardTarget with(GuardTarget target, Operation operation) {
  target.operation = operation;
  return target;
}

void check_rows(GuardInput input, const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    input.targets = {row.target};
    CHECK_MESSAGE(judge(input).blocks == row.blocks, row.what);
  }
}

}  // namespace

TEST_CASE("guard: a pinned package to another version or removed is blocked and its reinstall passes") {
  auto input = input_of({});
  input.pins = pinned;
  const GuardTarget cuda{"cuda", upgrade, "11.1.0-2", {"13.2.1-3"}};
  check_rows(input, {{"upgrade", cuda, true},
                     {"remove", with(cuda, remove), true},
                     {"install of a missing one", {"cuda", install, "", {"13.2.1-3"}}, true},
                     {"operation not recorded", with(offered(cuda, {"11.1.0-2"}), change), true},
                     {"version not known", offered(cuda, {}), true},
                     {"one of two differs", offered(cuda, {"11.1.0-2", "13.2.1-3"}), true},
                     {"downgrade", offered(cuda, {"10.2.89-5"}), true},
                     {"reinstall", offered(cuda, {"11.1.0-2"}), false},
                     {"back to the pinned version", {"cuda", upgrade, "13.1.1-1", {"11.1.0-2"}}, false},
                     {"another name", {"cuda-tools", upgrade, "1-1", {"2-1"}}, false},
                     {"another spelling", {"CUDA", remove}, false},
                     {"no name", {"", remove}, false}});
}

TEST_CASE("guard: running work blocks its driver and what it has mapped") {
  auto input = input_of({});
  check_rows(input, {{"idle: driver", driver, false}, {"idle: toolkit", toolkit, false}});
  input.work = {training({"python-pytorch-cuda", "cudnn"})};
  check_rows(input, {{"driver", driver, true},
                     {"driver removed", with(driver, remove), true},
                     {"driver not known", offered(driver, {}), true},
                     {"driver reinstalled", offered(driver, {"590.48.01-1"}), false},
                     {"driver of a minor step", offered(driver, {"590.48.02-1"}), true},
                     {"module flavour replaced", {"nvidia-open", install, "", {"595.10-1"}}, true},
                     {"mapped framework", framework, true},
                     {"toolkit that is not mapped", toolkit, false},
                     {"container tools", {"nvidia-container-toolkit", upgrade, "1-1", {"2-1"}}, false},
                     {"kernel", kernel, false},
                     {"interpreter", interpreter, false},
                     {"anything else", {"htop", upgrade, "1-1", {"2-1"}}, false}});
  input.loaded_driver = "590.48.01";
  check_rows(input, {{"joins the driver", {"nvidia-settings", install, "", {"590.48.01-1"}}, false},
                     {"does not fit it", {"nvidia-settings", install, "", {"595.10-1"}}, true}});
}

TEST_CASE("guard: strict adds the kernel and a mapped interpreter") {
  auto input = input_of({});
  input.policy.strict = true;
  check_rows(input, {{"idle", kernel, false}});
  input.work = {training({"python"})};
  check_rows(input, {{"kernel", kernel, true}, {"interpreter", interpreter, true}});
  input.work = {training()};
  check_rows(input, {{"kernel", kernel, true}, {"a conda interpreter", interpreter, false}});
}

TEST_CASE("guard: a version that drops the card is blocked on an idle machine too") {
  auto input = input_of({});
  input.bounds.limits = {{"driver", "580", "580.178.04", "GeForce GTX 1060"},
                         {"toolkit", "12.9", "12.9", "GeForce GTX 1060"},
                         {"cudnn", "9.10.2.21", "9.10.2.21", "GeForce GTX 1060"}};
  const GuardTarget utils{"nvidia-utils", upgrade, "580.119.02-1", {"590.48.01-1"}};
  const GuardTarget cuda{"cuda", upgrade, "12.9.1-2", {"13.0.2-1"}};
  const GuardTarget cudnn{"cudnn", upgrade, "9.10.2.21-1", {"9.11.0.98-1"}};
  check_rows(input, {{"driver", utils, true},
                     {"within the branch", offered(utils, {"580.178.04-1"}), false},
                     {"one of two", offered(utils, {"580.178.04-1", "590.48.01-1"}), true},
                     {"not known", offered(utils, {}), false},
                     {"removed", with(utils, remove), false},
                     {"beyond already", {"nvidia-utils", upgrade, "590.44-1", {"590.48.01-1"}}, false},
                     {"replacement", {"nvidia-open", install, "", {"590.48.01-3"}}, true},
                     {"toolkit", cuda, true},
                     {"toolkit within the series", offered(cuda, {"12.9.2-1"}), false},
                     {"fresh toolkit", {"cuda", install, "", {"13.2.1-3"}}, true},
                     {"cudnn", cudnn, true},
                     {"cudnn with an epoch", offered(cudnn, {"1:9.11.0.98-1"}), true},
                     {"cudnn before", offered(cudnn, {"9.10.1.4-1"}), false}});
  input.targets = {utils};
  CHECK(tells(judge(input), "no longer serves the GeForce GTX 1060, the last that does is 580.178.04"));
}

TEST_CASE("guard: a kernel that leaves the pinned driver without a module is blocked") {
  auto input = input_of({});
  input.pins = {"mine", {{"nvidia-open", "590.48.01-3"}}};
  check_rows(input, {{"its kernel", kernel, true},
                     {"its kernel reinstalled", offered(kernel, {"6.18.2.arch2-1"}), false},
                     {"its kernel removed", with(kernel, remove), true},
                     {"another kernel", {"linux-lts", upgrade, "6.12.1-1", {"6.12.9-1"}}, false},
                     {"headers alone", {"linux-headers", upgrade, "1-1", {"2-1"}}, false}});
  input.targets = {kernel, {"nvidia-open", upgrade, "590.48.01-3", {"590.48.01-3"}}};
  CHECK(!judge(input).blocks);
  input.pins = {"mine", {{"linux612-nvidia-580xx", "580.119.02-1"}}};
  check_rows(input, {{"Manjaro", {"linux612", upgrade, "6.12.1-1", {"6.12.9-1"}}, true}});
  input.pins = {"mine", {{"nvidia-dkms", "580.119.02-1"}}};
  check_rows(input, {{"dkms without headers", kernel, true}});
  input.targets = {kernel, {"linux-headers", upgrade, "6.18.2.arch2-1", {"6.19.arch1-1"}}};
  CHECK(!judge(input).blocks);
  input.pins = {};
  check_rows(input, {{"nothing pinned", kernel, false}});
}

TEST_CASE("guard: a freeze blocks what it names until it ends") {
  auto input = input_of({});
  input.freezes = {{now + 60, "bob", {}, "paper deadline"}};
  check_rows(input,
             {{"all", {"htop", upgrade, "1-1", {"2-1"}}, true}, {"removal", {"htop", remove, "1-1"}, true}});
  input.targets = {{"htop", upgrade, "1-1", {"2-1"}}};
  CHECK(tells(judge(input), "is frozen by bob until 2023-11-14 22:14 UTC: paper deadline"));
  CHECK(!tells(judge(input), "pacman -Syu"));
  input.freezes = {{now + 60, "bob", {"cuda"}, "why"}};
  check_rows(input, {{"named", toolkit, true}, {"not named", driver, false}});
  input.freezes[0].end = now;
  check_rows(input, {{"over", toolkit, false}});
}

TEST_CASE("guard: an allowance lets pass what it covers and is told to be used") {
  auto input = input_of({driver, framework});
  input.work = {training({"python-pytorch-cuda"})};
  const Allowance all{true, now + 60, "root", {}};
  const Allowance some{false, now + 60, "root", {"nvidia-utils"}};
  input.allowances = {all};
  CHECK(!judge(input).blocks);
  CHECK(judge(input).used == std::vector{all});
  input.allowances = {some};
  CHECK(judge(input).blocking == std::vector<std::string>{"python-pytorch-cuda"});
  CHECK(judge(input).used == std::vector{some});
  input.allowances = {{true, now, "root", {}}};
  CHECK(judge(input).blocks);
  input.allowances = {all};
  input.work.clear();
  CHECK(judge(input).used.empty());
}

TEST_CASE("guard: its own transaction may move pins and drop cards but is bound by the rest") {
  struct Case {
    const char* what;
    bool foreign;
    bool own;
  };
  const auto verdicts = [](GuardInput input, const Case& expected) {
    for (const auto transactor : {Transactor::foreign, Transactor::cudapin, Transactor::recovery}) {
      input.transactor = transactor;
      const bool wanted = transactor == Transactor::foreign
                              ? expected.foreign
                              : transactor == Transactor::cudapin && expected.own;
      CHECK_MESSAGE(judge(input).blocks == wanted, expected.what);
    }
  };
  auto pins = input_of({toolkit});
  pins.pins = pinned;
  verdicts(pins, {"pin", true, false});
  auto card = input_of({toolkit});
  card.bounds.limits = {{"toolkit", "12.9", "12.9", "card"}};
  card.targets[0].installed = "12.9.1-1";
  verdicts(card, {"card", true, false});
  auto work = input_of({driver});
  work.work = {training()};
  verdicts(work, {"work", true, true});
  auto module = input_of({kernel});
  module.pins.versions = {{"nvidia", "590.48.01-3"}};
  verdicts(module, {"module", true, true});
  auto frozen = input_of({toolkit});
  frozen.freezes = {{now + 1, "bob", {}, "why"}};
  verdicts(frozen, {"freeze", true, true});
}

TEST_CASE("guard: where work cannot be seen the driver is not risked while its module is loaded") {
  auto input = input_of({});
  input.blindness = "running processes cannot be seen";
  check_rows(input, {{"not loaded", driver, false}, {"toolkit", toolkit, false}});
  input.uvm_is_loaded = true;
  check_rows(input, {{"loaded", driver, true}, {"toolkit", toolkit, false}});
  input.policy.blocks_on_error = true;
  check_rows(input, {{"policy", toolkit, true}, {"reinstall", offered(toolkit, {"13.1.1-1"}), false}});
}

TEST_CASE("guard: installs upgrades and removals of one transaction are judged as a whole") {
  auto input =
      input_of({{"nvidia-open", install, "", {"595.10-1"}}, driver, {"nvidia", remove, "590.48.01-1"}});
  input.work = {training()};
  CHECK(judge(input).blocking == std::vector<std::string>{"nvidia-open", "nvidia-utils", "nvidia"});
}

TEST_CASE("guard: the message names packages processes and the way on") {
  auto input =
      input_of({driver, {"cuda", upgrade, "11.1.0-2", {"13.2.1-3"}}, {"cudnn", remove, "8.0.5.39-1"}});
  input.pins = pinned;
  input.work = {training({"cuda"})};
  const auto verdict = judge(input);
  CHECK(tells(verdict, "  upgrade: nvidia-utils 590.48.01-1 -> 595.10-1 is the driver of running work"));
  CHECK(tells(
      verdict,
      "  upgrade: cuda 11.1.0-2 -> 13.2.1-3 is pinned by profile ampere-11.1 and is in use by pid 4242"));
  CHECK(tells(verdict, "  remove: cudnn 8.0.5.39-1 is pinned by profile ampere-11.1"));
  CHECK(tells(verdict, "  running: alice, pid 4242, GPU 0,1, for 2d03h, in slurm job 77: python train.py"));
  CHECK(tells(verdict, "to upgrade everything else: pacman -Syu --ignore nvidia-utils,cuda,cudnn"));
  CHECK(tells(verdict, "cudapin allow --once"));
  input.ignored = {"cuda", "x"};
  CHECK(tells(judge(input), "pacman -Syu --ignore cuda,x"));
}

TEST_CASE("guard: the message stays within 20 lines and is safe to print") {
  auto input = input_of({});
  input.pins.profile = "evil\x1b[31m";
  for (int i = 0; i < 300; ++i) {
    const auto name = "package" + std::to_string(i);
    input.pins.versions[name] = "1-\x07" + std::to_string(i);
    input.targets.push_back({name, i % 2 ? remove : upgrade, "1-1", {"2-1"}});
  }
  input.targets.push_back(driver);
  input.freezes = {{now + 60, "bob", {"package1"}, "why\n\x1b]0;x"}};
  for (int i = 0; i < 40; ++i) {
    auto work = training();
    work.command = "python\n\x1b[2J\xff" + std::string(5000, 'x');
    work.user = i % 2 ? "alice" : "bob";
    input.work.push_back(std::move(work));
  }
  const auto verdict = judge(input);
  CHECK(verdict.blocks);
  CHECK(verdict.lines.size() <= 20);
  CHECK(tells(verdict, "36 more processes of bob and alice on GPU 0,1"));
  for (const auto& line : verdict.lines) {
    CHECK(line.size() < 4000);
    CHECK(std::none_of(line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }));
  }
}

TEST_CASE("guard: every blocking package is named when there are many") {
  auto input = input_of({});
  for (int i = 0; i < 60; ++i) {
    const auto name = "package" + std::to_string(i);
    input.pins.versions[name] = "1-1";
    input.targets.push_back({name, upgrade, "1-1", {"2-1"}});
  }
  const auto verdict = judge(input);
  for (const auto& target : input.targets) CHECK(tells(verdict, target.name + " 1-1 -> 2-1"));
}

TEST_CASE("guard: five processes are named and a sixth makes a summary") {
  auto input = input_of({driver});
  for (int i = 0; i < 5; ++i) input.work.push_back(training());
  CHECK(!tells(judge(input), "more processes"));
  input.work.push_back(training());
  CHECK(tells(judge(input), "2 more processes of alice on GPU 0,1, the longest for 2d03h"));
}

TEST_CASE("guard: the dear questions are asked only where they matter") {
  CHECK(!concerns_guard(input_of({{"htop", upgrade}})));
  CHECK(!concerns_guard(input_of({kernel})));
  CHECK(concerns_guard(input_of({driver})));
  CHECK(needs_work(input_of({framework})));
  CHECK(!needs_work(input_of({interpreter})));
  CHECK(!needs_versions(input_of({driver})));
  auto bounded = input_of({driver});
  bounded.bounds.limits = {{"driver", "580", "580", "card"}};
  CHECK(needs_versions(bounded));
  bounded.transactor = Transactor::cudapin;
  CHECK(!needs_versions(bounded));
  auto recovery = input_of({driver});
  recovery.transactor = Transactor::recovery;
  CHECK(!concerns_guard(recovery));
}

TEST_CASE("guard: targets that no rule can be about are taken out") {
  auto input = input_of({{"htop", upgrade}, driver, {"my-solver", upgrade}, kernel});
  input.pins.versions = {{"my-solver", "1-1"}};
  auto frozen = input;
  drop_bystanders(input);
  CHECK(input.targets == std::vector<GuardTarget>{driver, {"my-solver", upgrade}, kernel});
  frozen.freezes = {{now + 1, "bob", {}, "x"}};
  drop_bystanders(frozen);
  CHECK(frozen.targets.size() == 4);
}

TEST_CASE("guard: times are told as people say them") {
  CHECK(duration_text(-5) == "0m");
  CHECK(duration_text(59 * 60 + 59) == "59m");
  CHECK(duration_text(3600 + 7 * 60) == "1h07m");
  CHECK(duration_text(2 * 86400 + 3 * 3600) == "2d03h");
  CHECK(time_text(0) == "1970-01-01 00:00 UTC");
}

}  // namespace cudapin
