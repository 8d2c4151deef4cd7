// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

fs::path stored(const Lab& lab, const std::string& shelf) {
  return lab.root.at("/var/lib/cudapin/store/packages") / shelf;
}

/// A package file and its signature in a person's own folder.
fs::path downloaded(const Lab& lab, const TestFolder& folder, const std::string& file,
                    const std::string& as = {}) {
  const auto copy = folder / (as.empty() ? file : as);
  fs::copy_file(lab.archived(file), copy);
  fs::copy_file(lab.archived(file).string() + ".sig", copy.string() + ".sig");
  return copy;
}

const std::string nccl = "nccl-2.7.8-3-x86_64.pkg.tar.zst";
const std::string gcc10 = "gcc10-1:10.2.0-3-x86_64.pkg.tar.zst";

}  // namespace

TEST_CASE("fetch: everything is downloaded and verified and nothing else happens") {
  Lab lab;
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.cudapin({"fetch", "ampere-11.1", "--archive", lab.server.url(), "--json"});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(lab.fingerprint(false) == untouched);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json.at("schema") == 1);
  REQUIRE(json.at("packages").size() == 5);
  for (const auto& package : json.at("packages")) {
    CHECK(package.at("signature") == "good");
    CHECK(package.at("made") == "2020-01-01");
    CHECK(package.at("fingerprint") == lab.keyring.fingerprint(TestKey::trusted));
    CHECK(package.at("sha256") == sha256_file(package.at("path").get<std::string>()));
  }
  lab.server.forget_requests();
  CHECK(lab.use("ampere-11.1", {"--offline"}).status == ExitStatus::done);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("fetch: a folder of one machine is another's archive without root") {
  Lab lab;
  const TestFolder folder;
  lab.privileged = false;
  const auto untouched = lab.fingerprint();
  const auto to = (folder / "mirror").string();
  const auto result = lab.cudapin({"fetch", "ampere-11.1", "--to", to, "--archive", lab.server.url()});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(lab.fingerprint() == untouched);
  CHECK(fs::exists(folder / "mirror/packages/c/cuda/cuda-11.1.0-2-x86_64.pkg.tar.zst.sig"));
  CHECK(lab.cudapin({"fetch", "ampere-11.1", "--archive", lab.server.url()}).status == ExitStatus::failed);

  Lab other;
  SUBCASE("as a folder") {
    const auto used = other.use("ampere-11.1", {"--archive", "file://" + to});
    CAPTURE(used.err);
    CHECK(used.status == ExitStatus::done);
    CHECK(other.server.requests().empty());
  }
  SUBCASE("behind any web server") {
    ArchiveServer web(folder / "mirror");
    const auto used = other.use("ampere-11.1", {"--archive", web.url()});
    CAPTURE(used.err);
    CHECK(used.status == ExitStatus::done);
  }
  SUBCASE("named by the configuration") {
    write_text(other.root.at("/etc/cudapin/config.yaml"), "archives: [\"file://" + to + "\"]\n");
    CHECK(other.cudapin({"fetch", "ampere-11.1"}).status == ExitStatus::done);
  }
  CHECK(other.version("gcc") == lab.version("gcc"));
}

TEST_CASE("fetch: what is not well signed is told all at once") {
  Lab lab;
  lab.sign(lab.archived(nccl), TestKey::revoked);
  lab.sign(lab.archived("cudnn-8.0.4.30-1-x86_64.pkg.tar.zst"), TestKey::untrusted);
  const auto result = lab.cudapin({"fetch", "ampere-11.1", "--archive", lab.server.url()});
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "Revoked Packager"));
  CHECK(contains(result.err, "Untrusted Packager"));
  CHECK(!contains(result.err, "cuda-11.1.0-2-x86_64.pkg.tar.zst' is not accepted"));
}

TEST_CASE("fetch: files that came by other ways are imported after every check") {
  Lab lab;
  const TestFolder folder;
  const auto first = downloaded(lab, folder, nccl);
  const auto encoded = downloaded(lab, folder, gcc10, "gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst");
  const auto result = lab.cudapin({"fetch", "--import", first.string(), encoded.string()});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(sha256_file(stored(lab, "n/nccl") / nccl) == sha256_file(first));
  CHECK(fs::exists(stored(lab, "g/gcc10") / (gcc10 + ".sig")));
  CHECK(!fs::exists(lab.root.at("/var/lib/cudapin/store/.import")));
  CHECK(fs::exists(first));
  CHECK(lab.cudapin({"store", "verify"}).status == ExitStatus::done);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("fetch: an import that fails says why and leaves the others in") {
  Lab lab;
  const TestFolder folder;
  const auto good = downloaded(lab, folder, nccl);
  const auto unsigned_file = downloaded(lab, folder, "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst");
  fs::remove(unsigned_file.string() + ".sig");
  const auto damaged = downloaded(lab, folder, "gcc10-libs-1:10.2.0-3-x86_64.pkg.tar.zst");
  damage_file(damaged, 0.5);
  const auto renamed = downloaded(lab, folder, gcc10, "gcc10-1:10.2.0-4-x86_64.pkg.tar.zst");
  write_text(folder / "notes.txt", "x");
  const auto result = lab.cudapin({"fetch", "--import", unsigned_file.string(), damaged.string(),
                                   good.string(), renamed.string(), (folder / "notes.txt").string(),
                                   (folder / "absent.pkg.tar.zst").string()});
  CHECK(result.status == ExitStatus::failed);
  CHECK(
      contains(result.err, "error: '" + unsigned_file.string() + "' is not accepted: there is no signature"));
  CHECK(contains(result.err, "error: '" + damaged.string() + "' is not accepted: it is not the file"));
  CHECK(contains(result.err, "holds gcc10 1:10.2.0-3 instead of gcc10 1:10.2.0-4"));
  CHECK(contains(result.err, "notes.txt' is not called like a package file"));
  CHECK(!contains(result.err, ".import"));
  CHECK(fs::exists(stored(lab, "n/nccl") / nccl));
  for (const auto* shelf : {"c/cudnn", "g/gcc10", "g/gcc10-libs"})
    CHECK_MESSAGE((!fs::exists(stored(lab, shelf)) || fs::is_empty(stored(lab, shelf))), shelf);
  CHECK(fs::exists(damaged));
}

TEST_CASE("fetch: an import replaces a damaged stored file and needs root") {
  Lab lab;
  const TestFolder folder;
  const auto file = downloaded(lab, folder, nccl);
  write_text(stored(lab, "n/nccl") / nccl, "half of it");
  lab.privileged = false;
  CHECK(contains(lab.cudapin({"fetch", "--import", file.string()}).err, "only root"));
  lab.privileged = true;
  REQUIRE(lab.cudapin({"fetch", "--import", file.string()}).status == ExitStatus::done);
  CHECK(sha256_file(stored(lab, "n/nccl") / nccl) == sha256_file(file));
}

TEST_CASE(
    "C031: an imported name with an encoded epoch is kept with a plain colon and none leaves the store") {
  Lab lab;
  const TestFolder folder;
  const auto encoded = downloaded(lab, folder, gcc10, "gcc10-1%3a10.2.0-3-x86_64.pkg.tar.zst");
  REQUIRE(lab.cudapin({"fetch", "--import", encoded.string()}).status == ExitStatus::done);
  CHECK(fs::exists(stored(lab, "g/gcc10") / gcc10));
  const auto outside = downloaded(lab, folder, nccl, "..%2F..%2Fnccl-2.7.8-3-x86_64.pkg.tar.zst");
  CHECK(contains(lab.cudapin({"fetch", "--import", outside.string()}).err, "is not called like a package"));
  CHECK(!fs::exists(stored(lab, "n/nccl")));
}

TEST_CASE("C038: a bad file and each state of a key get messages of their own and nothing is deleted") {
  struct Row {
    TestKey key;
    std::string_view told;
    std::string_view hint;
  };
  for (const auto& [key, told, hint] :
       {Row{TestKey::expired, "is valid, but that key has expired since", "pacman -Sy archlinux-keyring"},
        Row{TestKey::untrusted, "too few main keys", "pacman -Sy archlinux-keyring"},
        Row{TestKey::retired, "pacman's keyring has disabled", "sudo cudapin lock ampere-11.1 --vouch"},
        Row{TestKey::revoked, "by a key that was revoked", "sudo cudapin lock ampere-11.1 --vouch"},
        Row{TestKey::absent, "pacman's keyring does not have", "pacman -Sy archlinux-keyring"}}) {
    Lab lab;
    lab.sign(lab.archived(nccl), key);
    const auto conf = lab.pacman_conf();
    const auto result = lab.cudapin({"fetch", "ampere-11.1", "--archive", lab.server.url()});
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(contains(result.err, told), result.err);
    CHECK_MESSAGE(contains(result.err, "hint: " + std::string(hint)), result.err);
    CHECK(contains(result.err, "2020-01-01"));
    CHECK(fs::exists(stored(lab, "n/nccl") / nccl));
    CHECK(lab.pacman_conf() == conf);
  }
  Lab lab;
  damage_file(lab.archived(nccl), 0.5);
  const auto result = lab.cudapin({"fetch", "ampere-11.1", "--archive", lab.server.url()});
  CHECK(contains(result.err, "it is not the file that the signature"));
  CHECK(contains(result.err, "hint: rm "));
}

TEST_CASE("C035: a signature belongs to the package's own ending") {
  Lab lab;
  const TestFolder folder;
  const auto file = downloaded(lab, folder, nccl);
  fs::rename(file.string() + ".sig", folder / "nccl-2.7.8-3-x86_64.pkg.tar.xz.sig");
  CHECK(contains(lab.cudapin({"fetch", "--import", file.string()}).err, "there is no signature beside it"));
}

TEST_CASE("fetch: the command line is checked") {
  Lab lab;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"fetch"},
                                                {"fetch", "--import"},
                                                {"fetch", "a", "b"},
                                                {"fetch", "ampere-11.1", "--to"},
                                                {"fetch", "--import", "x", "--offline"},
                                                {"lock"}})
    CHECK(lab.cudapin(words).status == ExitStatus::usage);
}

}  // namespace cudapin
