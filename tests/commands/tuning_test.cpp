// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace cudapin {

namespace {

/// A lab whose card has settings, and profiles that extend ampere-11.1 by what they set.
struct TuningLab : Lab {
  TuningLab() {
    ::setenv("CUDAPIN_FAKE_CARD", card.c_str(), 1);
    card_library = FAKE_NVML;
    write_text(card, "0 350000\n");
  }
  ~TuningLab() { ::unsetenv("CUDAPIN_FAKE_CARD"); }
  void profile(const std::string& name, const std::string& tune) const {
    write_text(root.at("/etc/cudapin/profiles/" + name + ".yaml"),
               "name: " + name + "\nextends: ampere-11.1\n" + tune);
  }
  std::string settings() const { return read_text(card); }
  bool is_recorded() const { return std::filesystem::exists(root.at("/var/lib/cudapin/tuning.json")); }

  TestFolder folder;
  std::filesystem::path card = folder / "card";
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("tuning: use sets the card and release gives back what it had") {
  TuningLab lab;
  lab.fill_cache();
  lab.profile("quiet", "tune: {persistence: true, power_limit: 250}\n");
  const auto dry = lab.use("quiet", {"--dry-run"});
  CHECK(has(dry.out, "persistence mode on, power limit 350 -> 250 W"));
  CHECK(lab.settings() == "0 350000\n");
  REQUIRE(lab.use("quiet").status == ExitStatus::done);
  CHECK(lab.settings() == "1 250000\n");
  CHECK(has(lab.use("quiet").out, "in force already"));
  SUBCASE("release") {
    REQUIRE(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
    CHECK(lab.settings() == "0 350000\n");
  }
  SUBCASE("undo") {
    const auto undone = lab.cudapin({"undo", "--noconfirm"});
    CAPTURE(undone.err);
    REQUIRE(undone.status == ExitStatus::done);
    CHECK(lab.settings() == "0 350000\n");
  }
  SUBCASE("another profile that sets other things starts from what the card had") {
    lab.profile("loud", "tune: {power_limit: 360}\n");
    REQUIRE(lab.use("loud").status == ExitStatus::done);
    CHECK(lab.settings() == "0 360000\n");
    REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
    CHECK(lab.settings() == "0 350000\n");
  }
  if (lab.settings() == "0 350000\n") CHECK(!lab.is_recorded());
}

TEST_CASE("tuning: after a reboot tune sets the card again") {
  TuningLab lab;
  CHECK(has(lab.cudapin({"tune"}).out, "nothing to do"));
  lab.profile("quiet", "tune: {power_limit: 250}\n");
  REQUIRE(lab.use("quiet").status == ExitStatus::done);
  write_text(lab.card, "0 350000\n");
  CHECK(has(lab.cudapin({"tune", "--dry-run"}).out, "350 -> 250 W"));
  CHECK(lab.settings() == "0 350000\n");
  REQUIRE(lab.cudapin({"tune"}).status == ExitStatus::done);
  CHECK(lab.settings() == "0 250000\n");
  CHECK(has(lab.cudapin({"tune"}).out, "already"));
  lab.card_library = "/nowhere/libnvidia-ml.so.1";
  CHECK(lab.cudapin({"tune"}).status == ExitStatus::failed);
}

TEST_CASE("tuning: a limit that the card does not take is refused before anything changes") {
  TuningLab lab;
  lab.profile("hot", "tune: {power_limit: 500}\n");
  const auto before = lab.fingerprint();
  const auto refused = lab.use("hot");
  CHECK(refused.status == ExitStatus::failed);
  CHECK(has(refused.err, "a power limit of 500 W is outside of what the Stand-in takes"));
  CHECK(has(refused.err, "hint:"));
  CHECK(lab.fingerprint() == before);
  CHECK(lab.settings() == "0 350000\n");
}

TEST_CASE("tuning: what is no setting is told with its place") {
  TuningLab lab;
  lab.profile("odd", "tune: {persistence: maybe, power_limit: 0, fan: 3}\n");
  const auto refused = lab.use("odd");
  CAPTURE(refused.err);
  CHECK(has(refused.err, "odd.yaml:3:21: 'persistence' must be true or false"));
  CHECK(has(refused.err, "'power_limit' must be a number of watts"));
  CHECK(has(refused.err, "'fan'"));
}

TEST_CASE("tuning: without a driver that answers it waits for the boot") {
  TuningLab lab;
  lab.profile("quiet", "tune: {power_limit: 250}\n");
  lab.card_library.clear();  // another root's cards are not ours
  const auto used = lab.use("quiet");
  REQUIRE(used.status == ExitStatus::done);
  CHECK(has(used.out, "at the next boot"));
  CHECK(lab.is_recorded());
  CHECK(lab.settings() == "0 350000\n");
}

}  // namespace cudapin
