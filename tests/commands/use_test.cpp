// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"
#include "system/files.hpp"
#include "system/pacman_conf.hpp"
#include "system/state.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const std::map<std::string, std::string> ampere_versions{{"cuda", "11.1.0-2"},
                                                         {"cudnn", "8.0.4.30-1"},
                                                         {"gcc10", "1:10.2.0-3"},
                                                         {"gcc10-libs", "1:10.2.0-3"},
                                                         {"nccl", "2.7.8-3"}};

void flip_byte(const fs::path& file, double where) {
  auto bytes = read_file(file);
  bytes[static_cast<std::size_t>(static_cast<double>(bytes.size()) * where)] ^= 0x20;
  fs::remove(file);
  write_text(file, bytes);
}

}  // namespace

TEST_CASE("use: a whole switch from the rolling set to ampere-11.1") {
  Lab lab;
  const auto before = lab.pacman_conf();
  const auto result = lab.use("ampere-11.1");
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  for (const auto& [name, version] : ampere_versions) CHECK_MESSAGE(lab.version(name) == version, name);
  CHECK(lab.version("gcc") == "15.2.1+r934+gbcd3e3ff5aa7-1");
  TestHost host(lab.root);
  const auto ignored = read_pacman_conf(host.host).ignore_pkg;
  for (const auto& [name, version] : ampere_versions)
    CHECK_MESSAGE(std::ranges::count(ignored, name) == 1, name);
  const auto state = read_state(host.host);
  REQUIRE(state);
  CHECK(state->profile == "ampere-11.1");
  CHECK(state->pins == ampere_versions);
  const auto history = read_history(host.host);
  REQUIRE(history.size() == 1);
  CHECK(history[0].command == "use ampere-11.1");
  CHECK(history[0].result == "done");
  CHECK(std::ranges::count(history[0].changes, Change{"cuda", "13.1.1-1", "11.1.0-2"}) == 1);
  CHECK(!fs::exists(lab.root.at("/var/lib/cudapin/journal")));
  CHECK(!fs::exists(lab.root.lock_file()));

  SUBCASE("the moved packages came by their exact names, each once") {
    const auto requests = lab.server.requests();
    CHECK(std::ranges::count_if(requests, [](const LoggedRequest& request) {
            return request.host == "archive" && request.path.ends_with("cuda-11.1.0-2-x86_64.pkg.tar.zst");
          }) == 1);
    CHECK(std::ranges::any_of(requests, [](const LoggedRequest& request) {
      return request.host == "node" && request.path.ends_with("cuda-11.1.0-2-x86_64.pkg.tar.zst") &&
             request.status == 200;
    }));
    CHECK(std::ranges::any_of(requests, [](const LoggedRequest& request) {
      return contains(request.target, "gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst");
    }));
  }
  SUBCASE("again: nothing to do and not a byte or time moved") {
    const auto untouched = lab.fingerprint();
    lab.server.forget_requests();
    const auto again = lab.use("ampere-11.1");
    CHECK(again.status == ExitStatus::done);
    CHECK(contains(again.out, "in force already"));
    CHECK(lab.fingerprint() == untouched);
    CHECK(lab.server.requests().empty());
  }
  SUBCASE("again for a card that it does not fit, or that nobody knows") {
    const auto untouched = lab.fingerprint();
    for (const auto* card : {"GTX 1060", "RTX 9999"}) {
      const auto refused = lab.cudapin({"use", "ampere-11.1", "--noconfirm", "--gpu", card});
      CHECK(refused.status == ExitStatus::failed);
      CHECK(contains(refused.err, card));
    }
    CHECK(lab.fingerprint() == untouched);
  }
  SUBCASE("release gives pacman.conf back byte for byte and leaves the packages") {
    const auto released = lab.cudapin({"release", "--noconfirm"});
    CHECK(released.status == ExitStatus::done);
    CHECK(lab.pacman_conf() == before);
    CHECK(lab.version("cuda") == "11.1.0-2");
    CHECK(!read_state(host.host));
    CHECK(read_history(host.host).size() == 2);
    CHECK(contains(lab.cudapin({"release", "--noconfirm"}).out, "nothing to release"));
  }
  SUBCASE("status tells of drift when a pinned package was changed behind its back") {
    lab.root.install(StandIn{.name = "cudnn", .version = "9.23.0.39-1"});
    const auto json = nlohmann::json::parse(lab.cudapin({"status", "--json"}).out);
    const auto& pins = json.at("pins");
    const auto drifted =
        std::ranges::count_if(pins, [](const nlohmann::json& pin) { return pin.at("drift").get<bool>(); });
    CHECK(drifted == 1);
    CHECK(json.at("profile") == "ampere-11.1");
  }
  SUBCASE("from one profile to another with the card for it") {
    const auto other = lab.use("pascal-10.2", {"--gpu", "GTX 1060"});
    CAPTURE(other.err);
    CHECK(other.status == ExitStatus::failed);  // the loaded 590 driver has dropped Pascal
    CHECK(lab.version("cuda") == "11.1.0-2");
  }
}

TEST_CASE("use: status tells a driver that differs from one that is not here") {
  Lab lab;
  write_text(lab.proc / "driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1.2\n");
  CHECK(contains(lab.cudapin({"status"}).out, "DIFFERS from the loaded module"));
  for (const auto* library : {"usr/lib/libcuda.so.590.48.01", "usr/lib/libnvidia-ml.so.590.48.01"})
    std::filesystem::remove(lab.root.path() / library);
  const auto out = lab.cudapin({"status"}).out;
  CHECK(!contains(out, "DIFFERS"));
  CHECK(contains(out, "no package here brings one"));
}

TEST_CASE("use: install reasons are pacman's afterwards too") {
  Lab lab;
  REQUIRE(lab.use("ampere-11.1").status == ExitStatus::done);
  const auto desc = [&](const std::string& entry) {
    return read_file(lab.root.local_database() / entry / "desc");
  };
  CHECK(contains(desc("gcc10-libs-1:10.2.0-3"), "%REASON%\n1\n"));
  CHECK(!contains(desc("gcc10-1:10.2.0-3"), "%REASON%"));
  CHECK(!contains(desc("cuda-11.1.0-2"), "%REASON%"));
}

TEST_CASE("use: a dry run plans without root and touches nothing") {
  Lab lab;
  const auto untouched = lab.fingerprint();
  lab.privileged = false;
  const auto text = lab.cudapin({"use", "ampere-11.1", "--dry-run"});
  CAPTURE(text.err);
  CHECK(text.status == ExitStatus::done);
  CHECK(contains(text.out, "13.1.1-1 -> 11.1.0-2"));
  const auto json = lab.cudapin({"use", "ampere-11.1", "--dry-run", "--json"});
  const auto plan = nlohmann::json::parse(json.out);
  CHECK(plan.at("schema") == 1);
  CHECK(plan.at("packages").size() == 5);
  CHECK(plan.at("pins").size() == 5);
  CHECK(lab.fingerprint() == untouched);
  CHECK(lab.server.requests().empty());
  CHECK(contains(lab.cudapin({"use", "ampere-11.1", "--noconfirm"}).err, "only root"));
}

TEST_CASE("use: a card that the toolkit has no code for is refused in one sentence before any download") {
  Lab lab;
  const auto untouched = lab.fingerprint();
  const auto result = lab.use("pascal-10.2");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "sm_86"));
  CHECK(contains(result.err, "10.2"));
  CHECK(contains(result.err, "11.1"));
  CHECK(contains(result.err, "hint: "));
  CHECK(lab.fingerprint() == untouched);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("use: without a card and without --gpu nothing is guessed") {
  Lab lab;
  lab.find_card = true;
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "no NVIDIA GPU"));
  CHECK(contains(result.err, "--gpu"));
}

TEST_CASE("use: damage past the head is found before anything changes") {
  for (const auto* file : {"cuda-11.1.0-2-x86_64.pkg.tar.zst", "nccl-2.7.8-3-x86_64.pkg.tar.zst"}) {
    Lab lab;
    flip_byte(lab.archived(file), 0.9);
    const auto conf = lab.pacman_conf();
    const auto untouched = lab.fingerprint(false);
    const auto result = lab.use("ampere-11.1");
    CAPTURE(result.err);
    CHECK(result.status == ExitStatus::failed);
    CHECK(contains(result.err, "hint: "));
    CHECK(lab.pacman_conf() == conf);
    CHECK(lab.fingerprint(false) == untouched);
  }
}

TEST_CASE("use: every kind of bad signature is refused and told apart") {
  const auto refused_with = [](TestKey key) {
    Lab lab;
    lab.sign(lab.archived("cudnn-8.0.4.30-1-x86_64.pkg.tar.zst"), key);
    const auto untouched = lab.fingerprint(false);
    const auto result = lab.use("ampere-11.1");
    CHECK(result.status == ExitStatus::failed);
    CHECK(lab.fingerprint(false) == untouched);
    return result.err;
  };
  std::set<std::string> messages;
  for (const auto key : {TestKey::untrusted, TestKey::expired, TestKey::revoked, TestKey::absent}) {
    const auto message = refused_with(key);
    CHECK(contains(message, "hint: "));
    messages.insert(message.substr(message.find("cudnn")));
  }
  CHECK(messages.size() == 4);
}

TEST_CASE("use: a package without a signature is refused") {
  Lab lab;
  fs::remove(lab.archived("cudnn-8.0.4.30-1-x86_64.pkg.tar.zst.sig"));
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "signature"));
  CHECK(lab.version("cudnn") == "9.18.1.3-1");
}

TEST_CASE("use: a missing dependency is an error that names it") {
  Lab lab;
  fs::remove_all(lab.root.local_database() / "opencl-nvidia-590.48.01-1");
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "cuda 11.1.0-2 needs 'opencl-nvidia'"));
  CHECK(contains(result.err, "no snapshot to look into"));
  for (const auto& request : lab.server.requests()) CHECK(contains(request.path, "/repos/2020/"));
}

TEST_CASE("use: another package inside than the name says is refused") {
  Lab lab;
  const auto path = lab.archived("nccl-2.7.8-3-x86_64.pkg.tar.zst");
  TestFolder folder;
  const auto other = build_package(StandIn{.name = "nccl", .version = "2.7.8-4"}, folder.path());
  fs::copy_file(other, path, fs::copy_options::overwrite_existing);
  lab.sign(path);
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "instead of nccl 2.7.8-3"));
  CHECK(lab.version("nccl") == "2.28.7-1");
}

TEST_CASE("use: asks on a terminal and takes no for an answer") {
  Lab lab;
  lab.terminal = true;
  lab.answers = "n\n";
  const auto no = lab.cudapin({"use", "ampere-11.1"});
  CHECK(no.status == ExitStatus::failed);
  CHECK(lab.version("cuda") == "13.1.1-1");
  lab.terminal = false;
  const auto nobody = lab.cudapin({"use", "ampere-11.1"});
  CHECK(nobody.status == ExitStatus::usage);
  CHECK(contains(nobody.err, "--noconfirm"));
  lab.terminal = true;
  lab.answers = "\n";
  CHECK(lab.cudapin({"use", "ampere-11.1"}).status == ExitStatus::done);
  CHECK(lab.version("cuda") == "11.1.0-2");
}

TEST_CASE("use: offline takes what is here and asks no server") {
  Lab lab;
  const auto refused = lab.use("ampere-11.1", {"--offline"});
  CHECK(refused.status == ExitStatus::failed);
  CHECK(contains(refused.err, "cuda-11.1.0-2-x86_64.pkg.tar.zst"));
  for (const auto& entry : fs::directory_iterator(lab.moved_folder / "m"))
    fs::copy(entry.path(), lab.root.at("/var/cache/pacman/pkg") / entry.path().filename());
  const auto result = lab.use("ampere-11.1", {"--offline"});
  CAPTURE(result.err);
  CHECK(result.status == ExitStatus::done);
  CHECK(lab.server.requests().empty());
  CHECK(lab.version("cuda") == "11.1.0-2");
}

TEST_CASE("use: a signal before the commit leaves the machine as it was") {
  Lab lab;
  lab.interrupt = 2;
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::interrupted);
  CHECK(lab.fingerprint(false) == untouched);
}

TEST_CASE("use: an unknown profile gets the closest name") {
  Lab lab;
  const auto result = lab.use("ampere-11.2");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "did you mean 'ampere-11.1'?"));
}

TEST_CASE("use: a pacman.conf that pacman refuses stops everything with its reason") {
  Lab lab;
  write_text(lab.root.pacman_conf(), "[options]\nParallelDownloads = 3 # at once\n");
  const auto untouched = lab.fingerprint();
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "ParallelDownloads"));
  CHECK(lab.fingerprint() == untouched);
}

TEST_CASE("use: a driver below the floor is refused and one between floor and table warned about") {
  Lab lab;
  const auto load = [&](const std::string& version) {
    write_text(lab.proc / "driver/nvidia/version",
               "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  Thu\n");
  };
  load("440.100");
  const auto low = lab.use("ampere-11.1", {"--gpu", "8.0", "--dry-run"});
  CHECK(low.status == ExitStatus::failed);
  CHECK(contains(low.err, "440.100"));
  load("455.23.04");
  CHECK(lab.use("ampere-11.1", {"--dry-run"}).status == ExitStatus::done);
}

TEST_CASE("use: with --json standard output has the plan alone and says when nothing is left to do") {
  Lab lab;
  const auto first = lab.use("ampere-11.1", {"--json"});
  CAPTURE(first.err);
  REQUIRE(first.status == ExitStatus::done);
  const auto done = nlohmann::json::parse(first.out);
  CHECK(done["in_force"] == false);
  CHECK(done["changes"] == true);
  CHECK(lab.version("cuda") == "11.1.0-2");
  const auto untouched = lab.fingerprint();
  const auto again = nlohmann::json::parse(lab.use("ampere-11.1", {"--json"}).out);
  CHECK(again["in_force"] == true);
  CHECK(again["changes"] == false);
  CHECK(lab.fingerprint() == untouched);
}

}  // namespace cudapin
