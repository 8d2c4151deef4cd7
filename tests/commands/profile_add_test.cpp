// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"
#include "support/publisher.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <map>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

const std::string cudnn = "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Without the line breaks of a narrow terminal.
std::string unwrapped(const std::string& text) { return join(split(text, " \n"), " "); }

/// A folder with profiles on a web server of its own, and a machine that may take them.
struct Shared {
  Shared() { fs::create_directories(files / "w"); }
  fs::path file(const std::string& name) const { return files / "w" / name; }
  std::string url(const std::string& name) const { return server.url() + "/w/" + name; }
  fs::path write(const std::string& name, const std::string& text) const {
    write_text(file(name), text);
    return file(name);
  }
  RunResult add(const std::string& what, std::vector<std::string> more = {"--noconfirm"}) {
    more.insert(more.begin(), {"profile", "add", what});
    return lab.cudapin(more);
  }
  fs::path site(const std::string& name) const { return lab.root.at("/etc/cudapin/profiles/" + name); }
  void refused(const std::string& what, const std::string& why) {
    const auto untouched = lab.fingerprint();
    const auto result = add(what);
    CHECK(result.status == ExitStatus::failed);
    CHECK_MESSAGE(contains(result.err, why), result.err);
    CHECK(lab.fingerprint() == untouched);
  }

  TestFolder files;
  ArchiveServer server{files.path()};
  Lab lab;
  Publisher admin;
};

/// A lock of this machine for ampere-11.1 that vouches for cudnn.
void vouch(Lab& lab) {
  lab.sign(lab.archived(cudnn), TestKey::expired);
  lab.terminal = true;
  lab.answers = "yes\n";
  const auto result = lab.cudapin({"lock", "ampere-11.1", "--vouch", "--archive", lab.server.url()});
  lab.terminal = false;
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
}

/// What pacman -Q says of the profile's packages, and the SHA-256 of their files.
std::map<std::string, std::string> outcome(const Lab& lab) {
  std::map<std::string, std::string> found;
  for (const auto* name : {"cuda", "cudnn", "nccl", "gcc10", "gcc10-libs"}) {
    found[name] = lab.version(name);
    const auto entry = lab.root.local_database() / (std::string(name) + "-" + lab.version(name));
    for (const auto& line : split(read_file(entry / "files"), "\n"))
      if (const auto path = lab.root.path() / line; fs::is_regular_file(path))
        found[line] = sha256_file(path);
  }
  return found;
}

}  // namespace

TEST_CASE("profile add: who signed it and what it pins and changes is shown before a yes") {
  Shared shared;
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  fs::create_directories(shared.site("lab.yaml").parent_path());
  write_text(shared.site("lab.yaml"), "name: lab\nextends: ampere-11.1\npackages: {nccl: 2.7.*}\n");
  shared.admin.sign(shared.write("lab.yaml", lab_profile("lab")));
  shared.lab.terminal = true;
  shared.lab.answers = "n\n";
  CHECK(shared.add(shared.url("lab.yaml"), {}).status == ExitStatus::failed);
  CHECK(contains(read_text(shared.site("lab.yaml")), "extends"));
  shared.lab.answers = "y\n";
  const auto result = shared.add(shared.url("lab.yaml"), {});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  const auto shown = unwrapped(result.out.substr(0, result.out.find(":: Add it?")));
  CHECK(contains(shown, "signed by Lab Admin <admin@example.org> (" + shared.admin.key() + "), trusted"));
  CHECK(contains(shown, "cuda 11.1.0-2"));
  CHECK(contains(shown, "nccl 2.7.* -> 2.7.8-3"));
  CHECK(read_text(shared.site("lab.yaml")) == lab_profile("lab"));
  CHECK(shared.lab.version("cuda") == "13.1.1-1");
  CHECK(contains(shared.lab.cudapin({"history"}).out, "profile add lab"));
  REQUIRE(shared.lab.cudapin({"profile", "remove", "lab"}).status == ExitStatus::done);
  CHECK(!fs::exists(shared.site("lab.yaml")));
  CHECK(!fs::exists(shared.site("lab.yaml.sig")));
}

TEST_CASE("profile add: an unsigned profile or one of an unknown signer is refused from a URL") {
  Shared shared;
  shared.write("lab.yaml", lab_profile("lab"));
  shared.refused(shared.url("lab.yaml"), "it is not signed");
  shared.admin.sign(shared.file("lab.yaml"));
  shared.refused(shared.url("lab.yaml"), "which is not trusted here");
  SUBCASE("from this machine it is shown as such and taken") {
    const auto result = shared.add(shared.file("lab.yaml").string());
    CHECK(result.status == ExitStatus::done);
    CHECK(contains(unwrapped(result.out), "which is not trusted here"));
    fs::remove(shared.file("lab.yaml.sig"));
    const auto again = shared.add(shared.file("lab.yaml").string());
    CHECK(contains(again.out, "it is not signed"));
    CHECK(!fs::exists(shared.site("lab.yaml.sig")));
  }
}

TEST_CASE("attack: a tampered profile or a valid signature over another file is refused") {
  Shared shared;
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  shared.admin.sign(shared.write("lab.yaml", lab_profile("lab")));
  shared.write("lab.yaml", lab_profile("lab", "# one byte more\n"));
  shared.refused(shared.url("lab.yaml"), "not the file that the signature");
  shared.refused(shared.file("lab.yaml").string(), "not the file that the signature");
  shared.admin.sign(shared.write("other.yaml", lab_profile("other")));
  fs::copy_file(shared.file("other.yaml.sig"), shared.file("lab.yaml.sig"),
                fs::copy_options::overwrite_existing);
  shared.refused(shared.url("lab.yaml"), "not the file that the signature");
  fs::copy_file(shared.file("other.yaml"), shared.file("lab.yaml"), fs::copy_options::overwrite_existing);
  shared.refused(shared.url("lab.yaml"), "holds the profile 'other'");
}

TEST_CASE("attack: an expired or revoked key signs nothing that is taken") {
  Shared shared;
  Publisher expired("Expired Admin", "1y");
  Publisher revoked("Revoked Admin");
  expired.sign(shared.write("old.yaml", lab_profile("old")));
  revoked.sign(shared.write("gone.yaml", lab_profile("gone")));
  // Trusted while they were good: the keys are put there as they are now.
  for (auto* one : {&expired, &revoked}) {
    const auto file = one->key_file(one == &revoked);
    write_text(shared.lab.root.at("/etc/cudapin/trusted/profile/" + one->key() + ".asc"), read_text(file));
  }
  shared.refused(shared.url("old.yaml"), "has expired since");
  shared.refused(shared.file("old.yaml").string(), "has expired since");
  shared.refused(shared.url("gone.yaml"), "revoked");
  shared.refused(shared.file("gone.yaml").string(), "revoked");
}

TEST_CASE("attack: a key trusted for profiles only cannot vouch for a package") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  Shared shared;
  Lab author;
  vouch(author);
  REQUIRE(shared.admin.profile(author, {"export", "ampere-11.1", "--lock", "-o", shared.file("").string()})
              .status == ExitStatus::done);
  REQUIRE(shared.admin.profile(author, {"sign", shared.file("ampere-11.1.yaml").string()}).status ==
          ExitStatus::done);
  shared.lab.sign(shared.lab.archived(cudnn), TestKey::expired);
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  shared.refused(shared.url("ampere-11.1.yaml"), "not trusted to vouch");
  shared.refused(shared.file("ampere-11.1.yaml").string(), "not trusted to vouch");
  fs::remove(shared.file("ampere-11.1.lock.yaml.sig"));
  shared.refused(shared.file("ampere-11.1.yaml").string(), "may not: it is not signed");

  SUBCASE("nor where its lock is put into the system's folder with its signature") {
    shared.admin.sign(shared.file("ampere-11.1.lock.yaml"));
    for (const auto* name : {"ampere-11.1.yaml", "ampere-11.1.lock.yaml", "ampere-11.1.lock.yaml.sig"})
      write_text(shared.site(name), read_text(shared.file(name)));
    const auto result = shared.lab.use("ampere-11.1", {"--locked"});
    CHECK(result.status == ExitStatus::failed);
    CHECK(shared.lab.version("cudnn") != "8.0.4.30-1");
    REQUIRE(shared.admin.trust_at(shared.lab, true).status == ExitStatus::done);
    CHECK(shared.lab.use("ampere-11.1", {"--locked"}).status == ExitStatus::done);
    CHECK(shared.lab.version("cudnn") == "8.0.4.30-1");
  }
}

TEST_CASE("sharing: two machines and one signed lock end with the same versions and files") {
  if (::geteuid() != 0) {
    MESSAGE("needs root");
    return;
  }
  Lab author;
  vouch(author);
  Publisher admin;
  const TestFolder folder;
  const auto file = (folder / "ampere-11.1.yaml").string();
  REQUIRE(admin.profile(author, {"export", "ampere-11.1", "--lock", "-o", file}).status == ExitStatus::done);
  REQUIRE(admin.profile(author, {"sign", file}).status == ExitStatus::done);
  Lab first;
  Lab second;
  second.root.install(StandIn{.name = "cudnn", .version = "8.0.2.39-2"});
  second.root.install(StandIn{.name = "gcc10-libs", .version = "1:10.1.0-1"}, Reason::dependency);
  for (auto* lab : {&first, &second}) {
    lab->sign(lab->archived(cudnn), TestKey::expired);
    CHECK(lab->use("ampere-11.1").status == ExitStatus::failed);
    REQUIRE(admin.trust_at(*lab, true).status == ExitStatus::done);
    const auto added = lab->cudapin({"profile", "add", file, "--noconfirm"});
    CAPTURE(added.err);
    REQUIRE(added.status == ExitStatus::done);
    const auto result = lab->use("ampere-11.1", {"--locked"});
    CAPTURE(result.err);
    REQUIRE(result.status == ExitStatus::done);
  }
  CHECK(outcome(first) == outcome(second));
  CHECK(outcome(first).at("cudnn") == "8.0.4.30-1");
  CHECK(outcome(first).size() > 8);
}

TEST_CASE("attack: no name of a profile leads out of its folder") {
  Shared shared;
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  for (const auto* name : {"..%2f..%2fevil.yaml", "..", "%2e%2e.yaml", "Evil.yaml", "evil.lock.yaml", "evil"})
    shared.refused(shared.url(name), "does not name a profile");
  shared.admin.sign(shared.write("evil.yaml", lab_profile("../../evil")));
  shared.refused(shared.url("evil.yaml"), "is no profile name");
  shared.admin.sign(shared.write("evil.yaml", "name: evil\nextends: ../../../etc/shadow\n"));
  shared.refused(shared.url("evil.yaml"), "is no profile name");
  CHECK(shared.lab.cudapin({"profile", "remove", "../profiles/lab"}).status == ExitStatus::failed);
}

TEST_CASE("attack: a symbolic link in a folder of profiles is not followed") {
  Shared shared;
  const TestFolder elsewhere;
  write_text(elsewhere / "secret.yaml", lab_profile("lab"));
  shared.write("good.yaml", lab_profile("good"));
  fs::create_symlink(elsewhere / "secret.yaml", shared.file("lab.yaml"));
  shared.refused(shared.file("").string(), "is a symbolic link");
  fs::remove(shared.file("lab.yaml"));
  CHECK(shared.add(shared.file("").string()).status == ExitStatus::done);
  CHECK(fs::exists(shared.site("good.yaml")));
}

TEST_CASE("attack: a package name with shell characters is no package name") {
  Shared shared;
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  for (const std::string name : {"cuda;reboot", "$(reboot)", "`reboot`", "-rf", "../cuda", "cuda cudnn"}) {
    shared.admin.sign(
        shared.write("lab.yaml", "name: lab\nextends: ampere-11.1\npin_if_installed: ['" + name + "']\n"));
    shared.refused(shared.url("lab.yaml"), "is no package name");
  }
}

TEST_CASE("attack: a profile from http is refused") {
  Shared shared;
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  for (const auto* url :
       {"http://lab.example.org/lab.yaml", "HTTP://lab.example.org/lab.yaml",
        "http://127.0.0.1@lab.example.org/lab.yaml", "http://127.0.0.1.example.org/lab.yaml",
        "http://localhost.example.org:80/lab.yaml"})
    shared.refused(url, "is not encrypted");
  shared.refused("ftp://lab.example.org/lab.yaml", "is neither an https URL nor a folder");
  shared.admin.sign(shared.write("lab.yaml", lab_profile("lab")));
  shared.server.set_fault("lab.yaml",
                          {.kind = Fault::Kind::redirect_to, .location = "http://127.0.0.2:1/w/lab.yaml"});
  CHECK(shared.add(shared.url("lab.yaml")).status == ExitStatus::failed);
  CHECK(shared.lab.cudapin({"profile", "subscribe", "http://lab.example.org/", "--noconfirm"}).status ==
        ExitStatus::failed);
}

TEST_CASE("attack: extends in a loop across layers is told and refused") {
  Shared shared;
  REQUIRE(shared.admin.trust_at(shared.lab).status == ExitStatus::done);
  write_text(shared.site("base.yaml"), "name: base\nextends: lab\n");
  shared.admin.sign(shared.write("lab.yaml", "name: lab\nextends: base\n"));
  shared.refused(shared.url("lab.yaml"), "a loop of profiles: lab -> base -> lab");
}

TEST_CASE("profile diff: two profiles and a profile against this machine") {
  Lab lab;
  const auto both = lab.cudapin({"profile", "diff", "ampere-11.1", "ampere-11.8", "--json"});
  REQUIRE(both.status == ExitStatus::done);
  const auto json = nlohmann::json::parse(both.out);
  bool has_cuda = false;
  for (const auto& one : json["differences"])
    has_cuda |= one["part"] == "cuda" && one["from"] == "11.1.0-2" && one["package"] == true;
  CHECK(has_cuda);
  const auto before = lab.cudapin({"profile", "diff", "ampere-11.1"});
  CHECK(contains(unwrapped(before.out), "cuda 13.1.1-1 -> 11.1.0-2"));
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  CHECK(lab.cudapin({"profile", "diff", "ampere-11.1"}).out == "this machine has what the profile names\n");
}

TEST_CASE("profile export: what a profile extends goes with it in one text") {
  Lab lab;
  const TestFolder folder;
  write_text(lab.root.at("/etc/cudapin/profiles/lab.yaml"),
             "name: lab\nextends: ampere-11.1\nsummary: 'a \"quoted\" one'\npackages: {nccl: 2.7.*}\n"
             "tune: {power_limit: 250}\n");
  const auto file = (folder / "lab.yaml").string();
  const auto result = lab.cudapin({"profile", "export", "lab", "-o", file});
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(!contains(read_text(file), "extends"));
  CHECK(lab.cudapin({"validate", file}).status == ExitStatus::done);
  const auto diff = lab.cudapin({"profile", "diff", "lab", file, "--json"});
  CHECK(nlohmann::json::parse(diff.out)["differences"].empty());
  CHECK(lab.cudapin({"profile", "export", "lab", "-o", (folder / "x.yaml").string()}).status ==
        ExitStatus::failed);
}

}  // namespace cudapin
