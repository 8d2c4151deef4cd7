// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/yaml.hpp"

#include <doctest/doctest.h>

#include <map>

namespace cudapin {

namespace {

const std::string base =
    "name: base\n"                                                        // 1
    "summary: the base\n"                                                 // 2
    "reason: because\n"                                                   // 3
    "generations: [ampere]\n"                                             // 4
    "snapshot: 2020-10-12\n"                                              // 5
    "packages: {cuda: 11.1.0-2, cudnn: 8.0.4.30-1}\n"                     // 6
    "files:\n"                                                            // 7
    "  - {file: cuda-11.1.0-2-x86_64.pkg.tar.zst, depends: [gcc]}\n"      // 8
    "  - {file: cudnn-8.0.4.30-1-x86_64.pkg.tar.zst, depends: [cuda]}\n"  // 9
    "pin_if_installed: [nccl, cuda-tools]\n"                              // 10
    "requires: {driver: \">=450.80.02\", python: \">=3\"}\n"              // 11
    "environment: {CUDA_HOME: /opt/cuda, A: base}\n"                      // 12
    "unverified: [the day]\n";                                            // 13

/// Profiles by name, each from `NAME.yaml`; `hidden` are those of the same names that lie below.
struct Shelf {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> hidden;

  ProfileLibrary profiles() const {
    ProfileLibrary library;
    for (const auto& [name, text] : texts) library.names.push_back(name);
    library.find = [this](const std::string& name,
                          const std::string& below) -> std::optional<ProfileLibrary::Source> {
      const auto& shelf = below.empty() ? texts : hidden;
      const auto found = shelf.find(name);
      if (found == shelf.end()) return std::nullopt;
      return ProfileLibrary::Source{found->second, (below.empty() ? "" : "hidden/") + name + ".yaml"};
    };
    return library;
  }
  Profile read(const std::string& text) const { return parse_profile(text, "own.yaml", profiles()); }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const yaml::InvalidFile& error) {
      return error.what();
    }
    return {};
  }
};

std::vector<std::string> labels(const Profile& profile) {
  std::vector<std::string> all;
  for (const auto& package : profile.packages) all.push_back(package.name + " " + package.version.text());
  return all;
}

}  // namespace

TEST_CASE("profile: one that extends another has all of it and its own keys win") {
  const Shelf shelf{.texts = {{"base", base}}, .hidden = {}};
  const auto same = shelf.read("name: own\nextends: base\n");
  CHECK(same.name == "own");
  CHECK(same.summary == "the base");
  CHECK(same.snapshot == "2020-10-12");
  CHECK(labels(same) == std::vector<std::string>{"cuda 11.1.0-2", "cudnn 8.0.4.30-1"});
  CHECK(same.bases == std::vector<std::string>{"base.yaml"});
  CHECK(same.origin == "own.yaml");

  const auto own = shelf.read(
      "name: own\nextends: base\nsummary: mine\ngenerations: [turing]\n"
      "packages: {nccl: 2.7.8-3, cudnn: 8.0.5.39-1}\n"
      "files:\n  - {file: nccl-2.7.8-3-x86_64.pkg.tar.zst, depends: []}\n"
      "  - {file: cudnn-8.0.5.39-1-x86_64.pkg.tar.zst, depends: [cuda>=11]}\n"
      "pin_if_installed: [magma-cuda]\nrequires: {driver: \">=455.23\"}\n"
      "environment: {A: own, B: own}\nunverified: [the pkgrel]\n");
  CHECK(own.summary == "mine");
  CHECK(own.reason == "because");
  CHECK(own.generations == std::vector<std::string>{"turing"});
  CHECK(labels(own) == std::vector<std::string>{"cuda 11.1.0-2", "cudnn 8.0.5.39-1", "nccl 2.7.8-3"});
  CHECK(own.find("cudnn")->depends == std::vector<Dependency>{{"cuda", ">=", "11"}});
  CHECK(own.pin_if_installed == std::vector<std::string>{"magma-cuda", "cuda-tools"});
  CHECK(own.requirements == std::vector<Dependency>{{"driver", ">=", "455.23"}, {"python", ">=", "3"}});
  CHECK(own.environment == std::vector<std::pair<std::string, std::string>>{
                               {"A", "own"}, {"B", "own"}, {"CUDA_HOME", "/opt/cuda"}});
  CHECK(own.unverified == std::vector<std::string>{"the pkgrel", "the day"});
}

TEST_CASE("profile: a file of its own corrects the inherited one") {
  const Shelf shelf{.texts = {{"base", base}}, .hidden = {}};
  const auto own = shelf.read(
      "name: own\nextends: base\nfiles: [{file: cuda-11.1.0-2-x86_64.pkg.tar.xz, depends: [gcc10]}]\n");
  CHECK(own.find("cuda")->file == "cuda-11.1.0-2-x86_64.pkg.tar.xz");
  CHECK(own.find("cuda")->depends == std::vector<Dependency>{{"gcc10", "", ""}});
}

TEST_CASE("profile: an inherited file is none for a version of its own") {
  const Shelf shelf{.texts = {{"base", base}}, .hidden = {}};
  CHECK(shelf.refusal("name: own\nextends: base\npackages: {cudnn: 8.0.5.39-1}\n") ==
        "own.yaml:3:12: 'cudnn' has no entry in 'files'");
  CHECK(shelf.refusal("name: own\nextends: base\nfiles: [{file: nccl-1-1-any.pkg.tar.xz, depends: []}]\n") ==
        "own.yaml:3:16: 'nccl-1-1-any.pkg.tar.xz' is a file of 'nccl', which is not in 'packages'");
  const auto open = shelf.read("name: own\nextends: base\npackages: {cudnn: 8.0.*}\n");
  CHECK(labels(open) == std::vector<std::string>{"cuda 11.1.0-2"});
  REQUIRE(open.open.size() == 1);
  CHECK(open.open[0].name == "cudnn");
  CHECK(open.open[0].range.text() == "8.0.*");
  CHECK_THROWS_WITH_AS(require_exact_versions(open),
                       "own.yaml:3:12: 'cudnn' needs an exact version in place of '8.0.*', and its file",
                       Error);
  CHECK_NOTHROW(require_exact_versions(shelf.read("name: own\nextends: base\n")));
}

TEST_CASE("profile: one of ranges alone needs no files") {
  const auto profile = parse_profile(
      "name: own\nsummary: s\nreason: r\ngenerations: [ampere]\npackages: {cuda: 11.1.*, cudnn: \">=8 "
      "<9\"}\n",
      "own.yaml");
  CHECK(profile.packages.empty());
  CHECK(profile.open.size() == 2);
}

TEST_CASE("profile: unknown bases and loops are told where they are named") {
  Shelf shelf{.texts = {{"base", base}}, .hidden = {}};
  CHECK(shelf.refusal("name: own\nextends: bsae\n") ==
        "own.yaml:2:10: no profile is called 'bsae', did you mean 'base'?");
  CHECK(shelf.refusal("name: own\nextends: own\n") == "own.yaml:2:10: 'own' extends itself");
  shelf.texts["a"] = "name: a\nextends: b\n";
  shelf.texts["b"] = "name: b\nextends: a\n";
  CHECK(shelf.refusal("name: own\nextends: a\n") == "b.yaml:2:10: a loop of profiles: a -> b -> a");
  CHECK(parse_profile(base, "base.yaml", shelf.profiles()).bases.empty());
}

TEST_CASE("profile: one that hides another of its name may extend it") {
  const Shelf shelf{.texts = {{"base", "name: base\nextends: base\nsummary: ours\n"}},
                    .hidden = {{"base", base}}};
  const auto own = shelf.read("name: own\nextends: base\n");
  CHECK(own.summary == "ours");
  CHECK(own.bases == std::vector<std::string>{"base.yaml", "hidden/base.yaml"});
  CHECK(shelf.read("name: base\nextends: base\n").bases == std::vector<std::string>{"hidden/base.yaml"});
}

TEST_CASE("profile: extends goes eight deep and no deeper") {
  Shelf shelf{.texts = {{"p0", base}}, .hidden = {}};
  for (int i = 1; i < 12; ++i)
    shelf.texts["p" + std::to_string(i)] =
        "name: p" + std::to_string(i) + "\nextends: p" + std::to_string(i - 1) + "\n";
  CHECK(shelf.read("name: own\nextends: p7\n").bases.size() == 8);
  CHECK(shelf.refusal("name: own\nextends: p8\n") == "p1.yaml:2:10: more than 8 profiles deep");
}

TEST_CASE("profile: the problems of all files come together") {
  Shelf shelf{.texts = {{"base", base}}, .hidden = {}};
  shelf.texts["base"] += "zebra: 1\n";
  CHECK(shelf.refusal("name: own\nextends: base\nlion: 1\nenvironment: {PATH: x}\n") ==
        "own.yaml:3:1: unknown key 'lion'\n"
        "own.yaml:4:15: a profile never sets 'PATH'\n"
        "base.yaml:14:1: unknown key 'zebra'");
  shelf.texts["base"] = "name: [";
  CHECK(shelf.refusal("name: own\nextends: base\nlion: 1\n") ==
        "own.yaml:3:1: unknown key 'lion'\nbase.yaml:1:7: its ] is missing");
}

TEST_CASE("profile: what is only for machines that have it is left out on others") {
  auto text = base;
  text.insert(text.find("depends: [cuda]"), "only_if_installed: true, ");
  const auto profile = parse_profile(text, "p.yaml");
  CHECK(profile.find("cudnn")->only_if_installed);
  const std::vector<Package> has{{.name = "cudnn", .version = "7-1"}};
  CHECK(labels(for_installed(profile, has)).size() == 2);
  CHECK(labels(for_installed(profile, {})) == std::vector<std::string>{"cuda 11.1.0-2"});
}

}  // namespace cudapin
