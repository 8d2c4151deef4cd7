// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rolling_world.hpp"

#include "support/test_folder.hpp"
#include "support/test_keyring.hpp"
#include "support/test_root.hpp"
#include "system/child.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// The newer stage of a repository: the current packages with the new ones in place of their older versions.
std::vector<StandIn> next_stage(std::vector<StandIn> packages, Place newer) {
  for (auto& update : world_packages(newer)) {
    const auto old = std::ranges::find(packages, update.name, &StandIn::name);
    if (old == packages.end()) throw std::logic_error("an update of nothing");
    *old = update;
  }
  return packages;
}

/// The database's date says whether a client that has one needs another, so a day lies between two stages.
void write_repository(TestKeyring& keyring, const fs::path& folder, std::span<const StandIn> packages,
                      std::chrono::hours age) {
  fs::create_directories(folder);
  std::vector<SyncEntry> entries;
  for (const auto& package : packages) {
    const auto file = build_package(package, folder);
    keyring.sign(file);
    entries.push_back({package, file});
  }
  const auto database = folder / (folder.filename().string() + ".db");
  write_sync_database(database, entries);
  fs::last_write_time(database, fs::file_time_type::clock::now() - age);
}

void write_archive(TestKeyring& keyring, const fs::path& folder) {
  for (const auto& package : world_packages(Place::archive)) {
    const auto place = folder / "packages" / package.name.substr(0, 1) / package.name;
    fs::create_directories(place);
    keyring.sign(build_package(package, place));
  }
}

void write_moved(TestKeyring& keyring, const fs::path& folder, std::uint64_t cuda_bulk) {
  fs::create_directories(folder);
  for (auto package : world_packages(Place::moved)) {
    if (package.name == "cuda") package.bulk = cuda_bulk;
    keyring.sign(build_package(package, folder));
  }
}

/// A gpg folder without the sockets and locks of the agents that still run in the original.
void copy_keyring(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  fs::permissions(to, fs::perms::owner_all);
  for (const auto& entry : fs::directory_iterator(from)) {
    const auto name = entry.path().filename();
    if (entry.is_regular_file() && name.extension() != ".lock" && name.string()[0] != '.' &&
        !name.string().ends_with('~'))
      fs::copy_file(entry.path(), to / name, fs::copy_options::overwrite_existing);
  }
}

void export_packager(TestKeyring& keyring, const fs::path& file) {
  const auto exported = run_child({"gpg", "--homedir", keyring.gpg_dir().string(), "--batch", "--armor",
                                   "--export", keyring.fingerprint(TestKey::trusted)});
  if (exported.status != 0) throw std::runtime_error(exported.err);
  write_text(file, exported.out);
}

void write_file_list(const fs::path& list) {
  std::set<std::string> paths;
  using enum Place;
  for (const auto place : {core, extra, next_core, next_extra, archive, moved})
    for (const auto& package : world_packages(place))
      for (const auto& file : package.files) paths.insert("/" + file.path + "\n");
  std::string text;
  for (const auto& path : paths) text += path;
  write_text(list, text);
}

}  // namespace

void make_world(const fs::path& folder, std::uint64_t cuda_bulk) {
  if (fs::exists(folder)) throw std::runtime_error("'" + folder.string() + "' is there already");
  TestKeyring keyring;
  const auto core = world_packages(Place::core);
  const auto extra = world_packages(Place::extra);
  using std::chrono::hours;
  write_repository(keyring, folder / "repo/core", core, hours(24));
  write_repository(keyring, folder / "repo/extra", extra, hours(24));
  write_repository(keyring, folder / "repo-next/core", next_stage(core, Place::next_core), hours(0));
  write_repository(keyring, folder / "repo-next/extra", next_stage(extra, Place::next_extra), hours(0));
  write_archive(keyring, folder / "archive");
  write_moved(keyring, folder / "moved", cuda_bulk);
  export_packager(keyring, folder / "packager.asc");
  copy_keyring(keyring.gpg_dir(), folder / "keyring");
  write_file_list(folder / "files");
}

void make_installed_root(const fs::path& world, const fs::path& root) {
  const TestRoot machine;
  const std::set<std::string> wanted{
      "linux", "nvidia-open", "nvidia-utils", "opencl-nvidia", "gcc",
      "cuda",  "cudnn",       "nccl",         "htop",          "python-pytorch-cuda"};
  for (const auto place : {Place::core, Place::extra})
    for (const auto& package : world_packages(place))
      machine.install(package, wanted.count(package.name) ? Reason::explicitly : Reason::dependency);
  fs::create_directories(root.parent_path());
  fs::copy(machine.path(), root, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  copy_keyring(world / "keyring", root / "etc/pacman.d/gnupg");
}

}  // namespace cudapin
