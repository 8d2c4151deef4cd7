// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/resolve.hpp"

#include "core/error.hpp"
#include "core/plan.hpp"

#include <doctest/doctest.h>

#include <map>

namespace cudapin {

namespace {

std::vector<Dependency> dependencies(const std::vector<std::string>& texts) {
  std::vector<Dependency> found;
  for (const auto& text : texts) found.push_back(parse_dependency(text));
  return found;
}

struct Maker {
  std::string name;
  std::string version;
  std::vector<std::string> depends = {};
  std::vector<std::string> provides = {};

  std::string file() const { return name + "-" + version + "-x86_64.pkg.tar.zst"; }
  operator Package() const {
    return {.name = name,
            .version = version,
            .arch = "x86_64",
            .depends = dependencies(depends),
            .provides = dependencies(provides)};
  }
  operator ProfilePackage() const {
    return {.name = name,
            .version = *Version::parse(version),
            .file = file(),
            .depends = dependencies(depends),
            .provides = dependencies(provides)};
  }
  operator RepositoryPackage() const {
    return {.package = *this, .file = file(), .size = 42, .repository = "extra"};
  }
};

/// A profile, a machine and what there is, put together by a test.
struct World {
  Profile profile{.name = "lab", .snapshot = "2020-10-12"};
  std::vector<Package> installed{Maker{"glibc", "2.32-4"}, Maker{"gcc-libs", "10.2.0-3"},
                                 Maker{"gcc", "10.2.0-3"}};
  std::map<std::string, std::vector<std::string>> files;  ///< versions by name
  std::vector<RepositoryPackage> repositories;
  std::vector<RepositoryPackage> snapshot;
  bool is_behind = false;
  int asked = 0;  ///< how often a repository was opened

  void open(const std::string& name, const std::string& range) {
    profile.open.push_back({name, *VersionRange::parse(range), "lab.yaml:9:3"});
  }
  Resolution resolved() {
    const auto current = RepositoryIndex::parse(index_text(repositories));
    const auto old = RepositoryIndex::parse(index_text(snapshot));
    return resolve(
        profile, installed,
        {.files =
             [&](const std::string& name) {
               std::vector<ArchivedFile> found;
               for (const auto& version : files[name])
                 found.push_back({.file = *parse_file_name(Maker{name, version}.file()), .place = "a"});
               return found;
             },
         .repositories = [&] { return ++asked, is_behind ? nullptr : &*current; },
         .snapshot = [&] { return ++asked, snapshot.empty() ? nullptr : &*old; }});
  }
  std::string problem() {
    try {
      resolved();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string set() {
    std::string text;
    for (const auto& one : resolved().profile.packages)
      text += one.name + " " + one.version.text() + (one.is_pinned ? "" : " unpinned") + "\n";
    return text;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("resolve: a whole profile comes back as it is and nothing is asked") {
  World world;
  world.profile.packages = {Maker{"cuda", "11.1.0-2", {"gcc-libs", "gcc", "cudnn"}},
                            Maker{"cudnn", "8.0.4.30-1", {"cuda>=11"}}};
  CHECK(world.set() == "cuda 11.1.0-2\ncudnn 8.0.4.30-1\n");
  CHECK(world.asked == 0);
}

TEST_CASE("resolve: a range is the newest version by comparison and not by time") {
  World world;
  world.files["cudnn"] = {"8.0.4.30-1", "8.0.10.1-1", "8.0.5.39-1", "8.1.0.77-1", "7.6.5.32-4"};
  world.open("cudnn", "8.0.*");
  CHECK(world.set() == "cudnn 8.0.10.1-1\n");
  CHECK(has(world.resolved().notes.at(0).what, "newest '8.0.*' that fits: 8.0.10.1-1"));
}

TEST_CASE("resolve: a range gives way to what the other packages want") {
  World world;
  world.files["cuda"] = {"11.2.0-1", "11.1.1-1", "11.1.0-2"};
  world.open("cuda", ">=11.1 <12");
  SUBCASE("of the profile") {
    world.profile.packages = {Maker{"cudnn", "8.0.4.30-1", {"cuda<11.2"}}};
    CHECK(world.set() == "cudnn 8.0.4.30-1\ncuda 11.1.1-1\n");
  }
  SUBCASE("of the machine") {
    world.installed.push_back(Maker{"cuda", "11.1.1-1"});
    world.installed.push_back(Maker{"python-pytorch-cuda", "1.7-1", {"cuda=11.1.1"}});
    CHECK(world.set() == "cuda 11.1.1-1\n");
  }
  SUBCASE("of another range, which has to give way itself") {
    world.files["cudnn"] = {"8.1-1", "8.0-1"};
    world.snapshot = {Maker{"cuda", "11.2.0-1", {"glibc>=2.33"}}, Maker{"cudnn", "8.1-1", {"cuda=11.3"}}};
    world.open("cudnn", "8.*");
    CHECK(world.set() == "cuda 11.1.1-1\ncudnn 8.0-1\n");
  }
}

TEST_CASE("resolve: what is installed of a range that is yet to be chosen binds no other range") {
  World world;
  world.files["cuda"] = {"11.1.0-2"};
  world.files["cudnn"] = {"8.0.4.30-1"};
  world.installed.push_back(Maker{"cuda", "13.1-1"});
  world.installed.push_back(Maker{"cudnn", "9.18-1", {"cuda>=13"}});
  world.open("cuda", "11.1.*");
  world.open("cudnn", "8.*");
  CHECK(world.set() == "cuda 11.1.0-2\ncudnn 8.0.4.30-1\n");
}

TEST_CASE("resolve: ranges that nothing meets are all told with their places") {
  World world;
  world.files["cuda"] = {"11.2.0-1"};
  world.open("cuda", "10.*");
  world.open("cudnn", "8.*");
  CHECK(world.problem() ==
        "lab.yaml:9:3: no source has a version of 'cuda' that is 10.*\n"
        "lab.yaml:9:3: no source has a version of 'cudnn' that is 8.*");
  World jam;
  jam.files["cuda"] = {"11.2.0-1"};
  jam.open("cuda", "11.*");
  jam.profile.packages = {Maker{"cudnn", "8.0-1", {"cuda<11"}}};
  CHECK(has(jam.problem(), "no versions fit together"));
}

TEST_CASE(
    "resolve: what is missing comes from the repositories and then from the snapshot with all that it "
    "needs") {
  World world;
  world.profile.packages = {Maker{"cuda", "11.1.0-2", {"gcc-libs", "opencl-nvidia", "libfoo.so=1-64"}}};
  world.repositories = {Maker{"opencl-nvidia", "590-1", {"zlib"}}, Maker{"zlib", "1.3-1", {"glibc"}}};
  world.snapshot = {Maker{"foo", "1-1", {"bar"}, {"libfoo.so=1-64"}}, Maker{"bar", "2-1"},
                    Maker{"zlib", "1.2-1"}};
  CHECK(world.set() ==
        "cuda 11.1.0-2\nopencl-nvidia 590-1 unpinned\nfoo 1-1 unpinned\nzlib 1.3-1 unpinned\nbar 2-1 "
        "unpinned\n");
  const auto whole = world.resolved().profile;
  CHECK(whole.find("foo")->reason == Reason::dependency);
  CHECK(whole.find("foo")->size == 42);
}

TEST_CASE("resolve: a system that is behind its repositories takes nothing from them") {
  World world;
  world.is_behind = true;
  world.profile.packages = {Maker{"cuda", "11.1.0-2", {"zlib"}}};
  world.repositories = {Maker{"zlib", "1.3-1"}};
  world.snapshot = {Maker{"zlib", "1.2-1"}};
  CHECK(world.set() == "cuda 11.1.0-2\nzlib 1.2-1 unpinned\n");
}

TEST_CASE("resolve: an installed package moves only inside of the family") {
  World world;
  world.snapshot = {Maker{"cudnn", "8.0-1"}, Maker{"boost", "1.74-1"}, Maker{"gcc-libs", "11-1"}};
  SUBCASE("a partner does and stays pinned") {
    world.installed.push_back(Maker{"cudnn", "9.0-1"});
    world.profile.packages = {Maker{"cuda", "11.1.0-2", {"cudnn<9"}}};
    CHECK(world.set() == "cuda 11.1.0-2\ncudnn 8.0-1\n");
  }
  SUBCASE("a stranger does not") {
    world.installed.push_back(Maker{"boost", "1.83-1"});
    world.profile.packages = {Maker{"cuda", "11.1.0-2", {"boost<1.80"}}};
    CHECK(
        has(world.problem(),
            "cuda 11.1.0-2 needs 'boost<1.80', and the installed boost 1.83-1 would have to become 1.74-1"));
  }
  SUBCASE("nor does what all is built on") {
    world.profile.packages = {Maker{"cuda", "11.1.0-2", {"gcc-libs>=11"}}};
    CHECK(has(world.problem(), "the installed gcc-libs 10.2.0-3 would have to become 11-1"));
  }
  SUBCASE("and a newer glibc is refused with both names wherever there is one") {
    world.profile.packages = {Maker{"cuda", "13.1-1", {"glibc>=2.42"}}};
    CHECK(has(world.problem(), "cuda 13.1-1 needs 'glibc>=2.42', the installed glibc 2.32-4 is not that"));
  }
}

TEST_CASE(
    "resolve: a compiler that the machine lacks comes from its own repositories and from no other day") {
  World world;
  world.installed.pop_back();
  world.profile.packages = {Maker{"cuda", "11.1.0-2", {"gcc"}}};
  world.snapshot = {Maker{"gcc", "10.2.0-3"}};
  CHECK(has(world.problem(), "gcc of another day than the system is never brought"));
  world.repositories = {Maker{"gcc", "15.1-1", {"gcc-libs"}}};
  CHECK(world.set() == "cuda 11.1.0-2\ngcc 15.1-1 unpinned\n");
}

TEST_CASE("resolve: all that cannot be had is in one error") {
  World world;
  world.profile.packages = {Maker{"cuda", "11.1.0-2", {"nowhere", "neither"}},
                            Maker{"cudnn", "8-1", {"libx.so=1-64"}}};
  const auto problem = world.problem();
  for (const auto* name : {"'nowhere'", "'neither'", "'libx.so=1-64'"}) CHECK(has(problem, name));
}

TEST_CASE("resolve: what a person lets go keeps no version from being chosen") {
  World world;
  world.files["cuda"] = {"12.0-1", "11.1.1-1"};
  world.open("cuda", ">=11");
  world.installed.push_back(Maker{"cuda", "11.1.1-1"});
  world.installed.push_back(Maker{"python-pytorch-cuda", "1.7-1", {"cuda<12"}});
  CHECK(world.set() == "cuda 11.1.1-1\n");
  world.profile.removals = {"python-pytorch-cuda"};
  CHECK(world.set() == "cuda 12.0-1\n");
}

TEST_CASE(
    "resolve: C041: a gcc that left the repositories comes from the snapshot with its libraries and is "
    "pinned") {
  World world;
  world.profile.packages = {Maker{"cuda", "11.8.0-1", {"gcc11", "gcc-libs"}}};
  world.repositories = {Maker{"zlib", "1.3-1"}};
  world.snapshot = {Maker{"gcc11", "11.3.0-5", {"gcc11-libs=11.3.0-5"}},
                    Maker{"gcc11-libs", "11.3.0-5", {"glibc"}}};
  CHECK(world.set() == "cuda 11.8.0-1\ngcc11 11.3.0-5\ngcc11-libs 11.3.0-5\n");
  for (const auto* name : {"gcc11", "gcc11-libs"})
    CHECK(world.resolved().profile.find(name)->reason == Reason::dependency);
}

TEST_CASE(
    "resolve: C046: an installed member of a split gcc that asks for its very version comes along or is "
    "named") {
  World world;
  world.installed.push_back(Maker{"gcc11", "11.3.0-4", {"gcc11-libs=11.3.0-4"}});
  world.installed.push_back(Maker{"gcc11-libs", "11.3.0-4"});
  world.installed.push_back(Maker{"gcc11-fortran", "11.3.0-4", {"gcc11=11.3.0-4"}});
  world.profile.packages = {Maker{"gcc11", "11.3.0-5", {"gcc11-libs=11.3.0-5"}}};
  world.snapshot = {Maker{"gcc11-libs", "11.3.0-5"}};
  CHECK(world.set() == "gcc11 11.3.0-5\ngcc11-libs 11.3.0-5\n");
  const auto problems = dependency_problems(world.resolved().profile, world.installed);
  REQUIRE(problems.size() == 1);
  CHECK(has(problems[0], "the installed gcc11-fortran 11.3.0-4 needs 'gcc11=11.3.0-4'"));
}

}  // namespace cudapin
