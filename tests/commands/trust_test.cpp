// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/publisher.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

fs::path place(const Lab& lab, const std::string& role, const std::string& key) {
  return lab.root.at("/etc/cudapin/trusted/" + role + "/" + key + ".asc");
}

RunResult answered(Lab& lab, const std::string& answer, std::vector<std::string> words) {
  lab.terminal = true;
  lab.answers = answer;
  words.insert(words.begin(), "profile");
  auto result = lab.cudapin(words);
  lab.terminal = false;
  return result;
}

}  // namespace

TEST_CASE("trust: the fingerprint is shown and only a typed yes lets the key count") {
  Lab lab;
  Publisher admin;
  const auto file = admin.key_file().string();
  const auto pacman_keys = sha256_file(lab.root.at("/etc/pacman.d/gnupg/pubring.gpg"));
  for (const auto* answer : {"", "y\n", "Yes\n", "no\n"}) {
    CHECK(answered(lab, answer, {"trust", file}).status == ExitStatus::failed);
    CHECK(!fs::exists(place(lab, "profile", admin.key())));
  }
  const auto result = answered(lab, "yes\n", {"trust", file});
  REQUIRE(result.status == ExitStatus::done);
  CHECK(contains(result.out, "Lab Admin <admin@example.org>"));
  CHECK(contains(result.out, admin.key().substr(0, 4) + " " + admin.key().substr(4, 4)));
  CHECK(fs::exists(place(lab, "profile", admin.key())));
  CHECK(sha256_file(lab.root.at("/etc/pacman.d/gnupg/pubring.gpg")) == pacman_keys);
  CHECK(contains(lab.cudapin({"profile", "trusted"}).out, admin.key()));
  CHECK(contains(lab.cudapin({"history"}).out, "profile trust " + admin.key()));

  REQUIRE(answered(lab, "yes\n", {"trust", file, "--vouch"}).status == ExitStatus::done);
  CHECK(fs::exists(place(lab, "vouch", admin.key())));
  CHECK(!fs::exists(place(lab, "profile", admin.key())));
  REQUIRE(lab.cudapin({"profile", "untrust", admin.key()}).status == ExitStatus::done);
  CHECK(!fs::exists(place(lab, "vouch", admin.key())));
  CHECK(contains(lab.cudapin({"profile", "trusted"}).out, "no key is trusted"));
  CHECK(lab.cudapin({"profile", "untrust", admin.key()}).status == ExitStatus::failed);
}

TEST_CASE("trust: without a terminal the whole fingerprint says yes and again it changes nothing") {
  Lab lab;
  Publisher admin;
  const auto file = admin.key_file().string();
  CHECK(lab.cudapin({"profile", "trust", file}).status == ExitStatus::usage);
  CHECK(lab.cudapin({"profile", "trust", file, "--fingerprint", admin.key().substr(24)}).status ==
        ExitStatus::failed);
  CHECK(lab.cudapin({"profile", "trust", file, "--fingerprint", std::string(40, 'A')}).status ==
        ExitStatus::failed);
  CHECK(!fs::exists(place(lab, "profile", admin.key())));
  const std::vector<std::string> words{"profile", "trust", file, "--json", "--fingerprint", admin.key()};
  auto dry = words;
  dry.emplace_back("--dry-run");
  CHECK(nlohmann::json::parse(lab.cudapin(dry).out)["changed"] == true);
  CHECK(!fs::exists(place(lab, "profile", admin.key())));
  CHECK(nlohmann::json::parse(lab.cudapin(words).out)["changed"] == true);
  CHECK(fs::exists(place(lab, "profile", admin.key())));
  const auto untouched = lab.fingerprint();
  CHECK(nlohmann::json::parse(lab.cudapin(words).out)["changed"] == false);
  CHECK(nlohmann::json::parse(lab.cudapin(dry).out)["changed"] == false);
  CHECK(lab.fingerprint() == untouched);
}

TEST_CASE("trust: what is no single public key in force is refused") {
  Lab lab;
  const TestFolder folder;
  const auto refused = [&](const fs::path& file, const std::string& why) {
    const auto result = answered(lab, "yes\n", {"trust", file.string()});
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(contains(result.err, why), result.err);
    CHECK(!fs::exists(lab.root.at("/etc/cudapin/trusted")));
  };
  write_text(folder / "text", "no key at all\n");
  refused(folder / "text", "holds no public key");
  Publisher revoked("Revoked Admin");
  refused(revoked.key_file(true), "was revoked");
  Publisher expired("Expired Admin", "1y");
  refused(expired.key_file(), "has expired");
  Publisher one("One");
  Publisher two("Two");
  write_text(folder / "both", read_text(one.key_file()) + read_text(two.key_file()));
  refused(folder / "both", "holds 2 keys");
  const GpgHome home;
  home.make_key("Careless <c@example.org>", "cert,sign", "never");
  home.gpg({"--pinentry-mode", "loopback", "--passphrase", "", "--armor", "--output", folder / "secret",
            "--export-secret-keys"});
  refused(folder / "secret", "secret key");
}

TEST_CASE("trust: a key that another than root can have put there does not count") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  Lab lab;
  Publisher admin;
  const TestFolder folder;
  write_text(folder / "lab.yaml", lab_profile("lab"));
  admin.sign(folder / "lab.yaml");
  const auto verify = [&] { return lab.cudapin({"profile", "verify", (folder / "lab.yaml").string()}); };
  CHECK(verify().status == ExitStatus::failed);
  REQUIRE(admin.trust_at(lab).status == ExitStatus::done);
  CHECK(verify().status == ExitStatus::done);
  const auto key = place(lab, "profile", admin.key());

  SUBCASE("writable for all") { fs::permissions(key, fs::perms::others_write, fs::perm_options::add); }
  SUBCASE("a folder of somebody else") { REQUIRE(::chown(key.parent_path().c_str(), 1000, 1000) == 0); }
  SUBCASE("a symbolic link") {
    fs::rename(key, folder / "key");
    fs::create_symlink(folder / "key", key);
  }
  SUBCASE("under another key's name") {
    fs::rename(key, key.parent_path() / (std::string(40, 'B') + ".asc"));
  }
  CHECK(verify().status == ExitStatus::failed);
  CHECK(contains(lab.cudapin({"profile", "trusted", "--json"}).out, "\"counts\": false"));
}

}  // namespace cudapin
