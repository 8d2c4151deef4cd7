// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/pacman_conf.hpp"

#include "core/error.hpp"
#include "core/pins.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <fstream>
#include <regex>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> some{"cuda", "cuda-tools", "cudnn"};

/// A Host on a fresh root folder that holds nothing but pacman.conf.
struct ConfRoot {
  explicit ConfRoot(const std::string& conf_text) {
    host.root = ::mkdtemp(folder.data());
    fs::create_directories(host.at("/etc"));
    write(file(), conf_text);
  }
  ~ConfRoot() { fs::remove_all(folder); }

  fs::path file() const { return host.at("/etc/pacman.conf"); }
  std::string text() const { return read_file(file()); }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::string folder = (fs::temp_directory_path() / "pacman_conf-XXXXXX").string();
  Host host;
};

std::string own(const std::string& name) { return read_file(fs::path(TEST_DATA) / "pacman-conf" / name); }

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool holds_all(const std::vector<std::string>& listed, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& name) {
    return std::find(listed.begin(), listed.end(), name) != listed.end();
  });
}

/// The file pinned, pinned again and released: effective each time, and byte for byte itself at the end.
void check_pin_and_release(const std::string& text) {
  const ConfRoot root(text);
  const auto before = read_pacman_conf(root.host);
  CHECK(write_pins(root.host, some));
  const auto pinned = root.text();
  CHECK(pins_in(pinned) == some);
  const auto after = read_pacman_conf(root.host);
  CHECK(holds_all(after.ignore_pkg, some));
  CHECK(holds_all(after.ignore_pkg, before.ignore_pkg));
  CHECK(after.ignore_pkg.size() == before.ignore_pkg.size() + some.size());
  CHECK(!write_pins(root.host, some));
  CHECK(root.text() == pinned);
  CHECK(write_pins(root.host, {}));
  CHECK(root.text() == text);
  CHECK(read_pacman_conf(root.host).ignore_pkg == before.ignore_pkg);
}

}  // namespace

TEST_CASE("pacman_conf: what pacman-conf prints is read and put below the root") {
  const ConfRoot root(own("two-options.conf"));
  const auto conf = read_pacman_conf(root.host);
  CHECK(conf.root == root.host.root);
  CHECK(conf.dbpath == root.host.at("/usr/lib/holo/pacmandb/"));
  CHECK(conf.cache_dirs == std::vector<fs::path>{root.host.at("/var/cache/pacman/pkg/"),
                                                 root.host.at("/home/user/packages"),
                                                 root.host.at("/srv/cache")});
  CHECK(conf.hook_dirs == std::vector<fs::path>{"~/hooks/"});
  CHECK(conf.gpg_dir == root.host.at("/etc/pacman.d/gnupg/"));
  CHECK(conf.log_file == root.host.at("/var/log/pacman.log"));
  CHECK(conf.ignore_pkg == std::vector<std::string>{"cuda", "cuda", "*linux*"});
  CHECK(conf.ignore_group == std::vector<std::string>{"gnome"});
  CHECK(conf.no_extract == std::vector<std::string>{"usr/share/help/*"});
  CHECK(conf.no_upgrade == std::vector<std::string>{"etc/passwd"});
}

TEST_CASE("pacman_conf: defaults are filled in") {
  const ConfRoot root("[options]\nArchitecture = auto\n");
  const auto conf = read_pacman_conf(root.host);
  CHECK(conf.dbpath == root.host.at("/var/lib/pacman/"));
  CHECK(conf.cache_dirs == std::vector<fs::path>{root.host.at("/var/cache/pacman/pkg/")});
  CHECK(conf.hook_dirs == std::vector<fs::path>{root.host.at("/etc/pacman.d/hooks/")});
  REQUIRE(conf.architectures.size() == 1);
  CHECK(conf.architectures[0] != "auto");
}

TEST_CASE("pacman_conf: own files are pinned and released byte for byte") {
  for (const auto* name :
       {"stock.conf", "crlf-no-final-newline.conf", "tabs.conf", "two-options.conf", "header-only.conf"}) {
    CAPTURE(name);
    check_pin_and_release(own(name));
  }
}

TEST_CASE("pacman_conf: real files are pinned and released byte for byte or refused untouched") {
  if (!fs::is_directory(REAL_CONFIGURATIONS)) {
    MESSAGE("skipped: no files in " REAL_CONFIGURATIONS);
    return;
  }
  const std::regex include_path("(\n[ \t]*Include *= *)/");
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const auto& entry : fs::directory_iterator(REAL_CONFIGURATIONS)) {
    if (entry.path().extension() != ".conf") continue;
    const auto name = entry.path().filename().string();
    CAPTURE(name);
    const auto raw = read_file(entry.path());
    if (name != "09.conf") CHECK(without_pins(with_pins(raw, some)) == raw);
    const bool is_refused = name == "09.conf" || name == "23.conf";
    if (!is_refused) {
      check_pin_and_release(std::regex_replace(raw, std::regex("(\n[ \t]*Include *=).*"), "$1 /dev/null"));
      ++accepted;
      continue;
    }
    // Included files are looked for on the host whatever the root is.
    const auto text = std::regex_replace(raw, include_path, "$1" TEST_DATA "/pacman-conf/included/");
    const ConfRoot root(text);
    const auto reason = message_of([&] { write_pins(root.host, some); });
    CHECK(reason.starts_with("pacman refuses its configuration: config file "));
    CHECK(reason.find("error parsing") == std::string::npos);
    CHECK(root.text() == text);
    ++refused;
  }
  CHECK(accepted >= 19);
  CHECK(refused == 2);
}

TEST_CASE("pacman_conf: a refused file is left alone and pacman's reason is given") {
  const ConfRoot root(own("refused.conf"));
  CHECK(message_of([&] { write_pins(root.host, some); }) ==
        "pacman refuses its configuration: config file " + root.file().string() +
            ", line 4: invalid value for 'SigLevel' : 'Sometimes'");
  CHECK(root.text() == own("refused.conf"));
  const ConfRoot include(own("no-section.conf"));
  CHECK(message_of([&] { write_pins(include.host, some); })
            .starts_with("pacman refuses its configuration: config file /etc/pacman.d/options.conf "
                         "could not be read: "));
  CHECK(include.text() == own("no-section.conf"));
}

TEST_CASE("pacman_conf: a file without an options header is refused before it is touched") {
  const ConfRoot root("Include = /dev/null\n");
  CHECK_THROWS_AS(write_pins(root.host, some), Error);
  CHECK(root.text() == "Include = /dev/null\n");
}

TEST_CASE("pacman_conf: a block that pacman does not take is undone") {
  // pacman reads 4,095 bytes of a line: this header is two unknown directives of [core] to it.
  const auto text = "[core]\nServer = file:///srv\n" + std::string(4090, ' ') + "[options]\nColor\n";
  const ConfRoot root(text);
  const auto reason = message_of([&] { write_pins(root.host, some); });
  CHECK(reason.find("lacks 'cuda', 'cuda-tools', 'cudnn'") != std::string::npos);
  CHECK(root.text() == text);
}

TEST_CASE("pacman_conf: names behind a pattern or in a longer name count as missing") {
  const ConfRoot root("[options]\nIgnorePkg = cuda* cuda-tools\n");
  CHECK(write_pins(root.host, std::vector<std::string>{"cuda"}));
  CHECK(read_pacman_conf(root.host).ignore_pkg == std::vector<std::string>{"cuda", "cuda*", "cuda-tools"});
}

TEST_CASE("pacman_conf: mode and attributes and links are kept and nothing stays beside the file") {
  const ConfRoot root(own("stock.conf"));
  const auto target = root.host.at("/etc/dotfiles.conf");
  fs::rename(root.file(), target);
  fs::create_symlink("dotfiles.conf", root.file());
  ::chmod(target.c_str(), 0640);
  const bool attributes = ::setxattr(target.c_str(), "user.origin", "x", 1, 0) == 0;
  CHECK(write_pins(root.host, some));
  CHECK(fs::is_symlink(root.file()));
  CHECK(pins_in(read_file(target)) == some);
  CHECK((fs::status(target).permissions() & fs::perms::mask) == fs::perms(0640));
  char value = 0;
  if (attributes) CHECK(::getxattr(target.c_str(), "user.origin", &value, 1) == 1);
  CHECK(std::distance(fs::directory_iterator(root.host.at("/etc")), fs::directory_iterator{}) == 2);
}

TEST_CASE("pacman_conf: a file that is right already is not written") {
  const ConfRoot root(own("stock.conf"));
  write_pins(root.host, some);
  struct stat before {};
  struct stat after {};
  ::stat(root.file().c_str(), &before);
  CHECK(!write_pins(root.host, some));
  ::stat(root.file().c_str(), &after);
  CHECK(before.st_ino == after.st_ino);
  CHECK(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
}

TEST_CASE("pacman_conf: a link that leaves the root is not followed") {
  const ConfRoot outside(own("stock.conf"));
  const ConfRoot root("");
  fs::remove(root.file());
  fs::create_symlink(outside.file(), root.file());
  CHECK(message_of([&] { write_pins(root.host, some); }).find("outside of the root") != std::string::npos);
  CHECK(outside.text() == own("stock.conf"));
}

TEST_CASE("pacman_conf: an immutable file is refused with the reason") {
  const ConfRoot root(own("stock.conf"));
  const auto fd = open_file(root.file(), O_RDONLY);
  int flags = 0;
  const bool has_flags = ::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) == 0;
  int immutable = flags | FS_IMMUTABLE_FL;
  if (!has_flags || ::ioctl(fd.get(), FS_IOC_SETFLAGS, &immutable) != 0) {
    MESSAGE("skipped: files cannot be made immutable here");
    return;
  }
  const auto reason = message_of([&] { write_pins(root.host, some); });
  ::ioctl(fd.get(), FS_IOC_SETFLAGS, &flags);
  CHECK(reason == "cannot change '" + root.file().string() + "': it is immutable");
  CHECK(root.text() == own("stock.conf"));
}

}  // namespace cudapin
