// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/actions.hpp"
#include "support/publisher.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

namespace cudapin {

TEST_CASE("complete: every kind of name that this machine has") {
  TestFolder files;
  ArchiveServer server{files.path()};
  Lab lab;
  Publisher admin;
  const auto offered = [&](const std::string& kind, const std::string& start = "") {
    return lab.cudapin({"complete", kind, start}).out;
  };
  CHECK(offered("added").empty());
  CHECK(offered("keys").empty());
  CHECK(offered("subscriptions").empty());

  REQUIRE(admin.trust_at(lab).status == ExitStatus::done);
  write_text(files / "group.yaml", lab_profile("group"));
  REQUIRE(admin.profile(lab, {"publish", files.path().string()}).status == ExitStatus::done);
  REQUIRE(lab.cudapin({"profile", "subscribe", server.url(), "--noconfirm"}).status == ExitStatus::done);
  write_text(files / "mine.yaml", lab_profile("mine"));
  REQUIRE(lab.cudapin({"profile", "add", (files / "mine.yaml").string(), "--noconfirm"}).status ==
          ExitStatus::done);

  CHECK(offered("profiles", "ampere-11.1") == "ampere-11.1\n");
  CHECK(offered("profiles", "gr") == "group\n");
  CHECK(offered("profiles", "mi") == "mine\n");
  CHECK(offered("added") == "mine\n");
  CHECK(offered("keys") == admin.key() + "\n");
  CHECK(offered("subscriptions") == server.url() + "\n");
  CHECK(offered("packages", "cud") == "cuda\ncudnn\n");
  CHECK(offered("nonsense").empty());
}

TEST_CASE("actions: each of 'profile' is carried out or refused with a word on it") {
  Lab lab;
  for (const auto& action : actions_of("profile")) {
    CAPTURE(action.name);
    std::vector<std::string> words{"profile", action.name, "--noconfirm", "--output", "/nonexistent/file"};
    words.insert(words.end(), action.least, "/nonexistent/word");
    const auto result = lab.cudapin(words);
    CHECK(result.out.size() + result.err.size() > 0);
    words.insert(words.end(), action.most - action.least + 1, "more");
    CHECK(lab.cudapin(words).status == ExitStatus::usage);
  }
}

}  // namespace cudapin
