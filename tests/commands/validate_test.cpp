// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string builtin(const std::string& name) { return std::string(SOURCE_DIR "/profiles/") + name + ".yaml"; }

}  // namespace

TEST_CASE("validate: whole profiles are valid and nothing is touched") {
  Lab lab;
  lab.privileged = false;
  const auto untouched = lab.fingerprint();
  const auto result = lab.cudapin({"validate", builtin("ampere-11.1"), builtin("turing-11.8")});
  CAPTURE(result.err);
  CHECK(result.status == ExitStatus::done);
  CHECK(contains(result.out, "ampere-11.1 is a valid profile"));
  CHECK(contains(result.out, "turing-11.8 is a valid profile"));
  CHECK(lab.cudapin({"validate", "-q", builtin("ampere-11.1")}).out.empty());
  CHECK(lab.fingerprint() == untouched);
}

TEST_CASE("validate: the problems of all files at once with places and exit 1") {
  Lab lab;
  const TestFolder folder;
  write_text(folder / "one.yaml", "name: one\nextends: ampere-11.1\nzebra: 1\npackages: {gcc: 15-1}\n");
  write_text(folder / "two.yaml", "name: three\nextends: ampere-11.1\n");
  const auto one = (folder / "one.yaml").string();
  const auto two = (folder / "two.yaml").string();
  const auto result =
      lab.cudapin({"validate", one, two, builtin("ampere-11.1"), (folder / "absent.yaml").string()});
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "error: " + one + ":3:1: unknown key 'zebra'\n"));
  CHECK(contains(result.err, "error: " + one + ":4:12: 'gcc' must stay"));
  CHECK(contains(result.err, "error: " + two + ":1:1: the profile is called 'three'"));
  CHECK(contains(result.err, "absent.yaml"));
  CHECK(contains(result.err, "hint: man cudapin-profile\n"));
  CHECK(contains(result.out, "ampere-11.1 is a valid profile"));

  const auto json =
      nlohmann::json::parse(lab.cudapin({"validate", "--json", one, builtin("ampere-11.1")}).out);
  CHECK(json.at("schema") == 1);
  CHECK(json.at("files")[0].at("valid") == false);
  REQUIRE(json.at("files")[0].at("problems").size() == 2);
  CHECK(json.at("files")[0].at("problems")[1].at("line") == 4);
  CHECK(json.at("files")[0].at("problems")[1].at("column") == 12);
  CHECK(json.at("files")[0].at("problems")[1].at("file") == one);
  CHECK(json.at("files")[1].at("valid") == true);
  CHECK(json.at("files")[1].at("profile") == "ampere-11.1");
}

TEST_CASE("validate: a site profile of a built-in name extends the one it hides") {
  Lab lab;
  const auto folder = lab.root.at("/etc/cudapin/profiles");
  fs::create_directories(folder);
  write_text(folder / "ampere-11.1.yaml", "name: ampere-11.1\nextends: ampere-11.1\nsummary: of our lab\n");
  CHECK(lab.cudapin({"validate", (folder / "ampere-11.1.yaml").string()}).status == ExitStatus::done);
  const auto shown = lab.cudapin({"show", "ampere-11.1"});
  CHECK(contains(shown.out, "of our lab"));
  CHECK(contains(shown.out, "11.1.0-2"));
  CHECK(contains(shown.out, "unverified") == contains(shown.out, "Unverified: "));
  CHECK(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(lab.version("cuda") == "11.1.0-2");
}

TEST_CASE("validate: without a file it is a wrong command line") {
  Lab lab;
  const auto result = lab.cudapin({"validate"});
  CHECK(result.status == ExitStatus::usage);
  CHECK(contains(result.err, "hint: cudapin validate --help"));
}

}  // namespace cudapin
