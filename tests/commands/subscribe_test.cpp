// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"
#include "support/publisher.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Without the line breaks of a narrow terminal.
std::string unwrapped(const std::string& text) { return join(split(text, " \n"), " "); }

/// An admin's folder of profiles on a web server, and a machine that trusts the admin.
struct Published {
  Published() {
    fs::create_directories(folder());
    REQUIRE(admin.trust_at(lab).status == ExitStatus::done);
    write_text(folder() / "lab.yaml", lab_profile("lab"));
    publish();
  }
  fs::path folder() const { return files / "w"; }
  std::string url() const { return server.url() + "/w"; }
  void publish(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"publish", folder().string()});
    const auto result = admin.profile(lab, more);
    CAPTURE(result.err);
    REQUIRE(result.status == ExitStatus::done);
  }
  RunResult profile(std::vector<std::string> words) {
    words.insert(words.begin(), "profile");
    return lab.cudapin(words);
  }
  RunResult subscribe() { return profile({"subscribe", url(), "--noconfirm"}); }
  void refused(const std::string& why) {
    const auto untouched = lab.fingerprint(false) + subscribed();
    const auto result = profile({"update"});
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(contains(result.err, why), result.err);
    CHECK(lab.fingerprint(false) + subscribed() == untouched);
  }
  /// Every file of the subscriptions with its content.
  std::string subscribed() const {
    std::vector<std::string> lines;
    const auto place = lab.root.at("/var/lib/cudapin/subscribed");
    if (!fs::exists(place)) return {};
    for (const auto& entry : fs::recursive_directory_iterator(place))
      if (entry.is_regular_file()) lines.push_back(entry.path().string() + sha256_file(entry.path()));
    std::ranges::sort(lines);
    return join(lines, "\n");
  }

  TestFolder files;
  ArchiveServer server{files.path()};
  Lab lab;
  Publisher admin;
};

const std::string day = "86400";

}  // namespace

TEST_CASE("subscribe: it shows what comes and by whom and switches nothing") {
  Published published;
  auto& lab = published.lab;
  lab.terminal = true;
  lab.answers = "n\n";
  CHECK(published.profile({"subscribe", published.url()}).status == ExitStatus::failed);
  CHECK(contains(published.profile({"subscriptions"}).out, "nothing is subscribed"));
  lab.answers = "y\n";
  const auto result = published.profile({"subscribe", published.url()});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(contains(unwrapped(result.out), "edition 1, signed by Lab Admin"));
  CHECK(contains(unwrapped(result.out), "cuda 11.1.0-2"));
  CHECK(lab.version("cuda") == "13.1.1-1");
  CHECK(contains(unwrapped(lab.cudapin({"list"}).out), "(subscribed: " + published.url() + ")"));
  lab.terminal = false;
  CHECK(lab.use("lab").status == ExitStatus::done);
  CHECK(published.profile({"unsubscribe", published.url()}).status == ExitStatus::failed);
  REQUIRE(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
  REQUIRE(published.profile({"unsubscribe", published.url()}).status == ExitStatus::done);
  CHECK(published.subscribed().empty());
}

TEST_CASE("subscribe: update brings the next edition and again nothing") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  REQUIRE(published.lab.use("lab").status == ExitStatus::done);
  const auto pins = published.lab.pacman_conf();
  const auto quiet = published.profile({"update", "--json"});
  CHECK(nlohmann::json::parse(quiet.out)["subscriptions"][0]["changed"] == false);
  write_text(published.folder() / "lab.yaml", "name: lab\nextends: ampere-11.1\npackages: {nccl: 2.7.*}\n");
  write_text(published.folder() / "next.yaml", lab_profile("next"));
  published.publish();
  const auto news = published.profile({"update"});
  CAPTURE(news.err);
  REQUIRE(news.status == ExitStatus::done);
  CHECK(contains(unwrapped(news.out), "edition 2"));
  CHECK(contains(unwrapped(news.out), "nccl 2.7.8-3 -> 2.7.*"));
  CHECK(contains(published.lab.cudapin({"list", "-q"}).out, "next\n"));
  CHECK(published.lab.pacman_conf() == pins);
  CHECK(published.lab.version("nccl") == "2.7.8-3");
  fs::remove(published.folder() / "next.yaml");
  published.publish();
  REQUIRE(published.profile({"update"}).status == ExitStatus::done);
  CHECK(!contains(published.lab.cudapin({"list", "-q"}).out, "next\n"));
}

TEST_CASE("subscribe: a dry run tells the same and leaves no file") {
  Published published;
  published.lab.privileged = false;
  auto untouched = published.lab.fingerprint();
  const auto first = published.profile({"subscribe", published.url(), "--dry-run", "--json"});
  CAPTURE(first.err);
  REQUIRE(first.status == ExitStatus::done);
  CHECK(contains(first.out, "\"changed\": true"));
  CHECK(published.lab.fingerprint() == untouched);
  published.lab.privileged = true;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  published.publish();
  untouched = published.lab.fingerprint();
  CHECK(contains(published.profile({"update", "--dry-run", "--json"}).out, "\"serial\": 2"));
  CHECK(contains(published.profile({"unsubscribe", published.url(), "--dry-run"}).out, "no longer"));
  CHECK(published.lab.fingerprint() == untouched);
}

TEST_CASE("subscribe: a folder such as a git checkout serves as well") {
  Published published;
  for (const auto& place : {published.folder().string(), "file://" + published.folder().string()}) {
    REQUIRE(published.profile({"subscribe", place, "--noconfirm"}).status == ExitStatus::done);
    CHECK(contains(published.profile({"subscribe", place, "--noconfirm"}).out, "already"));
  }
  CHECK(contains(published.lab.cudapin({"show", "lab"}).out, "/var/lib/cudapin/subscribed/"));
}

TEST_CASE("subscribe: layers hide each other and list tells which") {
  Published published;
  auto& lab = published.lab;
  write_text(published.folder() / "ampere-11.1.yaml",
             "name: ampere-11.1\nextends: ampere-11.1\nsummary: of all\n");
  published.publish();
  write_text(lab.root.at("/etc/cudapin/profiles/ampere-11.1.yaml"),
             "name: ampere-11.1\nextends: ampere-11.1\nsummary: of this site\nreason: site\n");
  REQUIRE(published.subscribe().status == ExitStatus::done);
  const auto listed = unwrapped(lab.cudapin({"list"}).out);
  CHECK(contains(listed, "hides the one that is site and the one that is built-in"));
  const auto shown = nlohmann::json::parse(lab.cudapin({"show", "ampere-11.1", "--json"}).out);
  CHECK(shown["summary"] == "of all");
  CHECK(shown["reason"] == "site");
  CHECK(shown["extends"].size() == 2);
  const TestFolder folder;
  write_text(folder / "ampere-11.1.yaml", "name: ampere-11.1\nextends: ampere-11.1\nsummary: mine\n");
  const auto local = lab.cudapin({"show", (folder / "ampere-11.1.yaml").string(), "--json"});
  CHECK(nlohmann::json::parse(local.out)["summary"] == "mine");
  CHECK(nlohmann::json::parse(local.out)["extends"].size() == 3);
}

TEST_CASE("attack: an older index played again is refused") {
  Published published;
  const auto first = read_text(published.folder() / "index.yaml");
  const auto signature = read_text(published.folder() / "index.yaml.sig");
  published.publish();
  REQUIRE(published.subscribe().status == ExitStatus::done);
  write_text(published.folder() / "index.yaml", first);
  write_text(published.folder() / "index.yaml.sig", signature);
  published.refused("it is edition 1, and edition 2 is here");
}

TEST_CASE("attack: another index of the same number is refused") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  fs::remove(published.folder() / "index.yaml");
  write_text(published.folder() / "lab.yaml", lab_profile("lab", "# another\n"));
  published.publish();
  published.refused("it is another edition 1");
}

TEST_CASE("attack: files of two editions mixed are refused") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  const auto old_text = read_text(published.folder() / "lab.yaml");
  const auto old_signature = read_text(published.folder() / "lab.yaml.sig");
  write_text(published.folder() / "lab.yaml", lab_profile("lab", "# the next one\n"));
  published.publish();
  write_text(published.folder() / "lab.yaml", old_text);
  write_text(published.folder() / "lab.yaml.sig", old_signature);
  published.refused("is not the file that the index names");
  fs::remove(published.folder() / "lab.yaml");
  published.refused("there is no");
}

TEST_CASE("attack: an expired index is refused and a frozen mirror told of") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  published.lab.now = std::to_string(1704164645 + 29 * std::stoi(day));
  CHECK(published.profile({"update"}).status == ExitStatus::done);
  published.lab.now = std::to_string(1704164645 + 30 * std::stoi(day));
  published.refused("it expired at 2024-02-01T03:04:05Z");
  CHECK(contains(unwrapped(published.profile({"subscriptions"}).out), "EXPIRED at 2024-02-01T03:04:05Z"));
  Lab fresh;
  REQUIRE(published.admin.trust_at(fresh).status == ExitStatus::done);
  fresh.now = published.lab.now;
  CHECK(contains(fresh.cudapin({"profile", "subscribe", published.url(), "--noconfirm"}).err, "it expired"));
  published.publish({"--days", "1"});
  CHECK(published.profile({"update"}).status == ExitStatus::done);
}

TEST_CASE("attack: an index changed or unsigned or signed by another is refused") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  const auto index = read_text(published.folder() / "index.yaml");
  write_text(published.folder() / "index.yaml", index + "# more\n");
  published.refused("not the file that the signature");
  fs::remove(published.folder() / "index.yaml.sig");
  published.refused("it is not signed");
  Publisher other("Other Admin");
  other.sign(published.folder() / "index.yaml");
  published.refused("which is not trusted here");
  // Even one that is trusted, for something else, cannot take this subscription over.
  REQUIRE(other.trust_at(published.lab).status == ExitStatus::done);
  published.refused("and this subscription is to " + published.admin.key());
}

TEST_CASE("attack: an index of a hundred megabytes is not received") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  fs::resize_file(published.folder() / "index.yaml", 100u << 20);
  published.refused("is longer than 1.0 MiB");
}

TEST_CASE("attack: names in an index lead nowhere and no link is followed") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  const auto index = read_text(published.folder() / "index.yaml");
  for (const std::string name : {"../../../etc/passwd.yaml", "/etc/passwd", "a/b.yaml", "..yaml",
                                 "index.yaml", "Lab.yaml", "lab.sh", ".hidden.yaml", "lab.yaml.sig.sig"}) {
    auto text = index;
    text.replace(text.find("\"lab.yaml\"") == text.npos ? text.find("lab.yaml") : text.find("\"lab.yaml\""),
                 text.find("\"lab.yaml\"") == text.npos ? 8 : 10, "\"" + name + "\"");
    text.replace(text.find("serial: 1"), 9, "serial: 2");
    write_text(published.folder() / "index.yaml", text);
    published.admin.sign(published.folder() / "index.yaml");
    published.refused("is no name of a profile, a lock or a signature");
  }
  fs::rename(published.folder() / "lab.yaml", published.files / "elsewhere");
  fs::create_symlink(published.files / "elsewhere", published.folder() / "lab.yaml");
  CHECK(published.admin.profile(published.lab, {"publish", published.folder().string()}).status ==
        ExitStatus::failed);
  Lab other;
  REQUIRE(published.admin.trust_at(other).status == ExitStatus::done);
  write_text(published.folder() / "index.yaml", index);
  published.admin.sign(published.folder() / "index.yaml");
  const auto linked = other.cudapin({"profile", "subscribe", published.folder().string(), "--noconfirm"});
  CHECK(contains(linked.err, "is a symbolic link"));
}

TEST_CASE("attack: a subscribed profile that extends in a loop is refused whole") {
  Published published;
  REQUIRE(published.subscribe().status == ExitStatus::done);
  write_text(published.lab.root.at("/etc/cudapin/profiles/base.yaml"), "name: base\nextends: lab\n");
  // The publisher's own machine has another 'base'.
  Lab author;
  write_text(author.root.at("/etc/cudapin/profiles/base.yaml"), lab_profile("base"));
  write_text(published.folder() / "lab.yaml", "name: lab\nextends: base\n");
  REQUIRE(published.admin.profile(author, {"publish", published.folder().string()}).status ==
          ExitStatus::done);
  published.refused("a loop of profiles: lab -> base -> lab");
}

TEST_CASE("subscribe: a subscribed lock vouches only where its signer may") {
  Published published;
  const auto cudnn = "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst";
  Lab author;
  author.sign(author.archived(cudnn), TestKey::expired);
  author.terminal = true;
  author.answers = "yes\n";
  REQUIRE(author.cudapin({"lock", "ampere-11.1", "--vouch", "--archive", author.server.url()}).status ==
          ExitStatus::done);
  author.terminal = false;
  REQUIRE(author.cudapin({"profile", "export", "ampere-11.1", "--lock", "-o", published.folder().string()})
              .status == ExitStatus::done);
  published.publish();
  published.lab.sign(published.lab.archived(cudnn), TestKey::expired);
  const auto told = published.subscribe();
  REQUIRE(told.status == ExitStatus::done);
  CHECK(contains(unwrapped(told.out), "and that does not count"));
  CHECK(published.lab.use("ampere-11.1", {"--locked"}).status == ExitStatus::failed);
  REQUIRE(published.admin.trust_at(published.lab, true).status == ExitStatus::done);
  const auto result = published.lab.use("ampere-11.1", {"--locked"});
  CAPTURE(result.err);
  CHECK(result.status == ExitStatus::done);
  CHECK(published.lab.version("cudnn") == "8.0.4.30-1");
}

}  // namespace cudapin
