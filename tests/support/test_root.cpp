// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_root.hpp"

#include <alpm.h>

#include <memory>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view pacman_conf_text = R"(#
# pacman.conf of a test root
#
[options]
HoldPkg = pacman glibc
Architecture = x86_64
CheckSpace
SigLevel = Required DatabaseOptional
LocalFileSigLevel = Optional
)";

struct Alpm {
  explicit Alpm(const PacmanConf& conf) {
    alpm_errno_t error = ALPM_ERR_OK;
    handle = alpm_initialize(conf.root.c_str(), conf.dbpath.c_str(), &error);
    if (!handle) throw std::runtime_error(alpm_strerror(error));
    alpm_option_add_cachedir(handle, conf.cache_dirs[0].c_str());
    alpm_option_set_logfile(handle, conf.log_file.c_str());
    alpm_option_set_hookdirs(handle, nullptr);
  }
  Alpm(const Alpm&) = delete;
  Alpm& operator=(const Alpm&) = delete;
  ~Alpm() {
    alpm_trans_release(handle);
    alpm_release(handle);
  }
  void check(bool good, std::string_view act) const {
    if (!good) throw std::runtime_error(std::string(act) + ": " + alpm_strerror(alpm_errno(handle)));
  }
  alpm_handle_t* handle;
};

}  // namespace

TestRoot::TestRoot() {
  for (const auto* folder : {"proc", "sys", "packages"}) fs::create_directories(folder_ / folder);
  for (const auto* folder : {"/var/lib/pacman/local", "/var/lib/pacman/sync", "/var/cache/pacman/pkg",
                             "/var/log", "/etc/pacman.d/hooks", "/etc/pacman.d/gnupg", "/tmp"})
    fs::create_directories(at(folder));
  fs::permissions(at("/etc/pacman.d/gnupg"), fs::perms::owner_all);
  write_text(at("/var/lib/pacman/local/ALPM_DB_VERSION"), "9\n");
  write_text(pacman_conf(), pacman_conf_text);
}

fs::path TestRoot::at(std::string_view path) const { return this->path() / fs::path(path).relative_path(); }

PacmanConf TestRoot::conf() const {
  return {.file = pacman_conf(),
          .root = path(),
          .dbpath = at("/var/lib/pacman"),
          .cache_dirs = {at("/var/cache/pacman/pkg")},
          .hook_dirs = {at("/etc/pacman.d/hooks")},
          .gpg_dir = at("/etc/pacman.d/gnupg"),
          .log_file = at("/var/log/pacman.log"),
          .architectures = {"x86_64"}};
}

void TestRoot::install(std::span<const StandIn> packages, Reason reason) const {
  const Alpm alpm(conf());
  const int flags = ALPM_TRANS_FLAG_NODEPS | ALPM_TRANS_FLAG_NOSCRIPTLET |
                    (reason == Reason::dependency ? ALPM_TRANS_FLAG_ALLDEPS : ALPM_TRANS_FLAG_ALLEXPLICIT);
  alpm.check(alpm_trans_init(alpm.handle, flags) == 0, "lock");
  for (const auto& package : packages) {
    const auto file = build_package(package, this->packages());
    alpm_pkg_t* loaded = nullptr;
    alpm.check(alpm_pkg_load(alpm.handle, file.c_str(), 1, 0, &loaded) == 0, "load");
    alpm.check(alpm_add_pkg(alpm.handle, loaded) == 0, "add");
  }
  alpm_list_t* problems = nullptr;
  alpm.check(alpm_trans_prepare(alpm.handle, &problems) == 0, "prepare");
  alpm.check(alpm_trans_commit(alpm.handle, &problems) == 0, "commit");
}

void TestRoot::install(const StandIn& package, Reason reason) const {
  install(std::span<const StandIn>(&package, 1), reason);
}

std::optional<std::string> TestRoot::installed(std::string_view name) const {
  for (const auto& entry : fs::directory_iterator(local_database())) {
    const auto folder = entry.path().filename().string();
    const auto dash = folder.rfind('-', folder.rfind('-') - 1);
    if (entry.is_directory() && folder.substr(0, dash) == name) return folder.substr(dash + 1);
  }
  return std::nullopt;
}

TestHost::TestHost(const TestRoot& root) {
  host.root = root.path();
  host.proc = root.proc();
  host.sys = root.sys();
  host.profiles = fs::path(SOURCE_DIR) / "profiles";
  host.in = &in;
  host.out = &out;
  host.err = &err;
  host.privileged = true;
  host.now = [] { return std::chrono::system_clock::from_time_t(1'704'164'645); };
  host.interrupt = &interrupt;
}

}  // namespace cudapin
