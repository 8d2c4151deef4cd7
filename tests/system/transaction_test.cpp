// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/transaction.hpp"

#include "core/error.hpp"
#include "core/version.hpp"
#include "support/standin.hpp"
#include "support/test_root.hpp"
#include "system/local_database.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// A root, a Host on it and what a transaction said.
struct System {
  TestRoot root;
  TestHost test{root};
  std::vector<std::string> log;
  TransactionEvents events{[this](const std::string& text) { log.push_back(text); }, {}};

  TransactionTarget target(const StandIn& package, Reason reason = Reason::explicitly) const {
    return {build_package(package, root.packages()), reason};
  }
  /// The error of installing the targets, or "".
  std::string attempt(const std::vector<TransactionTarget>& targets) {
    try {
      Transaction transaction(root.conf(), test.host, events);
      transaction.prepare(targets);
      transaction.commit();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  void write_hook(int status, std::string_view output) const {
    write_text(root.at("/usr/bin/check"), static_program(status, output));
    fs::permissions(root.at("/usr/bin/check"), fs::perms::owner_all);
    write_text(root.at("/etc/pacman.d/hooks/00-check.hook"),
               "[Trigger]\nOperation = Install\nOperation = Upgrade\nType = Package\nTarget = *\n"
               "[Action]\nWhen = PreTransaction\nExec = /usr/bin/check\nAbortOnFail\n");
  }
};

StandIn cuda(const std::string& version) { return {.name = "cuda", .version = version}; }

StandIn cudnn(const std::string& version, const std::string& cuda_wanted) {
  return {.name = "cudnn", .version = version, .depends = {cuda_wanted}};
}

}  // namespace

TEST_CASE("alpm: the local database tells what is installed") {
  const TestRoot root;
  root.install(
      {.name = "cuda",
       .version = "11.1.0-2",
       .depends = {"gcc10>=10.2"},
       .provides = {"cuda-toolkit=11.1"},
       .conflicts = {"cuda-old"},
       .backup = {"etc/cuda.conf"},
       .files = {{.path = "opt/cuda/nvcc", .content = "x"}, {.path = "etc/cuda.conf", .content = "a"}}});
  root.install({.name = "gcc10", .version = "1:10.2.0-3", .arch = "any"}, Reason::dependency);
  const LocalDatabase database(root.conf());
  const auto found = database.find("cuda");
  REQUIRE(found);
  CHECK(found->version == "11.1.0-2");
  CHECK(found->arch == "x86_64");
  CHECK(found->base == "cuda");
  CHECK(found->depends == std::vector{parse_dependency("gcc10>=10.2")});
  CHECK(found->provides == std::vector{parse_dependency("cuda-toolkit=11.1")});
  CHECK(found->conflicts == std::vector{parse_dependency("cuda-old")});
  CHECK(found->installed_size == 2);
  CHECK(found->reason == Reason::explicitly);
  CHECK(database.find("gcc10")->reason == Reason::dependency);
  CHECK(!database.find("nccl"));
  CHECK(database.all().size() == 2);
  CHECK(database.files("cuda") ==
        std::vector<std::string>{"etc/", "etc/cuda.conf", "opt/", "opt/cuda/", "opt/cuda/nvcc"});
  CHECK(database.backup_files("cuda") == std::vector<std::string>{"etc/cuda.conf"});
  CHECK(database.files("nccl").empty());
  CHECK(database.broken().empty());
}

TEST_CASE("alpm: a missing database or one of another format is an error and is not created") {
  const TestRoot root;
  write_text(root.at("/var/lib/pacman/local/x-1-1/desc"), "%NAME%\nx\n");
  write_text(root.at("/var/lib/pacman/local/ALPM_DB_VERSION"), "1\n");
  CHECK_THROWS_WITH_AS(LocalDatabase(root.conf()), doctest::Contains("incorrect version"), Error);
  fs::remove_all(root.local_database());
  CHECK_THROWS_WITH_AS(LocalDatabase(root.conf()), doctest::Contains("it does not exist"), Error);
  CHECK(!fs::exists(root.local_database()));
}

TEST_CASE("alpm: a partial entry is named and left out and blocks its own package alone") {
  System system;
  system.root.install(std::vector<StandIn>{cuda("11.1.0-2"), {.name = "nccl"}});
  fs::create_directory(system.root.local_database() / "cudnn-8.0.4-1");
  write_text(system.root.local_database() / "empty-1-1/desc", "");
  write_text(system.root.local_database() / "empty-1-1/files", "%FILES%\n");
  const LocalDatabase database(system.root.conf());
  CHECK(database.broken() == std::vector<std::string>{"cudnn-8.0.4-1", "empty-1-1"});
  CHECK(database.all().size() == 2);
  CHECK(!database.find("cudnn"));
  CHECK(database.find("cuda"));
  CHECK(contains(system.attempt({system.target(cudnn("8.0.5-1", "cuda"))}), "'cudnn-8.0.4-1' is incomplete"));
  CHECK(system.attempt({system.target({.name = "nccl", .version = "2-1"})}) == "");
}

TEST_CASE("alpm: a set is installed then downgraded then upgraded in one transaction each") {
  System system;
  std::vector<std::string> seen;
  system.events.progress = [&](const std::string& name, int percent, std::size_t nth, std::size_t of) {
    if (percent == 100) seen.push_back(name + " " + std::to_string(nth) + "/" + std::to_string(of));
  };
  for (const std::string version : {"11.2.0-1", "11.1.0-2", "11.4.0-1"}) {
    seen.clear();
    CHECK(system.attempt({system.target(cudnn("8." + version.substr(3), "cuda=" + version)),
                          system.target(cuda(version))}) == "");
    CHECK(system.root.installed("cuda") == version);
    CHECK(fmt::to_string(fmt::join(seen, ", ")) == "cuda 1/2, cudnn 2/2");
    CHECK(!fs::exists(system.root.lock_file()));
  }
  CHECK(contains(read_text(system.root.conf().log_file), "downgraded cuda (11.2.0-1 -> 11.1.0-2)"));
}

TEST_CASE("alpm: install reasons are set for new packages and kept for others") {
  System system;
  system.root.install(cuda("11.1.0-2"), Reason::dependency);
  system.root.install(cudnn("8.0-1", "cuda"));
  CHECK(system.attempt(
            {system.target(cuda("11.2.0-1")), system.target(cudnn("8.1-1", "cuda"), Reason::dependency),
             system.target({.name = "gcc10"}, Reason::dependency), system.target({.name = "nccl"})}) == "");
  const LocalDatabase database(system.root.conf());
  CHECK(database.find("cuda")->reason == Reason::dependency);
  CHECK(database.find("cudnn")->reason == Reason::explicitly);
  CHECK(database.find("gcc10")->reason == Reason::dependency);
  CHECK(database.find("nccl")->reason == Reason::explicitly);
}

TEST_CASE("alpm: every problem of a set is in one error and nothing changes") {
  System system;
  system.root.install(std::vector<StandIn>{cuda("11.4.0-1"),
                                           {.name = "pytorch", .depends = {"cuda>=11.4"}},
                                           {.name = "old", .conflicts = {"nccl"}}});
  const auto problems =
      system.attempt({system.target(cuda("11.1.0-2")), system.target(cudnn("9-1", "gcc10>=10.2")),
                      system.target({.name = "nccl"}), system.target({.name = "arm", .arch = "aarch64"})});
  CHECK(contains(problems, "installing 'cuda' breaks 'pytorch', which needs 'cuda>=11.4'"));
  CHECK(contains(problems, "'cudnn' needs 'gcc10>=10.2'"));
  CHECK(contains(problems, "'old' conflicts with 'nccl'"));
  CHECK(contains(problems, "'arm' is built for 'aarch64', not for x86_64"));
  CHECK(std::ranges::count(problems, '\n') == 3);
  CHECK(system.root.installed("cuda") == "11.4.0-1");
  CHECK(!system.root.installed("nccl"));
  CHECK(!fs::exists(system.root.lock_file()));
}

TEST_CASE("alpm: an upgrade that fixes what it would break passes and replaces removes nothing") {
  System system;
  system.root.install(
      std::vector<StandIn>{cuda("11.4.0-1"), cudnn("8.2-1", "cuda>=11.4"), {.name = "cuda-old"}});
  auto next = cuda("11.1.0-2");
  next.replaces = {"cuda-old"};
  CHECK(system.attempt({system.target(next), system.target(cudnn("8.0-1", "cuda=11.1.0"))}) == "");
  CHECK(system.root.installed("cudnn") == "8.0-1");
  CHECK(system.root.installed("cuda-old") == "1-1");
}

TEST_CASE("alpm: files that cannot be loaded are all named") {
  System system;
  write_text(system.root.packages() / "page.pkg.tar.zst", "<html>");
  const auto problems = system.attempt({{system.root.packages() / "page.pkg.tar.zst", Reason::explicitly},
                                        {system.root.packages() / "missing.pkg.tar.zst", Reason::explicitly},
                                        system.target(cuda("1-1")),
                                        system.target(cuda("2-1"))});
  CHECK(contains(problems, "page.pkg.tar.zst': "));
  CHECK(contains(problems, "missing.pkg.tar.zst': "));
  CHECK(contains(problems, "cuda-2-1-x86_64.pkg.tar.zst': duplicate target"));
}

TEST_CASE("alpm: file conflicts name files and owners before anything changes") {
  System system;
  system.root.install({.name = "other", .files = {{.path = "usr/bin/nvcc", .content = "o"}}});
  write_text(system.root.at("/usr/bin/loose"), "mine");
  const StandIn package{
      .name = "cuda",
      .files = {{.path = "usr/bin/nvcc", .content = "c"}, {.path = "usr/bin/loose", .content = "c"}}};
  const auto problems = system.attempt({system.target(package)});
  CHECK(contains(problems, "'cuda' would overwrite '" + system.root.at("/usr/bin/nvcc").string() +
                               "', which belongs to 'other'"));
  CHECK(contains(problems, "'cuda' would overwrite '" + system.root.at("/usr/bin/loose").string() +
                               "', which belongs to no package"));
  CHECK(read_text(system.root.at("/usr/bin/loose")) == "mine");
  CHECK(!system.root.installed("cuda"));
}

TEST_CASE("alpm: many file conflicts are counted") {
  System system;
  StandIn package{.name = "cuda"};
  for (int i = 0; i < 50; ++i) package.files.push_back({.path = "usr/f" + std::to_string(i), .content = "c"});
  for (const auto& file : package.files) write_text(system.root.at(file.path), "mine");
  const auto problems = system.attempt({system.target(package)});
  CHECK(std::ranges::count(problems, '\n') == 20);
  CHECK(contains(problems, "30 more files are in the way"));
}

TEST_CASE("alpm: a refusing hook is told from other failures and is heard") {
  System system;
  system.root.install(cuda("11.1.0-2"));
  system.write_hook(3, "cudapin: BLOCKED\n");
  CHECK(contains(system.attempt({system.target(cuda("11.2.0-1"))}),
                 "a hook refused the transaction: '00-check.hook'"));
  CHECK(system.log == std::vector<std::string>{"cudapin: BLOCKED"});
  CHECK(system.root.installed("cuda") == "11.1.0-2");
  CHECK(!fs::exists(system.root.lock_file()));
  system.write_hook(0, "fine\n");
  CHECK(system.attempt({system.target(cuda("11.2.0-1"))}) == "");
}

TEST_CASE("alpm: hooks of the system folder run too") {
  System system;
  system.write_hook(3, "no\n");
  fs::create_directories(system.root.at("/usr/share/libalpm/hooks"));
  fs::rename(system.root.at("/etc/pacman.d/hooks/00-check.hook"),
             system.root.at("/usr/share/libalpm/hooks/00-check.hook"));
  CHECK(contains(system.attempt({system.target(cuda("1-1"))}), "'00-check.hook'"));
}

TEST_CASE("alpm: a broken hook file is no refusal") {
  System system;
  write_text(system.root.at("/etc/pacman.d/hooks/broken.hook"), "[Trigger]\nNonsense = 1\n");
  const auto problem = system.attempt({system.target(cuda("1-1"))});
  CHECK(contains(problem, "nothing was changed"));
  CHECK(contains(problem, "broken.hook"));
  CHECK(!contains(problem, "refused"));
}

TEST_CASE("alpm: C029: a failing scriptlet is reported and its output is heard") {
  System system;
  for (const auto* shell : {"/bin/sh", "/bin/bash", "/usr/bin/bash", "/usr/bin/sh"}) {
    write_text(system.root.at(shell), static_program(1, "from the scriptlet\n"));
    fs::permissions(system.root.at(shell), fs::perms::owner_all);
  }
  auto package = cuda("1-1");
  package.install_script = "post_install() { false; }\n";
  CHECK(system.attempt({system.target(package)}) == "");
  CHECK(std::ranges::count(system.log, "from the scriptlet") == 1);
  CHECK(std::ranges::count(system.log, "command failed to execute correctly") == 1);
}

TEST_CASE("alpm: an interrupt before the first package leaves everything as it was") {
  System system;
  system.root.install(cuda("11.1.0-2"));
  system.test.interrupt = SIGINT;
  CHECK(contains(system.attempt({system.target(cuda("11.2.0-1"))}), "interrupted"));
  CHECK(system.root.installed("cuda") == "11.1.0-2");

  system.test.interrupt = 0;
  system.write_hook(0, "now\n");
  system.events.log = [&](const std::string&) { system.test.interrupt = SIGTERM; };
  CHECK(system.attempt({system.target(cuda("11.2.0-1"))}) ==
        "interrupted before the first package was changed");
  CHECK(system.root.installed("cuda") == "11.1.0-2");
  CHECK(read_text(system.root.at("/usr/share/cuda/version")) == "11.1.0-2\n");
  CHECK(!fs::exists(system.root.lock_file()));
}

TEST_CASE("alpm: an interrupt stops between packages and says so") {
  System system;
  system.events.progress = [&](const std::string& name, int, std::size_t, std::size_t) {
    if (name == "cuda") system.test.interrupt = SIGINT;
  };
  Transaction transaction(system.root.conf(), system.test.host, system.events);
  transaction.prepare(std::vector{system.target(cuda("1-1")), system.target(cudnn("1-1", "cuda"))});
  try {
    transaction.commit();
    FAIL("the interrupt was not seen");
  } catch (const Error& error) {
    CHECK(error.what() == std::string("interrupted after 1 of 2 packages"));
    CHECK(error.status == ExitStatus::interrupted);
  }
  CHECK(system.root.installed("cuda"));
  CHECK(!system.root.installed("cudnn"));
}

TEST_CASE("alpm: what a callback throws comes out after the commit") {
  System system;
  system.events.progress = [](const std::string&, int, std::size_t, std::size_t) {
    throw std::runtime_error("terminal gone");
  };
  Transaction transaction(system.root.conf(), system.test.host, system.events);
  transaction.prepare(std::vector{system.target(cuda("1-1"))});
  CHECK_THROWS_WITH_AS(transaction.commit(), "terminal gone", std::runtime_error);
  CHECK(system.root.installed("cuda"));
}

TEST_CASE("alpm: patterns of pacman.conf count") {
  System system;
  auto conf = system.root.conf();
  conf.no_extract = {"usr/share/doc/*"};
  Transaction transaction(conf, system.test.host, system.events);
  transaction.prepare(std::vector{system.target(
      {.name = "cuda",
       .files = {{.path = "usr/share/doc/x", .content = "x"}, {.path = "usr/y", .content = "y"}}})});
  transaction.commit();
  CHECK(!fs::exists(system.root.at("/usr/share/doc/x")));
  CHECK(fs::exists(system.root.at("/usr/y")));
}

TEST_CASE("alpm: a transaction holds the lock until it ends") {
  System system;
  {
    const Transaction transaction(system.root.conf(), system.test.host, {});
    CHECK(fs::exists(system.root.lock_file()));
  }
  CHECK(!fs::exists(system.root.lock_file()));
  CHECK(alpm_version_text()[0] != '0');
}

}  // namespace cudapin
