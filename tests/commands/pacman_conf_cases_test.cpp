// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pins.hpp"
#include "core/profile.hpp"
#include "core/text.hpp"
#include "support/lab.hpp"
#include "system/files.hpp"
#include "system/pacman_conf.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
std::ptrdiff_t times(const Names& names, const std::string& name) { return std::ranges::count(names, name); }

/// A root with nothing but that pacman.conf.
struct Conf {
  explicit Conf(const std::string& text) : test(root) { write_text(root.pacman_conf(), text); }

  std::string text() const { return read_file(root.pacman_conf()); }
  Names ignored() const { return read_pacman_conf(test.host).ignore_pkg; }
  std::string refusal(const Names& names) const {
    try {
      write_pins(test.host, names);
    } catch (const Error& error) {
      CHECK(!error.hint.empty());
      return error.what();
    }
    return {};
  }

  TestRoot root;
  TestHost test;
};

/// A real person's file, its Includes emptied; the stand-in where the files are not to be had.
std::string real(const std::string& name, const std::string& otherwise) {
  const auto file = fs::path(REAL_CONFIGURATIONS) / name;
  if (!fs::exists(file)) return otherwise;
  return std::regex_replace(read_file(file), std::regex("(\n[ \t]*Include *=)[^\r\n]*"), "$1 /dev/null");
}

/// Pinned and pinned again and released: the person's own lines never change by a byte.
void check_round_trip(const Conf& conf, const Names& names) {
  const auto before = conf.text();
  const auto ignored = conf.ignored();
  CHECK(write_pins(conf.test.host, names));
  const auto pinned = conf.text();
  CHECK(without_pins(pinned) == before);
  for (const auto& name : names) CHECK_MESSAGE(times(conf.ignored(), name) == times(ignored, name) + 1, name);
  CHECK(!write_pins(conf.test.host, names));
  CHECK(conf.text() == pinned);
  CHECK(write_pins(conf.test.host, {}));
  CHECK(conf.text() == before);
  CHECK(conf.ignored() == ignored);
}

/// Adds a line to the lab's [options].
void add_option(Lab& lab, const std::string& line) {
  auto text = lab.pacman_conf();
  text.insert(text.find('\n', text.find("[options]")) + 1, line + "\n");
  write_text(lab.root.pacman_conf(), text);
}

}  // namespace

TEST_CASE("C001: a remark behind IgnorePkg is names to pacman and stays as it is") {
  const Conf conf(real(
      "05.conf",
      "[options]\nIgnorePkg = intel-gmmlib # compute-runtime-bin 19.11.12599-1 needs intel-gmmlib 18.4.1\n"));
  CHECK(conf.ignored() == Names{"intel-gmmlib", "#", "compute-runtime-bin", "19.11.12599-1", "needs",
                                "intel-gmmlib", "18.4.1"});
  check_round_trip(conf, {"cuda", "cudnn"});
  write_pins(conf.test.host, Names{"cuda"});
  for (const auto& line : split(conf.text(), "\n"))
    if (line.starts_with("IgnorePkg = cuda")) CHECK(line == "IgnorePkg = cuda");
}

TEST_CASE("C002: globs that cover a pin are told and left alone") {
  check_round_trip(Conf(real("12.conf", "[options]\nIgnorePkg = *python* *haskell* *linux* r\n")),
                   {"cuda", "linux"});
  Lab lab;
  add_option(lab, "IgnorePkg = *cud* nccl r");
  const auto before = lab.pacman_conf();
  const auto result = lab.use("ampere-11.1");
  CAPTURE(result.err);
  REQUIRE(result.status == ExitStatus::done);
  CHECK(contains(result.out, "pacman.conf ignores cuda already, by '*cud*'"));
  CHECK(contains(result.out, "pacman.conf ignores cudnn already, by '*cud*'"));
  CHECK(contains(result.out, "pacman.conf ignores nccl already, by 'nccl'"));
  CHECK(!contains(result.out, "ignores gcc10 already"));
  CHECK(lab.cudapin({"release", "--noconfirm"}).status == ExitStatus::done);
  CHECK(lab.pacman_conf() == before);
}

TEST_CASE("C004: a file without a section is refused with the reason and untouched") {
  const std::string text = "\nInclude = /no/such/options.conf\nInclude = /no/such/repositories.conf\n";
  const Conf missing(text);
  CHECK(contains(missing.refusal({"cuda"}), "/no/such/options.conf"));
  CHECK(missing.text() == text);
  const Conf resolved("\nInclude = /dev/null\n");
  CHECK(contains(resolved.refusal({"cuda"}), "it has no line '[options]' of its own"));
  CHECK(resolved.text() == "\nInclude = /dev/null\n");

  Lab lab;
  const auto options = lab.root.at("/etc/options.conf");
  fs::copy_file(lab.root.pacman_conf(), options);
  write_text(lab.root.pacman_conf(), "Include = " + options.string() + "\n");
  const auto untouched = lab.fingerprint();
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "[options]"));
  CHECK(contains(result.err, "hint: "));
  CHECK(lab.fingerprint() == untouched);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("C005: names are whole words and each is pinned once") {
  const Names wanted{"cuda", "cuda-tools", "cudnn"};
  const Conf conf("[options]\nIgnorePkg = cuda-tools\nIgnorePkg = linux\n#IgnorePkg = cudnn\n");
  write_pins(conf.test.host, wanted);
  CHECK(times(conf.ignored(), "cuda") == 1);
  CHECK(times(conf.ignored(), "cudnn") == 1);
  CHECK(times(conf.ignored(), "linux") == 1);
  const auto block = pins_in(conf.text());
  CHECK(block == wanted);
  CHECK(contains(conf.text(), "IgnorePkg = cuda-tools\nIgnorePkg = linux\n#IgnorePkg = cudnn\n"));
  CHECK(!write_pins(conf.test.host, wanted));
  check_round_trip(
      Conf("[options]\nIgnorePkg = cuda cuda-tools cudnn\nIgnorePkg = linux cuda cuda-tools cudnn\n"),
      wanted);
}

TEST_CASE("C007: pins take effect behind a line that pacman cuts off") {
  std::string names;
  for (int i = 0; i < 230; ++i) names += " texlive-lang-group-" + std::to_string(100 + i);
  const auto text = real("34.conf", "[options]\nIgnorePkg =" + names + " cuda cudnn nvidia-utils\n");
  const Conf conf(text);
  const auto before = conf.ignored();
  CHECK(times(before, "cuda") == 0);
  check_round_trip(conf, {"cuda", "cudnn", "nvidia-utils"});

  Names many;
  for (int i = 0; i < 600; ++i) many.push_back("a-package-with-a-long-name-" + std::to_string(1000 + i));
  write_pins(conf.test.host, many);
  for (const auto& line : split(conf.text(), "\n"))
    if (contains(line, "a-package")) CHECK(line.size() < 4095);
  for (const auto& name : many) CHECK(times(conf.ignored(), name) == 1);
}

TEST_CASE("C008: IgnorePkg of a repository is no pin and duplicates stay") {
  const Conf conf(real("33.conf",
                       "[options]\nIgnorePkg = cuda cuda cudnn\nIgnorePkg = cudnn nvidia-utils\n[multilib]\n"
                       "Server = file:///srv\nIgnorePkg = lib32-nvidia-utils\n"));
  CHECK(conf.ignored() == Names{"cuda", "cuda", "cudnn", "cudnn", "nvidia-utils"});
  check_round_trip(conf, {"lib32-nvidia-utils", "cuda"});
}

TEST_CASE("C010: a value that pacman refuses stops use before anything") {
  Lab lab;
  add_option(lab, "ParallelDownloads = 3 # Enable parallel downloads");
  const auto untouched = lab.fingerprint();
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, lab.root.pacman_conf().string() + ", line "));
  CHECK(contains(result.err, "'3 # Enable parallel downloads'"));
  CHECK(contains(result.err, "hint: sudoedit "));
  CHECK(lab.fingerprint() == untouched);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("C011: pins are closed over the driver's family") {
  const auto profile =
      parse_profile(read_file(fs::path(SOURCE_DIR) / "profiles/pascal-580.yaml"), "pascal-580.yaml");
  Names all = profile.pin_if_installed;
  for (const auto& package : profile.packages) all.push_back(package.name);
  for (const auto* name : {"nvidia-dkms", "nvidia-utils", "opencl-nvidia", "lib32-nvidia-utils",
                           "lib32-opencl-nvidia", "nvidia-settings", "libxnvctrl", "linux", "linux-headers"})
    CHECK_MESSAGE(times(all, name) == 1, name);
}

TEST_CASE("C013: folders are those that pacman says") {
  const Conf tilde(
      "[options]\nHookDir = ~/x/hooks/\nDBPath = /usr/lib/holo/pacmandb/\n"
      "CacheDir = /var/cache/pacman/pkg/ /home/user1/.cache/packages\nCacheDir = /srv/cache\n");
  const auto conf = read_pacman_conf(tilde.test.host);
  CHECK(conf.hook_dirs == std::vector<fs::path>{"~/x/hooks/"});
  CHECK(conf.dbpath == tilde.root.at("/usr/lib/holo/pacmandb/"));
  CHECK(conf.cache_dirs.size() == 3);
  for (const auto* name : {"03.conf", "15.conf", "16.conf", "25.conf"})
    check_round_trip(Conf(real(name, "[options]\nColor\n")), {"cuda"});

  Lab lab;
  const auto cache = lab.root.at("/home/user1/.cache/packages");
  fs::create_directories(cache);
  add_option(lab, "CacheDir = /var/cache/pacman/pkg/ /home/user1/.cache/packages");
  for (const auto& entry : fs::directory_iterator(lab.moved_folder / "m"))
    fs::copy_file(entry.path(), cache / entry.path().filename());
  const auto result = lab.use("ampere-11.1");
  CAPTURE(result.err);
  CHECK(result.status == ExitStatus::done);
  CHECK(lab.server.requests().empty());
}

TEST_CASE("C014: directives that pacman only warns about stay and are no error") {
  for (const auto* name : {"07.conf", "19.conf", "26.conf"}) {
    CAPTURE(std::string(name));
    check_round_trip(Conf(real(name,
                               "[options]\nSyncFirst = manjaro-system archlinux-keyring manjaro-keyring\n"
                               "# 中文\n[core]\nSigLevel = PackageRequired\nServer = file:///srv\n")),
                     {"cuda", "cudnn"});
  }
}

TEST_CASE("C016: signatures are checked whatever SigLevel says") {
  check_round_trip(
      Conf(
          real("08.conf", "[options]\nHoldPkg = pacman glibc\nIgnorePkg = pacman glibc\nSigLevel = Never\n")),
      {"cuda"});
  Lab lab;
  add_option(lab, "SigLevel = Never");
  fs::remove(lab.archived("cudnn-8.0.4.30-1-x86_64.pkg.tar.zst.sig"));
  const auto untouched = lab.fingerprint(false);
  const auto result = lab.use("ampere-11.1");
  CHECK(result.status == ExitStatus::failed);
  CHECK(contains(result.err, "no signature"));
  CHECK(lab.fingerprint(false) == untouched);
}

TEST_CASE("C017: tabs and commas and quotes separate nothing") {
  const Conf conf(
      "[options]\n\tIgnorePkg\t=\tcuda\tcudnn nvidia\nIgnorePkg = nccl,gcc10 \"linux\" a\xC2\xA0"
      "b\nIgnorePkg == cuda-tools\n");
  const auto ignored = conf.ignored();
  CHECK(times(ignored, "cuda\tcudnn") == 1);
  CHECK(times(ignored, "nvidia") == 1);
  for (const auto* name : {"cuda", "cudnn", "nccl", "gcc10", "linux", "a", "b", "cuda-tools"})
    CHECK_MESSAGE(times(ignored, name) == 0, name);
  check_round_trip(conf, {"cuda", "cudnn", "linux"});
  check_round_trip(Conf(real("31.conf", "\t[options]\n\tColor\n\tIgnorePkg\t=\tlinux\n")), {"cuda"});
}

}  // namespace cudapin
