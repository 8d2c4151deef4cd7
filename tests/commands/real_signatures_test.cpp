// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lock_file.hpp"
#include "support/gpg_home.hpp"
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Real packages and their packagers' own signatures.
const std::map<std::string, std::string> files{
    {"archlinux-keyring", "archlinux-keyring-20140220-1-any.pkg.tar.xz"},
    {"dnssec-anchors", "dnssec-anchors-20170711-1-any.pkg.tar.xz"},
    {"filesystem", "filesystem-2014.07-1-x86_64.pkg.tar.xz"}};

/// A lab whose archive has them, whose keyring is a real one, and whose site has a profile of the first two
/// and one of all.
struct RealLab : Lab {
  explicit RealLab(const Populated& real) {
    for (const auto& [name, file] : files) {
      const auto shelf = archive_folder / "a/packages" / name.substr(0, 1) / name;
      fs::create_directories(shelf);
      for (const auto* ending : {"", ".sig"})
        fs::copy_file(fs::path(REAL_INPUTS) / "packages" / (file + ending), shelf / (file + ending));
    }
    const auto gnupg = root.at("/etc/pacman.d/gnupg");
    fs::remove_all(gnupg);
    fs::create_directories(gnupg);
    for (const auto* file : {"pubring.gpg", "trustdb.gpg", "gpg.conf"})
      fs::copy_file(real.path() / file, gnupg / file);
    root.install(StandIn{.name = "iana-etc", .version = "20240101-1"});
    fs::create_directories(root.at("/usr/share/pacman/keyrings"));
    fs::copy_file(fs::path(REAL_INPUTS) / "keyring/archlinux-keyring-20230320.gpg",
                  root.at("/usr/share/pacman/keyrings/archlinux.gpg"));
    write_profile("two", {"archlinux-keyring", "dnssec-anchors"});
    write_profile("all", {"archlinux-keyring", "dnssec-anchors", "filesystem"});
  }

  void write_profile(const std::string& name, const std::vector<std::string>& packages) const {
    auto text = fmt::format(
        "name: {}\nsummary: real packages\nreason: they are real\ngenerations: [ampere]\npackages:\n", name);
    for (const auto& package : packages)
      text += fmt::format("  {}: {}\n", package, parse_file_name(files.at(package))->version.text());
    text += "files:\n";
    for (const auto& package : packages)
      text += fmt::format("  - {{file: {}, depends: []}}\n", files.at(package));
    write_text(root.at("/etc/cudapin/profiles/" + name + ".yaml"), text);
  }

  RunResult ask(std::vector<std::string> words, const std::string& answer = {}) {
    terminal = !answer.empty();
    answers = answer;
    words.insert(words.end(), {"--archive", server.url()});
    auto result = cudapin(words);
    terminal = false;
    return result;
  }
};

bool are_here() {
  if (fs::exists(fs::path(REAL_INPUTS) / "packages")) return true;
  MESSAGE("no real packages here");
  return false;
}

}  // namespace

TEST_CASE("real signatures: the keyring of 2017 takes what that of 2023 refuses") {
  if (!are_here()) return;
  const auto keyring = populated_2017();
  RealLab lab(keyring);
  const auto result = lab.ask({"fetch", "all", "--json"});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  for (const auto& package : nlohmann::json::parse(result.out).at("packages"))
    CHECK(package.at("signature") == "good");
}

TEST_CASE("real signatures: each refusal of the keyring of 2023 is explained and then vouched for") {
  if (!are_here() || ::geteuid() != 0) return;
  const auto keyring = populated_2023();
  RealLab lab(keyring);
  const auto refused = lab.ask({"fetch", "all"});
  CHECK(refused.status == ExitStatus::failed);
  CHECK(contains(refused.err, "not enough main keys certify that key"));
  CHECK(contains(refused.err, "by a key that was revoked"));
  CHECK(contains(refused.err, "too few main keys certify that key"));
  CHECK(lab.use("two").status == ExitStatus::failed);

  const auto vouched = lab.ask({"lock", "all", "--vouch"}, "yes\n");
  CAPTURE(vouched.err);
  REQUIRE(vouched.status == ExitStatus::done);
  CHECK(contains(vouched.out, "in archlinux"));
  for (const auto* words : {"marginal trust", "key revoked", "unknown trust"})
    CHECK(contains(vouched.out, words));
  const auto path = lab.root.at("/etc/cudapin/profiles/all.lock.yaml");
  const auto lock = parse_lock(read_file(path), path.string());
  for (const auto& [name, file] : files)
    CHECK(lock.find(name)->sha256 == sha256_file(fs::path(REAL_INPUTS) / "packages" / file));

  SUBCASE("they are installed as vouched for") {
    REQUIRE(lab.ask({"lock", "two", "--vouch"}, "yes\n").status == ExitStatus::done);
    fs::remove(lab.root.at("/usr/share/pacman/keyrings/archlinux.gpg"));  // the package brings its own
    const auto used = lab.use("two");
    CAPTURE(used.err);
    CHECK(used.status == ExitStatus::done);
    CHECK(lab.version("dnssec-anchors") == "20170711-1");
  }
  SUBCASE("they are imported with the lock that names them") {
    fs::remove_all(lab.root.at("/var/lib/cudapin/store"));
    const auto file = lab.archived(files.at("filesystem")).string();
    CHECK(lab.cudapin({"fetch", "--import", file}).status == ExitStatus::done);
    fs::remove(path);
    const auto again = lab.cudapin({"fetch", "--import", file});
    CHECK(again.status == ExitStatus::failed);
    CHECK(contains(again.err, "too few main keys"));
  }
  SUBCASE("the store tells of them") {
    const auto told = lab.cudapin({"store", "verify"});
    CHECK(told.status == ExitStatus::done);
    CHECK(contains(told.out, "vouched for: key revoked"));
  }
  SUBCASE("one flipped byte keeps them out all the same") {
    fs::remove_all(lab.root.at("/var/lib/cudapin/store"));
    damage_file(lab.archived(files.at("dnssec-anchors")), 0.9);
    CHECK(lab.ask({"fetch", "all"}).status == ExitStatus::failed);
    fs::remove(path);
    fs::remove_all(lab.root.at("/var/lib/cudapin/store"));
    const auto tampered = lab.ask({"lock", "all", "--vouch"}, "yes\n");
    CHECK(tampered.status == ExitStatus::failed);
    CHECK(contains(tampered.err, "not the file that the signature"));
    CHECK(!fs::exists(path));
  }
}

}  // namespace cudapin
