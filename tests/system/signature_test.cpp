// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/signature.hpp"

#include "core/error.hpp"
#include "support/archive_fixture.hpp"
#include "support/gpg_home.hpp"
#include "support/test_folder.hpp"
#include "support/test_keyring.hpp"
#include "system/child.hpp"
#include "system/fetch.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <sstream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using State = SignatureState;

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";

struct Content {
  std::uintmax_t size;
  std::string bytes;
  fs::file_time_type time;
  bool operator==(const Content&) const = default;
};

std::map<std::string, Content> contents_of(const fs::path& folder) {
  std::map<std::string, Content> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      contents[entry.path()] = {entry.file_size(), read_text(entry.path()), entry.last_write_time()};
  return contents;
}

std::optional<Error> refusal(const fs::path& file, const fs::path& gpg_dir) {
  try {
    require_good_signature(file, gpg_dir);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

struct Signed {
  Signed() { write_text(file, package_bytes(50'000)); }
  SignatureReport check() const { return check_signature(file, keyring.gpg_dir()); }

  TestKeyring keyring;
  TestFolder folder;
  const fs::path file = folder / cuda;
};

}  // namespace

TEST_CASE("signature: real packages have the states of the keyrings of 2017 and 2023") {
  const fs::path real = REAL_INPUTS;
  if (!fs::exists(real / "packages")) {
    MESSAGE("no real packages here");
    return;
  }
  const auto packages = real / "packages";
  const Populated of_2017 = populated_2017();
  const Populated of_2023 = populated_2023();
  struct Row {
    const char* package;
    State in_2017;
    State in_2023;
  };
  for (const auto& [package, in_2017, in_2023] :
       {Row{"archlinux-keyring-20171213-1-any.pkg.tar.xz", State::good, State::good},
        Row{"dnssec-anchors-20170711-1-any.pkg.tar.xz", State::good, State::key_revoked},
        Row{"filesystem-2014.07-1-x86_64.pkg.tar.xz", State::good, State::untrusted},
        Row{"archlinux-keyring-20140220-1-any.pkg.tar.xz", State::good, State::marginal}}) {
    const std::string name = package;
    CAPTURE(name);
    CHECK((check_signature(packages / package, of_2017.path()).state == in_2017));
    const auto report = check_signature(packages / package, of_2023.path());
    CHECK((report.state == in_2023));
    CHECK(report.fingerprint.size() == 40);
    CHECK(!report.signer.empty());
    CHECK(report.made > 1'380'000'000);
    CHECK(report.made < 1'520'000'000);
  }
}

TEST_CASE("signature: each state of a key is told apart") {
  Signed lab;
  const auto when = 1'577'836'800;  // 2020-01-01
  for (const auto& [key, state] : {std::pair{TestKey::trusted, State::good},
                                   {TestKey::untrusted, State::untrusted},
                                   {TestKey::expired, State::key_expired},
                                   {TestKey::revoked, State::key_revoked},
                                   {TestKey::retired, State::key_disabled},
                                   {TestKey::absent, State::unknown_key}}) {
    lab.keyring.sign(lab.file, key);
    const auto report = lab.check();
    const int number = static_cast<int>(state);
    CAPTURE(number);
    CHECK((report.state == state));
    CHECK(std::abs(report.made - when) < 60);
    CHECK(lab.keyring.fingerprint(key).ends_with(report.fingerprint));
    CHECK(report.signer.empty() == (key == TestKey::absent));
  }
}

TEST_CASE("signature: every refusal names signer and day and one command that keeps checking on") {
  Signed lab;
  const auto no_word = [&] { return refusal(lab.file, lab.keyring.gpg_dir()); };
  CHECK(contains(no_word()->hint, "archive.archlinux.org/packages/c/cuda/" + cuda + ".sig"));
  lab.keyring.sign(lab.file);
  CHECK(!no_word());
  for (const auto& [key, remedy] : {std::pair{TestKey::untrusted, "pacman -Sy archlinux-keyring"},
                                    {TestKey::expired, "pacman -Sy archlinux-keyring"},
                                    {TestKey::absent, "pacman -Sy archlinux-keyring"},
                                    {TestKey::revoked, "cudapin list"}}) {
    lab.keyring.sign(lab.file, key);
    const auto error = no_word();
    REQUIRE(error);
    CHECK(contains(error->what(), lab.file.string()));
    CHECK(contains(error->what(), "2020-01-01"));
    CHECK(contains(error->what(), lab.check().fingerprint));
    CHECK(error->hint == remedy);
  }
}

TEST_CASE("signature: a key that only one main key certifies has marginal trust") {
  Signed lab;
  const GpgHome home;
  const auto master = home.make_key("Pacman Keyring Master Key <pacman@localhost>", "cert,sign", "never");
  home.trust(master, '6');
  const auto main_key = home.make_key("Main Key <main@example.org>", "cert,sign", "never");
  home.gpg({"--default-key", master, "--quick-lsign-key", main_key});
  home.trust(main_key, '4');
  const auto packager = home.make_key("Packager <packager@example.org>", "cert,sign", "never");
  home.trust(packager, '2');  // the home where it was made trusts it otherwise
  const auto signed_by = [&](const std::string& key) {
    home.gpg({"--faked-system-time", year_2020, "--local-user", key, "--output", lab.file.string() + ".sig",
              "--detach-sign", lab.file});
    home.gpg({"--check-trustdb"});
    return check_signature(lab.file, home.path()).state;
  };
  CHECK((signed_by(packager) == State::untrusted));
  home.gpg({"--default-key", main_key, "--quick-sign-key", packager});
  CHECK((signed_by(packager) == State::marginal));
  damage_file(lab.file, 0.5);
  CHECK((check_signature(lab.file, home.path()).state == State::tampered));
}

TEST_CASE("signature: the shipped keyring that has a key is known without importing it") {
  const TestFolder folder;
  const GpgHome home;
  const auto key = home.make_key("Packager <packager@example.org>", "cert,sign", "never");
  home.gpg({"--faked-system-time", year_2020, "--passphrase", "", "--quick-add-key", key, "ed25519", "sign",
            "never"});
  home.gpg({"--output", folder / "lab.gpg", "--export", key});
  write_text(folder / "broken.gpg", "no keys");
  write_text(folder / "lab-trusted", key + ":4:\n");
  const auto keys = shipped_keys(folder.path());
  CHECK(keys.size() == 2);
  CHECK(keys.at(key) == "lab");
  CHECK(shipped_keys(folder / "absent").empty());
}

TEST_CASE("signature: a changed file is tampered with whoever signed it") {
  Signed lab;
  for (const auto key : {TestKey::trusted, TestKey::untrusted, TestKey::expired, TestKey::revoked}) {
    write_text(lab.file, package_bytes(50'000));
    lab.keyring.sign(lab.file, key);
    damage_file(lab.file, 0.5);
    CHECK((lab.check().state == State::tampered));
  }
  const auto error = refusal(lab.file, lab.keyring.gpg_dir());
  REQUIRE(error);
  CHECK(error->hint == fmt::format("rm '{0}' '{0}.sig'", lab.file.string()));
}

TEST_CASE("signature: a byte that the network flipped is found") {
  ArchiveFixture archive;
  TestKeyring keyring;
  const auto served = archive.add(cuda, package_bytes(50'000));
  keyring.sign(served);
  const Sources sources{archive.folder / "store", {}, {archive.server.url()}};
  archive.server.set_fault(cuda, {Fault::Kind::flip, 40'000, 1});
  const auto file = fetch(archive.host, sources, *parse_file_name(cuda), {});
  CHECK((check_signature(file, keyring.gpg_dir()).state == State::tampered));
  fs::remove(file);
  fs::remove(file.string() + ".sig");
  CHECK((check_signature(fetch(archive.host, sources, *parse_file_name(cuda), {}), keyring.gpg_dir()).state ==
         State::good));
}

TEST_CASE("signature: a file without one and one that is none") {
  Signed lab;
  CHECK((lab.check().state == State::missing));
  for (const std::string garbage : {"", "<html>not here</html>", "\x89\x02\x33 cut short"}) {
    write_text(lab.file.string() + ".sig", garbage);
    CHECK((lab.check().state == State::tampered));
  }
}

TEST_CASE("signature: a good signature does not cover for another in the same file") {
  Signed lab;
  lab.keyring.sign(lab.file);
  const auto good = read_text(lab.file.string() + ".sig");
  lab.keyring.sign(lab.file, TestKey::untrusted);
  const auto untrusted = read_text(lab.file.string() + ".sig");
  for (const auto& both : {good + untrusted, untrusted + good}) {
    write_text(lab.file.string() + ".sig", both);
    CHECK((lab.check().state != State::good));
  }
}

TEST_CASE("signature: an expired subkey of a living key and an expired signature are told apart") {
  Signed lab;
  const GpgHome home;
  const auto key = home.make_key("Subkey Packager <sub@example.org>", "cert", "never");
  home.gpg({"--faked-system-time", year_2020, "--passphrase", "", "--quick-add-key", key, "ed25519", "sign",
            "1y"});
  home.trust(key, '6');
  const auto sign = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--faked-system-time", year_2020, "--output", lab.file.string() + ".sig",
                             "--detach-sign", lab.file});
    home.gpg(more);
    return check_signature(lab.file, home.path());
  };
  const auto report = sign({});
  CHECK((report.state == State::key_expired));
  CHECK(report.fingerprint != key);
  CHECK(report.signer == "Subkey Packager <sub@example.org>");
  home.gpg({"--faked-system-time", year_2020, "--passphrase", "", "--quick-add-key", key, "ed25519", "sign",
            "never"});
  const auto listing = home.gpg({"--with-colons", "--list-keys", key});
  const auto newest = listing.substr(listing.rfind("fpr:::::::::") + 12, 40);
  CHECK((sign({"--local-user", newest + "!"}).state == State::good));
  CHECK((sign({"--local-user", newest + "!", "--default-sig-expire", "30d"}).state ==
         State::signature_expired));
}

TEST_CASE("signature: checking leaves the keyring as it was and no folder behind") {
  Signed lab;
  lab.keyring.sign(lab.file);
  const auto before = contents_of(lab.keyring.gpg_dir());
  CHECK((lab.check().state == State::good));
  CHECK((contents_of(lab.keyring.gpg_dir()) == before));
  for (const auto& entry : fs::directory_iterator("/tmp")) {
    std::error_code none;
    CHECK(fs::read_symlink(entry.path() / "pubring.gpg", none) != lab.keyring.gpg_dir() / "pubring.gpg");
  }
}

TEST_CASE("signature: no gpg.conf makes checking ask the network") {
  Signed lab;
  ArchiveServer keyserver(lab.folder.path());
  lab.keyring.sign(lab.file, TestKey::absent);
  write_text(lab.keyring.gpg_dir() / "gpg.conf",
             fmt::format("lock-never\nauto-key-retrieve\nkeyserver hkp://{}\n", keyserver.url().substr(7)));
  CHECK((lab.check().state == State::unknown_key));
  CHECK(keyserver.requests().empty());
}

TEST_CASE("signature: a keyring that is missing or unreadable is an error with its remedy") {
  Signed lab;
  lab.keyring.sign(lab.file);
  const auto missing = refusal(lab.file, lab.folder / "no-gpg");
  REQUIRE(missing);
  CHECK(contains(missing->what(), "there is no keyring in"));
  CHECK(contains(missing->hint, "pacman-key --init"));
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  fs::permissions(lab.folder.path(), fs::perms(0755));
  const auto child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(3);
    const auto error = refusal(lab.file, lab.keyring.gpg_dir());
    ::_exit(error && contains(error->what(), "cannot be read") && contains(error->hint, "sudo") ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace cudapin
