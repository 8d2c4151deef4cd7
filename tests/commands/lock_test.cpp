// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lock_file.hpp"
#include "core/text.hpp"
#include "support/lab.hpp"
#include "system/files.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

const std::string cudnn = "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst";
constexpr auto site_lock = "/etc/cudapin/profiles/ampere-11.1.lock.yaml";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Without the line breaks of a narrow terminal.
std::string unwrapped(const std::string& text) { return join(split(text, " \n"), " "); }

LockFile lock_in(const Lab& lab) {
  const auto path = lab.root.at(site_lock);
  return parse_lock(read_file(path), path.string());
}

void copy_lock(const Lab& from, const Lab& to) {
  fs::create_directories(to.root.at(site_lock).parent_path());
  fs::copy_file(from.root.at(site_lock), to.root.at(site_lock), fs::copy_options::overwrite_existing);
}

/// The lock with the first `from` made `to`.
void edit_lock(const Lab& lab, const std::string& from, const std::string& to) {
  auto text = read_file(lab.root.at(site_lock));
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  write_text(lab.root.at(site_lock), text.replace(at, from.size(), to));
}

/// Path below the root and SHA-256 of every file that the profile's packages have installed.
std::map<std::string, std::string> files_of_profile(const Lab& lab) {
  std::map<std::string, std::string> files;
  const LockFile lock = lock_in(lab);
  for (const auto& entry : fs::recursive_directory_iterator(lab.root.at("/opt")))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(lab.root.path())] = sha256_file(entry.path());
  for (const auto& file : lock.files) {
    const auto& package = file.package;
    const auto folder = lab.root.local_database() / (package.name + "-" + package.version.text());
    files[package.name] = sha256_text(read_file(folder / "files") + read_file(folder / "mtree"));
  }
  return files;
}

/// Answers on a terminal.
RunResult vouch(Lab& lab, const std::string& answer, std::vector<std::string> more = {}) {
  lab.terminal = true;
  lab.answers = answer;
  std::vector<std::string> words{"lock", "ampere-11.1", "--vouch", "--archive", lab.server.url()};
  words.insert(words.end(), more.begin(), more.end());
  auto result = lab.cudapin(words);
  lab.terminal = false;
  return result;
}

RunResult lock(Lab& lab, const std::string& profile = "ampere-11.1") {
  return lab.cudapin({"lock", profile, "--archive", lab.server.url()});
}

}  // namespace

TEST_CASE("lock: it names every file with its bytes and signer and where it was found") {
  Lab lab;
  const auto untouched = lab.pacman_conf();
  const auto result = lock(lab);
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  const auto locked = lock_in(lab);
  CHECK(locked.profile == "ampere-11.1");
  CHECK(locked.profile_sha256 == sha256_file(SOURCE_DIR "/profiles/ampere-11.1.yaml"));
  REQUIRE(locked.files.size() == 5);
  for (const auto& file : locked.files) {
    const auto served = lab.archived(file.package.file);
    CHECK(file.sha256 == sha256_file(served));
    CHECK(file.size == fs::file_size(served));
    CHECK(file.signer == lab.keyring.fingerprint(TestKey::trusted));
    CHECK(contains(file.found, lab.server.url()));
    CHECK(!file.vouched);
  }
  CHECK(lab.version("cuda") == "13.1.1-1");
  CHECK(lab.pacman_conf() == untouched);

  SUBCASE("again it writes the same packages") {
    REQUIRE(lock(lab).status == ExitStatus::done);
    CHECK(lock_in(lab).files.size() == 5);
    CHECK(lock_in(lab).files[0].sha256 == locked.files[0].sha256);
  }
  SUBCASE("no profile is called like a lock") {
    const auto listed = lab.cudapin({"list", "--quiet"}).out;
    CHECK(contains(listed, "ampere-11.1"));
    CHECK(!contains(listed, "lock"));
  }
}

TEST_CASE("lock: two machines with the same lock end with the same files") {
  Lab first;
  REQUIRE(lock(first).status == ExitStatus::done);
  Lab second;
  second.root.install(StandIn{.name = "cudnn", .version = "8.0.2.39-2"});
  second.root.install(StandIn{.name = "gcc10-libs", .version = "1:10.1.0-1"}, Reason::dependency);
  copy_lock(first, second);
  REQUIRE(first.use("ampere-11.1", {"--locked"}).status == ExitStatus::done);
  const auto result = second.use("ampere-11.1", {"--locked"});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(files_of_profile(first) == files_of_profile(second));
  CHECK(contains(second.use("ampere-11.1", {"--locked"}).out, "in force already"));
}

TEST_CASE("lock: other bytes than the lock names are refused though they are well signed") {
  Lab first;
  REQUIRE(lock(first).status == ExitStatus::done);
  Lab second;
  copy_lock(first, second);
  second.add_to_archive(StandIn{.name = "nccl", .version = "2.7.8-3", .description = "built again"});
  fs::remove(second.moved_folder / "m/nccl-2.7.8-3-x86_64.pkg.tar.zst");
  const auto untouched = second.fingerprint(false);
  for (const auto& more : {std::vector<std::string>{"--locked"}, std::vector<std::string>{}}) {
    const auto result = second.use("ampere-11.1", more);
    CHECK(result.status == ExitStatus::failed);
    CHECK(contains(result.err, "cannot find 'nccl-2.7.8-3-x86_64.pkg.tar.zst'"));
    CHECK((contains(result.err, "has another file of that name") || contains(result.err, "with SHA-256")));
    CHECK(second.fingerprint(false) == untouched);
  }
}

TEST_CASE("lock: a package of the right version from another file is found out") {
  Lab lab;
  REQUIRE(lock(lab).status == ExitStatus::done);
  lab.root.install(StandIn{.name = "nccl", .version = "2.7.8-3", .description = "built at home"});
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "nccl 2.7.8-3 is installed, but not from the file that the lock"));
  CHECK(contains(result.err, "hint: sudo cudapin fetch ampere-11.1 && sudo pacman -U"));
  CHECK(lab.version("cuda") == "13.1.1-1");
}

TEST_CASE("lock: one made of another text of the profile is refused with what to type") {
  Lab lab;
  const auto text = read_file(SOURCE_DIR "/profiles/ampere-11.1.yaml");
  write_text(lab.root.at("/etc/cudapin/profiles/ampere-11.1.yaml"), text);
  REQUIRE(lock(lab).status == ExitStatus::done);
  write_text(lab.root.at("/etc/cudapin/profiles/ampere-11.1.yaml"), text + "# changed\n");
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "was made of another text of the profile"));
  CHECK(contains(result.err, "hint: sudo cudapin lock ampere-11.1"));
  CHECK(lab.fingerprint(false) == untouched);
  REQUIRE(lock(lab).status == ExitStatus::done);
  CHECK(lab.use("ampere-11.1", {"--locked"}).status == ExitStatus::done);
}

TEST_CASE("lock: the text of what a profile extends counts too") {
  Lab lab;
  const auto base = lab.root.at("/etc/cudapin/profiles/base.yaml");
  auto text = read_file(SOURCE_DIR "/profiles/ampere-11.1.yaml");
  text.replace(text.find("name: ampere-11.1"), 17, "name: base");
  write_text(base, text);
  write_text(lab.root.at("/etc/cudapin/profiles/lab.yaml"), "name: lab\nextends: base\n");
  REQUIRE(lock(lab, "lab").status == ExitStatus::done);
  CHECK(lab.use("lab", {"--locked", "--dry-run"}).status == ExitStatus::done);
  write_text(base, text + "# changed\n");
  CHECK(contains(lab.use("lab", {"--dry-run"}).err, "another text"));
}

TEST_CASE("lock: a range stays at what it came to though the archive has a newer one") {
  Lab lab;
  write_text(lab.root.at("/etc/cudapin/profiles/lab.yaml"),
             "name: lab\nextends: ampere-11.1\npackages: {nccl: 2.7.*}\n");
  lab.add_to_archive(StandIn{.name = "nccl", .version = "2.7.8-3", .depends = {"glibc", "gcc-libs"}});
  const auto locked = lock(lab, "lab");
  CAPTURE(locked.err);
  REQUIRE(locked.status == ExitStatus::done);
  lab.add_to_archive(StandIn{.name = "nccl", .version = "2.7.9-1", .depends = {"glibc", "gcc-libs"}});
  const auto result = lab.use("lab", {"--locked"});
  CAPTURE(result.err);
  CHECK(result.status == ExitStatus::done);
  CHECK(lab.version("nccl") == "2.7.8-3");
}

TEST_CASE("lock: without one --locked fails and says how to get one") {
  Lab lab;
  const auto result = lab.use("ampere-11.1", {"--locked"});
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "there is no lock"));
  CHECK(contains(result.err, "hint: sudo cudapin lock ampere-11.1"));
  CHECK(lab.server.requests().empty());
}

TEST_CASE("lock: the mistakes of a lock are told all at once with their places") {
  Lab lab;
  REQUIRE(lock(lab).status == ExitStatus::done);
  CHECK(contains(lab.cudapin({"validate", lab.root.at(site_lock).string()}).out, "is a valid lock"));
  edit_lock(lab, "schema: 1", "schema: 2");
  edit_lock(lab, "sha256: ", "sha256: x");
  edit_lock(lab, "    size: ", "    size: -");
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  const auto path = lab.root.at(site_lock).string();
  CHECK(contains(lab.cudapin({"validate", path}).err, path + ":2:9: 'schema'"));
  CHECK(contains(result.err, path + ":2:9: 'schema'"));
  CHECK(std::ranges::count(result.err, '\n') >= 4);
  CHECK(contains(result.err, "hint: man cudapin-lock"));
}

TEST_CASE("lock: a profile given by path has its lock beside it") {
  Lab lab;
  const TestFolder folder;
  auto text = read_file(SOURCE_DIR "/profiles/ampere-11.1.yaml");
  text.replace(text.find("name: ampere-11.1"), 17, "name: mine");
  write_text(folder / "mine.yaml", text);
  const auto path = (folder / "mine.yaml").string();
  REQUIRE(lock(lab, path).status == ExitStatus::done);
  CHECK(fs::exists(folder / "mine.lock.yaml"));
  const auto result = lab.use(path, {"--locked", "--dry-run"});
  CHECK(result.status == ExitStatus::done);
  CHECK(contains(unwrapped(result.out), (folder / "mine.lock.yaml").string()));
  CHECK(lab.use(path, {"--locked"}).status == ExitStatus::done);
}

TEST_CASE("vouch: what pacman refuses comes in only by a typed yes and the plan says so") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  for (const auto& [key, word] : {std::pair{TestKey::untrusted, "unknown trust"},
                                  {TestKey::expired, "key expired"},
                                  {TestKey::revoked, "key revoked"},
                                  {TestKey::retired, "key disabled"}}) {
    Lab lab;
    lab.sign(lab.archived(cudnn), key);
    CHECK(lab.use("ampere-11.1").status == ExitStatus::failed);
    const auto refused = lock(lab);
    CHECK(refused.status == ExitStatus::failed);
    CHECK(contains(refused.err, "cudapin lock ampere-11.1 --vouch"));
    for (const auto* answer : {"", "y\n", "YES\n", "no\n"}) {
      CHECK(vouch(lab, answer).status == ExitStatus::failed);
      CHECK(!fs::exists(lab.root.at(site_lock)));
    }
    const auto vouched = vouch(lab, "yes\n");
    CAPTURE(vouched.err);
    REQUIRE(vouched.status == ExitStatus::done);
    CHECK(contains(vouched.out, sha256_file(lab.archived(cudnn))));
    CHECK(contains(vouched.out, lab.keyring.fingerprint(key)));
    CHECK(contains(vouched.out, word));
    const auto plan = lab.use("ampere-11.1", {"--dry-run"}).out;
    CHECK(contains(plan, "pacman refuses the signature of cudnn 8.0.4.30-1 (" + std::string(word) + ")"));
    CHECK(!contains(plan, "signature of cuda 11.1.0-2"));
    const auto result = lab.use("ampere-11.1");
    CAPTURE(result.err);
    CHECK(result.status == ExitStatus::done);
    CHECK(contains(result.out, "vouched for: " + std::string(word)));
    CHECK(lab.version("cudnn") == "8.0.4.30-1");
    CHECK(lock_in(lab).find("cudnn")->vouched);
    CHECK(!lock_in(lab).find("cuda")->vouched);
    // Once given, the word stands for these bytes: a new lock need not ask again.
    CHECK(lock(lab).status == ExitStatus::done);
    CHECK(lock_in(lab).find("cudnn")->vouched);
  }
}

TEST_CASE("vouch: no yes lets in a file that was changed or has no signature or an unknown signer") {
  Lab lab;
  const auto served = lab.archived(cudnn);
  const auto refused = [&](const std::string& why) {
    const auto result = vouch(lab, "yes\n");
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(contains(result.err, why), result.err);
    CHECK(!contains(result.out, "Type 'yes'"));
    CHECK(!fs::exists(lab.root.at(site_lock)));
    fs::remove_all(lab.root.at("/var/lib/cudapin/store"));
  };
  lab.sign(served, TestKey::absent);
  refused("does not have");
  lab.sign(served, TestKey::revoked);
  damage_file(served, 0.5);
  refused("not the file that the signature");
  fs::remove(served.string() + ".sig");
  refused("there is no signature");
}

TEST_CASE("vouch: nobody can be asked without a terminal and no place but the system's will do") {
  Lab lab;
  lab.sign(lab.archived(cudnn), TestKey::revoked);
  const auto unasked = lab.cudapin({"lock", "ampere-11.1", "--vouch", "--archive", lab.server.url()});
  CHECK(unasked.status == ExitStatus::usage);
  const TestFolder folder;
  fs::copy_file(SOURCE_DIR "/profiles/ampere-11.1.yaml", folder / "ampere-11.1.yaml");
  lab.terminal = true;
  lab.answers = "yes\n";
  lab.server.forget_requests();
  const auto elsewhere =
      lab.cudapin({"lock", (folder / "ampere-11.1.yaml").string(), "--vouch", "--archive", lab.server.url()});
  CHECK(elsewhere.status == ExitStatus::failed);
  CHECK(contains(elsewhere.err, "/etc/cudapin"));
  CHECK(lab.server.requests().empty());
}

TEST_CASE("vouch: a lock counts only when root alone can have written it") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  Lab lab;
  lab.sign(lab.archived(cudnn), TestKey::revoked);
  REQUIRE(vouch(lab, "yes\n").status == ExitStatus::done);
  const auto path = lab.root.at(site_lock);
  const auto untouched = lab.fingerprint(false);
  const auto refused_for = [&](const std::string& why) {
    const auto result = lab.use("ampere-11.1");
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(contains(unwrapped(result.out), why), result.out);
    CHECK(contains(result.err, "key that was revoked"));
    CHECK(lab.version("cudnn") == "9.18.1.3-1");
  };
  SUBCASE("not when others may write it") {
    fs::permissions(path, fs::perms(0666));
    refused_for("written by others");
  }
  SUBCASE("not when it is somebody else's") {
    REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    refused_for("does not belong to root");
  }
  SUBCASE("not when it is a link") {
    fs::rename(path, lab.root.at("/tmp/lock"));
    fs::create_symlink(lab.root.at("/tmp/lock"), path);
    refused_for("symbolic link");
  }
  SUBCASE("not when others may write its folder") {
    fs::permissions(path.parent_path(), fs::perms(0777));
    refused_for("written by others");
  }
  SUBCASE("not when it lies elsewhere") {
    const TestFolder folder;
    fs::copy_file(SOURCE_DIR "/profiles/ampere-11.1.yaml", folder / "ampere-11.1.yaml");
    fs::copy_file(path, folder / "ampere-11.1.lock.yaml");
    const auto result = lab.use((folder / "ampere-11.1.yaml").string());
    CHECK(result.status == ExitStatus::failed);
    CHECK(contains(result.out, "does not count"));
    CHECK(contains(result.err, "key that was revoked"));
  }
  SUBCASE("not for other bytes than those it names") {
    edit_lock(lab, lock_in(lab).find("cudnn")->sha256, std::string(64, 'a'));
    const auto result = lab.use("ampere-11.1");
    CHECK(result.status == ExitStatus::failed);
    CHECK(contains(result.err, "is not the file that the lock"));
    CHECK(lab.fingerprint(false) != untouched);  // the lock alone differs
    CHECK(lab.version("cudnn") == "9.18.1.3-1");
  }
}

TEST_CASE("vouch: a file with the vouched hash and a signature that is not its own stays out") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  Lab lab;
  lab.sign(lab.archived(cudnn), TestKey::revoked);
  REQUIRE(vouch(lab, "yes\n").status == ExitStatus::done);
  const auto stored = lab.root.at("/var/lib/cudapin/store/packages/c/cudnn") / cudnn;
  fs::copy_file(lab.archived("nccl-2.7.8-3-x86_64.pkg.tar.zst").string() + ".sig", stored.string() + ".sig",
                fs::copy_options::overwrite_existing);
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "not the file that the signature"));
}

}  // namespace cudapin
