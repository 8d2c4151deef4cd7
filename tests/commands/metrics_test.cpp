// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"
#include "support/guard_root.hpp"
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace cudapin {

namespace {

/// Name and labels to value; fails the test where a line is none of the text format.
std::map<std::string, std::string> metrics_in(const std::string& text) {
  std::map<std::string, std::string> found;
  std::set<std::string> described;
  for (const auto& line : split(text, "\n")) {
    if (line.starts_with("# TYPE ")) described.insert(split(line, " ")[2]);
    if (line.starts_with("#")) continue;
    const auto blank = line.rfind(' ');
    REQUIRE(blank != line.npos);
    const auto name = line.substr(0, blank);
    CHECK(described.count(name.substr(0, name.find('{'))) == 1);
    CHECK(found.emplace(name, line.substr(blank + 1)).second);
  }
  return found;
}

nlohmann::json status_of(Lab& lab) { return nlohmann::json::parse(lab.cudapin({"status", "--json"}).out); }

}  // namespace

TEST_CASE("metrics: a machine without a profile has none that claim one") {
  Lab lab;
  const auto result = lab.cudapin({"metrics"});
  REQUIRE(result.status == ExitStatus::done);
  const auto found = metrics_in(result.out);
  CHECK(found.at("cudapin_metrics_schema") == "1");
  CHECK(found.at("cudapin_profile_active") == "0");
  CHECK(found.at("cudapin_pinned_packages") == "0");
  CHECK(found.at("cudapin_blocked_transactions_total") == "0");
  CHECK(found.at("cudapin_running_work") == "0");
  CHECK(found.count("cudapin_pins_age_seconds") == 0);
  CHECK(status_of(lab)["pins_age"] == nullptr);
}

TEST_CASE("metrics: profile and age and drift are those that status tells") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  lab.now = std::to_string(1704164645 + 3600);
  auto found = metrics_in(lab.cudapin({"metrics"}).out);
  CHECK(found.at("cudapin_profile_active{profile=\"ampere-11.1\"}") == "1");
  CHECK(found.at("cudapin_pinned_packages") == "5");
  CHECK(found.at("cudapin_drifted_packages") == "0");
  CHECK(found.at("cudapin_pins_age_seconds") == "3600");
  auto status = status_of(lab);
  CHECK(status["schema"] == 1);
  CHECK(status["pins_age"] == 3600);
  CHECK(status["drift"] == false);
  lab.root.install(StandIn{.name = "nccl", .version = "2.28.7-1"});
  found = metrics_in(lab.cudapin({"metrics"}).out);
  CHECK(found.at("cudapin_drifted_packages") == "1");
  status = status_of(lab);
  CHECK(status["drift"] == true);
}

TEST_CASE("metrics: a driver that differs from the loaded one is told") {
  Lab lab;
  CHECK(status_of(lab)["driver"]["skew"] == false);
  write_text(lab.proc / "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.119.02  Release Build\n");
  CHECK(status_of(lab)["driver"]["skew"] == true);
  const auto found = metrics_in(lab.cudapin({"metrics"}).out);
  CHECK(found.at("cudapin_driver_skew{loaded=\"580.119.02\",on_disk=\"590.48.01\"}") == "1");
}

TEST_CASE("metrics: a transaction that the guard blocks is counted") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  GuardRoot guard;
  guard.pin();
  guard.install("cuda", "11.1.0-2");
  REQUIRE(guard.run("record upgrade", "cuda\n").status == 0);
  REQUIRE(guard.run("decide", "").status == 3);
  const auto noted = read_file(guard.at("/var/lib/cudapin/blocked"));
  CHECK(split(noted, "\n").size() == 1);
  write_text(lab.root.at("/var/lib/cudapin/blocked"), "garbage\n1704164000\n1704164001\n17");
  const auto status = status_of(lab);
  CHECK(status["blocked"]["transactions"] == 3);
  const auto found = metrics_in(lab.cudapin({"metrics"}).out);
  CHECK(found.at("cudapin_blocked_transactions_total") == "3");
}

TEST_CASE("metrics: a freeze is told until it is over") {
  Lab lab;
  REQUIRE(lab.cudapin({"freeze", "--for", "1h", "--reason", "paper"}).status == ExitStatus::done);
  CHECK(status_of(lab)["freezes"][0]["reason"] == "paper");
  CHECK(metrics_in(lab.cudapin({"metrics"}).out).at("cudapin_freezes") == "1");
  lab.now = std::to_string(1704164645 + 3600);
  CHECK(status_of(lab)["freezes"].empty());
}

TEST_CASE("metrics: the file is replaced whole") {
  Lab lab;
  const TestFolder folder;
  const auto file = folder / "cudapin.prom";
  write_text(file, "old\n");
  const auto result = lab.cudapin({"metrics", "-o", file.string()});
  CHECK(result.status == ExitStatus::done);
  CHECK(result.out.empty());
  CHECK(metrics_in(read_text(file)).at("cudapin_metrics_schema") == "1");
}

}  // namespace cudapin
