// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/lab.hpp"

#include "commands/run.hpp"
#include "support/rolling_world.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// Keys cost a second; one keyring serves every lab of a test program.
TestKeyring& shared_keyring() {
  static TestKeyring keyring;
  return keyring;
}

void build_signed(const StandIn& package, const fs::path& folder, TestKeyring& keyring, TestKey key) {
  fs::create_directories(folder);
  keyring.sign(build_package(package, folder), key);
}

/// Signing takes longer than all else: the rolling world's old packages are built once and copied.
const fs::path& world_archive(Place place) {
  static const TestFolder folder;
  static const fs::path archive = folder / "archive";
  static const fs::path moved = folder / "moved";
  const auto& target = place == Place::moved ? moved : archive;
  if (fs::exists(target)) return target;
  for (const auto& package : world_packages(place)) {
    const auto shelf =
        place == Place::moved ? target : target / "packages" / package.name.substr(0, 1) / package.name;
    build_signed(package, shelf, shared_keyring(), TestKey::trusted);
  }
  return target;
}

std::vector<StandIn> installed_world() {
  auto packages = world_packages(Place::core);
  const auto extra = world_packages(Place::extra);
  packages.insert(packages.end(), extra.begin(), extra.end());
  return packages;
}

std::string entry_line(const fs::path& path) {
  struct stat info {};
  ::lstat(path.c_str(), &info);
  return fmt::format("{} {:o} {} {}.{:09}\n", path.string(), info.st_mode,
                     S_ISDIR(info.st_mode) ? 0 : info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace

Lab::Lab()
    : keyring(shared_keyring()),
      server((fs::copy(world_archive(Place::archive), archive_folder / "a", fs::copy_options::recursive),
              archive_folder / "a"),
             (fs::copy(world_archive(Place::moved), moved_folder / "m", fs::copy_options::recursive),
              moved_folder / "m")),
      proc(root.proc()) {
  root.install(installed_world());
  copy_keyring();
  fs::create_directories(proc / "driver/nvidia");
  write_text(proc / "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release Build\n");
}

/// Without the sockets of gpg's agents.
void Lab::copy_keyring() const {
  const auto target = root.at("/etc/pacman.d/gnupg");
  for (const auto& entry : fs::recursive_directory_iterator(keyring.gpg_dir())) {
    const auto path = target / entry.path().lexically_relative(keyring.gpg_dir());
    if (entry.is_directory()) fs::create_directories(path);
    if (entry.is_regular_file()) fs::copy_file(entry.path(), path, fs::copy_options::overwrite_existing);
  }
}

void Lab::fill_cache() const {
  for (const auto& file : fs::directory_iterator(root.packages()))
    fs::copy(file.path(), root.at("/var/cache/pacman/pkg") / file.path().filename());
}

void Lab::sign(const fs::path& file, TestKey key) {
  keyring.sign(file, key);
  copy_keyring();
}

RunResult Lab::cudapin(std::vector<std::string> args) {
  TestHost test(root);
  test.in.str(answers);
  test.host.in_is_terminal = terminal;
  test.host.privileged = privileged;
  test.host.card_library = card_library;
  test.host.interrupt = &interrupt;
  test.host.on_step = on_step;
  for (const auto& [name, value] : environment) test.host.environment[name] = value;
  if (!now.empty())
    test.host.now = [moment = std::stoll(now)] { return std::chrono::system_clock::from_time_t(moment); };
  test.host.profiles = fs::path(SOURCE_DIR) / "profiles";
  const bool is_use = !args.empty() && args[0] == "use";
  const auto given = [&](const char* option) { return std::ranges::find(args, option) != args.end(); };
  if (is_use && !given("--archive")) args.insert(args.end(), {"--archive", server.url()});
  if (is_use && !given("--gpu") && !find_card) args.insert(args.end(), {"--gpu", "RTX 3090"});
  args.insert(args.end(), {"--root", root.path().string()});
  const auto status = run(args, test.host);
  return {status, test.out.str(), test.err.str()};
}

RunResult Lab::use(const std::string& profile, std::vector<std::string> more) {
  more.insert(more.begin(), {"use", profile, "--noconfirm"});
  return cudapin(more);
}

fs::path Lab::add_to_archive(const StandIn& package, TestKey key) {
  const auto shelf = archive_folder / "a/packages" / package.name.substr(0, 1) / package.name;
  build_signed(package, shelf, keyring, key);
  return shelf / package.file_name();
}

fs::path Lab::archived(const std::string& file) const {
  for (const auto& folder : {archive_folder / "a", moved_folder / "m"})
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().filename() == file) return entry.path();
  throw std::logic_error("no such file in the archive: " + file);
}

std::string Lab::pacman_conf() const { return read_file(root.pacman_conf()); }

std::string Lab::fingerprint(bool with_state) const {
  std::set<std::string> lines;
  const auto state = root.at("/var/lib/cudapin");
  for (auto entry = fs::recursive_directory_iterator(root.path());
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (!with_state && entry->path() == state) {
      entry.disable_recursion_pending();
      continue;
    }
    // Taking a lock or checking one makes and removes files here; what is in the folders counts.
    if (!fs::is_directory(entry->symlink_status()) || with_state) lines.insert(entry_line(entry->path()));
  }
  std::string text;
  for (const auto& line : lines) text += line;
  return text;
}

}  // namespace cudapin
