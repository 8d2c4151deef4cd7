// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lock_file.hpp"

#include "core/error.hpp"
#include "core/yaml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <regex>

namespace cudapin {

namespace {

const std::string hash(64, 'a');
const std::string signer(40, 'B');

const std::string valid = fmt::format(R"(schema: 1
profile: lab
profile_sha256: {0}
files:
  - file: gcc10-1:10.2.0-3-x86_64.pkg.tar.zst
    name: gcc10
    version: "1:10.2.0-3"
    size: 31000000
    sha256: {0}
    signer: {1}
    found: https://archive.archlinux.org/packages/g/gcc10/x
    vouched: key revoked
    depends: [gcc10-libs, "libisl.so=23-64"]
    as: dependency
    mtree: {0}
)",
                                      hash, signer);

/// `valid` with the first `from` made `to`.
std::string with(const std::string& from, const std::string& to) {
  auto text = valid;
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    parse_lock(text, "l");
  } catch (const yaml::InvalidFile& error) {
    CHECK(error.hint == "man cudapin-lock");
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

ProfilePackage package(const std::string& file) {
  const auto name = parse_file_name(file);
  return {.name = name->name, .version = name->version, .file = file};
}

LockedFile locked(const std::string& file) {
  return {
      .package = package(file), .size = 1, .sha256 = hash, .mtree = hash, .signer = signer, .found = "/x"};
}

const std::string cuda = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
const std::string nccl = "nccl-2.7.8-3-x86_64.pkg.tar.zst";

}  // namespace

TEST_CASE("lock file: every key is read") {
  const auto lock = parse_lock(valid, "l");
  CHECK(lock.profile == "lab");
  CHECK(lock.profile_sha256 == hash);
  CHECK(lock.has_vouches());
  REQUIRE(lock.files.size() == 1);
  const auto& file = lock.files[0];
  CHECK(lock.find("gcc10") == &file);
  CHECK(lock.find_file("gcc10-1:10.2.0-3-x86_64.pkg.tar.zst") == &file);
  CHECK(lock.find("gcc") == nullptr);
  CHECK(file.package.version.text() == "1:10.2.0-3");
  CHECK(file.size == 31000000);
  CHECK(file.sha256 == hash);
  CHECK(file.signer == signer);
  CHECK(file.found == "https://archive.archlinux.org/packages/g/gcc10/x");
  CHECK((file.vouched == SignatureState::key_revoked));
  CHECK(file.package.depends[1].text() == "libisl.so=23-64");
  CHECK(file.package.reason == Reason::dependency);
}

TEST_CASE("lock file: what is written is read as the same") {
  auto lock = parse_lock(valid, "l");
  auto odd = locked("0ad-1.10-1-any.pkg.tar.xz");
  odd.found = "/srv/a \"b\"\\c: #d";
  odd.package.provides = {{"null", "", ""}, {"1", "=", "2"}};
  odd.package.conflicts = {{"x", ">=", "3"}};
  odd.package.replaces = {{"y", "", ""}};
  odd.package.only_if_installed = true;
  lock.files.push_back(odd);
  const auto text = lock_text(lock);
  const auto again = parse_lock(text, "l");
  CHECK(lock_text(again) == text);
  REQUIRE(again.files.size() == 2);
  CHECK(again.files[1].found == odd.found);
  CHECK(again.files[1].package.provides == odd.package.provides);
  CHECK(again.files[1].package.only_if_installed);
  CHECK((again.files[0].vouched == SignatureState::key_revoked));
  CHECK(!again.files[1].vouched);
}

TEST_CASE("lock file: each mistake is told with its place") {
  struct Row {
    std::string from;
    std::string to;
    std::string told;
  };
  for (const auto& [from, to, told] : {
           Row{"schema: 1", "schema: 2", "l:1:9: 'schema'"},
           Row{"profile: lab", "profile: ../lab", "l:2:10: '../lab' is no profile name"},
           Row{"profile: lab\n", "", "l:1:1: a lock has no 'profile'"},
           Row{"files:", "flies:", "did you mean 'files'?"},
           Row{"file: gcc10", "file: ../gcc10", "l:5:11: "},
           Row{"file: gcc10-1:", "file: gcc-1:", "l:5:11: 'gcc' must stay"},
           Row{"name: gcc10", "name: gcc11", "l:6:11: 'name' must be 'gcc10'"},
           Row{"1:10.2.0-3\"", "10.2.0-3\"", "l:7:14: 'version' must be '1:10.2.0-3'"},
           Row{"size: 31000000", "size: 0", "l:8:11: 'size'"},
           Row{"size: 31000000", "size: 3e7", "l:8:11: 'size'"},
           Row{"size: 31000000", "size: 99999999999999999999999", "l:8:11: 'size'"},
           Row{"    sha256: a", "    sha256: A", "l:9:13: 'sha256'"},
           Row{"    sha256: a", "    sha256: ", "l:9:13: 'sha256'"},
           Row{"mtree: a", "mtree: x", "l:15:12: 'mtree'"},
           Row{"signer: B", "signer: b", "l:10:13: 'signer'"},
           Row{"found: https", "found: \"\\x1b\" #", "l:11:12: 'found'"},
           Row{"vouched: key revoked", "vouched: tampered", "l:12:14: 'vouched'"},
           Row{"vouched: key revoked", "vouched: missing", "l:12:14: 'vouched'"},
           Row{"vouched: key revoked", "vouched: unknown key", "l:12:14: 'vouched'"},
           Row{"vouched: key revoked", "vouched: good", "l:12:14: 'vouched'"},
           Row{"as: dependency", "as: needed", "l:14:9: 'as'"},
       })
    CHECK_MESSAGE(contains(refusal(with(from, to)), told), refusal(with(from, to)));
  CHECK(contains(refusal("- a\n"), "l:1:1: a lock must be a mapping"));
  CHECK(
      contains(refusal(valid + valid.substr(valid.find("  - file"))), "l:16:11: a second file for 'gcc10'"));
}

TEST_CASE("lock file: all mistakes are told at once") {
  auto text = with("schema: 1", "schema: x");
  text.replace(text.find("size: 3"), 7, "size: x");
  text.replace(text.find("signer: B"), 9, "signer: x");
  const auto told = refusal(text);
  CHECK(std::ranges::count(told, '\n') == 2);
}

TEST_CASE("lock file: it takes the place of ranges and adds what a machine lacks") {
  Profile profile{.name = "lab"};
  profile.packages = {package(cuda)};
  profile.open = {{"nccl", *VersionRange::parse("2.7.*"), "p:1:1"}};
  LockFile lock{.profile = "lab", .profile_sha256 = hash, .files = {}, .origin = "l"};
  lock.files = {locked(cuda), locked(nccl), locked("libmpc-1.2.1-1-x86_64.pkg.tar.zst")};
  const auto bare = with_lock(profile, lock, {});
  CHECK(bare.open.empty());
  REQUIRE(bare.packages.size() == 3);
  CHECK(bare.packages[1].file == nccl);
  CHECK(bare.packages[1].is_pinned);
  CHECK(!bare.packages[2].is_pinned);
  const Package newer{.name = "libmpc", .version = "1.3.1-1"};
  CHECK(with_lock(profile, lock, std::span<const Package>(&newer, 1)).packages.size() == 2);
}

TEST_CASE("lock file: where it and the profile differ all packages are named") {
  Profile profile{.name = "lab"};
  profile.packages = {package(cuda), package("cudnn-8.0.4.30-1-x86_64.pkg.tar.zst")};
  profile.open = {{"nccl", *VersionRange::parse("2.8.*"), "p:1:1"}};
  LockFile lock{.profile = "lab", .profile_sha256 = hash, .files = {}, .origin = "l"};
  lock.files = {locked("cuda-11.1.1-1-x86_64.pkg.tar.zst"), locked(nccl)};
  try {
    with_lock(profile, lock, {});
    FAIL("accepted");
  } catch (const Error& error) {
    const std::string told = error.what();
    CHECK(contains(told, "does not want cuda 11.1.1-1"));
    CHECK(contains(told, "'cudnn' is in the profile and not in the lock"));
    CHECK(contains(told, "does not want nccl 2.7.8-3"));
    CHECK(error.hint == "sudo cudapin lock lab");
  }
}

TEST_CASE("lock schema: it and the reader know the same keys and words") {
  const auto root = nlohmann::json::parse(std::ifstream(SOURCE_DIR "/profiles/cudapin-lock.schema.json"));
  const auto keys = [](const nlohmann::json& object) {
    std::vector<std::string> found;
    for (const auto& [key, value] : object.items()) found.push_back(key);
    std::ranges::sort(found);
    return found;
  };
  const auto sorted = [](std::vector<std::string> words) {
    std::ranges::sort(words);
    return words;
  };
  const auto& file = root["properties"]["files"]["items"];
  CHECK(keys(root["properties"]) == sorted(lock_keys()));
  CHECK(keys(file["properties"]) == sorted(lock_file_keys()));
  CHECK(root["additionalProperties"] == false);
  CHECK(file["additionalProperties"] == false);
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(SignatureState::tampered); ++i)
    if (const auto state = static_cast<SignatureState>(i); may_be_vouched(state))
      words.emplace_back(word_of(state));
  CHECK(sorted(file["properties"]["vouched"]["enum"].get<std::vector<std::string>>()) == sorted(words));
}

TEST_CASE("signature report: every state has a word of its own and a sentence") {
  for (int i = 0; i <= static_cast<int>(SignatureState::tampered); ++i) {
    const auto state = static_cast<SignatureState>(i);
    CAPTURE(i);
    CHECK((signature_state(word_of(state)) == state));
    CHECK(!sentence_of({.state = state}).empty());
  }
  const SignatureReport report{SignatureState::key_expired, signer, "A Packager <a@example.org>", 1513123200};
  CHECK(sentence_of(report) == "the signature made on 2017-12-13 by A Packager <a@example.org> (" + signer +
                                   ") is valid, but that key has expired since");
  CHECK(!matches_file(SignatureState::unknown_key));
  CHECK(!may_be_vouched(SignatureState::good));
  CHECK(!may_be_vouched(SignatureState::unknown_key));
  CHECK(may_be_vouched(SignatureState::key_revoked));
}

}  // namespace cudapin
