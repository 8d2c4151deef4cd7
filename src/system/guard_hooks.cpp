// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/guard_hooks.hpp"

#include "core/guard_text.hpp"
#include "core/language.hpp"
#include "core/package_class.hpp"
#include "core/text.hpp"
#include "system/guard_admin.hpp"
#include "system/guard_facts.hpp"
#include "system/guard_program.hpp"
#include "system/local_entries.hpp"
#include "system/processes.hpp"
#include "system/raw_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace cudapin::guard_hooks {

namespace fs = std::filesystem;

namespace {

constexpr unsigned deadline_seconds = 2;
constexpr std::array recorded{Operation::install, Operation::upgrade, Operation::remove};

/// What the signal handler does when time is up; known better the further the decision has come.
volatile std::sig_atomic_t blocks_at_deadline = 0;

extern "C" void end_at_deadline(int) {
  constexpr std::string_view passes =
      "cudapin-guard: warning: no decision within 2 seconds, pins and running work are NOT guarded this "
      "time\n";
  constexpr std::string_view blocked =
      "cudapin: this transaction is blocked, nothing was changed: no decision within 2 seconds, and it could "
      "break\n"
      "running work; to let it through once all the same: cudapin-guard allow --once\n";
  const auto text = blocks_at_deadline ? blocked : passes;
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(blocks_at_deadline ? guard_blocks : 0);
}

void start_deadline(bool blocks) {
  blocks_at_deadline = blocks;
  ::signal(SIGALRM, end_at_deadline);
  ::alarm(deadline_seconds);
}

/// Creates the folder; whatever stands there must be a folder of our own that nobody else can write to.
bool make_private_folder(const std::string& path) {
  struct stat info {};
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return false;
  if (::lstat(path.c_str(), &info) != 0) return false;
  errno = EPERM;
  return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 022) == 0;
}

void remove_stale_records(const std::string& folder, const std::string& current) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path() != current) fs::remove_all(entry->path(), ignored);
  }
}

bool write_record(const std::string& path, std::string_view text) {
  const raw::File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  return file.fd >= 0 && raw::write_all(file.fd, text);
}

std::string read_names() {
  std::string names;
  if (!raw::read_all(STDIN_FILENO, names))
    warn(filled(tr_text("cannot read all names: {}"), {std::strerror(errno)}));
  return names;
}

std::string lock_path(const GuardFiles& files) { return files.dbpath() + "/db.lck"; }

/// What the recording hooks noted.
std::vector<GuardTarget> recorded_targets(const std::string& folder) {
  std::vector<GuardTarget> targets;
  for (const auto operation : recorded) {
    std::string names;
    const auto path = folder + '/' + std::string(operation_word(operation));
    if (!folder.empty() && raw::read_file(path, names) == raw::Reading::failed)
      warn(filled(tr_text("cannot read {}: {}"), {path, std::strerror(errno)}));
    for (auto& name : split(names, "\n")) targets.push_back({std::move(name), operation});
  }
  return targets;
}

/// And as a `change` whatever only this hook was told. Of a transaction that a deciding hook has let pass,
/// only that is left to judge.
void add_names_on_stdin(std::vector<GuardTarget>& targets, bool only_those) {
  std::vector<std::string> known;
  for (const auto& target : targets) known.push_back(target.name);
  std::sort(known.begin(), known.end());
  if (only_those) targets.clear();
  for (auto& name : split(read_names(), "\n"))
    if (!std::binary_search(known.begin(), known.end(), name))
      targets.push_back({std::move(name), Operation::change});
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  unsigned difference = left.size() != right.size();
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    difference |= static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(right[i]);
  return difference == 0;
}

/// The environment of cudapin's own transaction holds the token that it left in a file only root can read; a
/// second word there tells what the transaction is for.
Transactor transactor(const GuardFiles& files) {
  const char* const shown = std::getenv("CUDAPIN_TOKEN");
  if (!shown) return Transactor::foreign;
  const raw::File file(::open(files.state("token").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  std::string text;
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
      (info.st_mode & 077) != 0 || !raw::read_all(file.fd, text))
    return Transactor::foreign;
  const auto words = split(text, " \n");
  if (words.empty() || words[0].size() < 32 || !equal_in_constant_time(words[0], shown))
    return Transactor::foreign;
  return words.size() > 1 && words[1] == "recovery" ? Transactor::recovery : Transactor::cudapin;
}

/// What to do when time runs out, as far as it is known by now.
void sharpen_deadline(const Host& host, const GuardInput& input) {
  const bool moves_driver =
      std::any_of(input.targets.begin(), input.targets.end(),
                  [](const GuardTarget& target) { return class_of(target.name) == PackageClass::driver; });
  const bool is_allowed =
      std::any_of(input.allowances.begin(), input.allowances.end(),
                  [&](const Allowance& one) { return one.end > input.now && one.packages.empty(); });
  blocks_at_deadline = !is_allowed && input.transactor != Transactor::recovery &&
                       (input.policy.blocks_on_error || (moves_driver && uvm_is_loaded(host)));
}

void note_allowances(const std::string& folder, const Verdict& verdict) {
  if (verdict.used.empty() || verdict.blocks) return;
  for (const auto& allowance : verdict.used)
    write_error(filled(tr_text("cudapin: let through by the allowance of {}"), {printable(allowance.owner)}) +
                '\n');
  if (!folder.empty() && !write_record(folder + "/allowances", allowances_text(verdict.used)))
    warn(filled(tr_text("cannot note in {} that an allowance was used"), {folder}));
}

void tell_passed_pins(const GuardInput& input, const std::map<std::string, std::string>& installed) {
  for (const auto& [name, version] : input.pins.versions) {
    const auto now = installed.find(name);
    if (now != installed.end() && now->second == version) continue;
    const auto repair = "cudapin use " + (input.pins.profile.empty() ? "PROFILE" : input.pins.profile);
    warn(now == installed.end() ? filled(tr_text("pinned {} {} is no longer installed; to bring it back: {}"),
                                         {name, version, repair})
                                : filled(tr_text("pinned {} {} is now {}; to bring it back: {}"),
                                         {name, version, now->second, repair}));
  }
}

void tell_unmatched_driver(const Host& host, const std::map<std::string, std::string>& installed) {
  const auto text = raw::read_at(AT_FDCWD, (host.sys / "module/nvidia/version").c_str(), 64);
  const auto loaded = trim(text);
  const auto utils = installed.find("nvidia-utils");
  if (loaded.empty() || utils == installed.end()) return;
  auto version = std::string_view(utils->second);
  version.remove_prefix(version.find(':') == version.npos ? 0 : version.find(':') + 1);
  version = version.substr(0, version.rfind('-'));
  if (version != loaded)
    warn(filled(tr_text("the loaded driver is {} and nvidia-utils is {}: what runs goes on, new GPU "
                        "processes fail until the machine is rebooted"),
                {loaded, version}));
}

}  // namespace

void write_error(std::string_view text) { (void)raw::write_all(STDERR_FILENO, text); }

void warn(const std::string& text) {
  write_error(filled(tr_text("cudapin-guard: warning: {}"), {printable(text)}) + '\n');
}

int record(const GuardFiles& files, std::string_view operation) {
  start_deadline(false);
  const auto names = read_names();
  const auto folder = files.transaction();
  if (folder.empty()) {
    warn(filled(tr_text("no {}, what is to happen is not recorded"), {lock_path(files)}));
    return 0;
  }
  if (!make_private_folder(files.records()) || !make_private_folder(folder) ||
      !write_record(folder + '/' + std::string(operation), names))
    warn(filled(tr_text("cannot record in {}: {}"), {folder, std::strerror(errno)}));
  remove_stale_records(files.records(), folder);
  return 0;
}

namespace {

/// Counted for whoever watches over the machine, unsynced: how that goes changes nothing about the decision.
void count_block(const GuardFiles& files, std::int64_t now) {
  blocks_at_deadline = 1;
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const raw::File file(::open((files.root() + "/var/lib/cudapin/blocked").c_str(), flags, 0644));
  if (file.fd >= 0) (void)raw::write_all(file.fd, std::to_string(now) + '\n');
}

int decide_on(const GuardFiles& files, const Host& host, GuardInput& input) {
  const auto folder = files.transaction();
  if (folder.empty())
    warn(filled(tr_text("no {}, records of this transaction cannot be found"), {lock_path(files)}));
  input.targets = recorded_targets(folder);
  input.transactor = transactor(files);
  const bool is_whole = files.read(input);
  sharpen_deadline(host, input);
  const auto passed = folder + "/passed";
  add_names_on_stdin(input.targets, !folder.empty() && ::access(passed.c_str(), F_OK) == 0);
  sharpen_deadline(host, input);
  const auto verdict = cudapin::decide(
      files, host, [&] { return package_files_of_ancestors(host); }, input);
  if (!verdict.lines.empty()) write_error(join(verdict.lines, "\n") + '\n');
  if (verdict.blocks) {
    count_block(files, input.now);
    return guard_blocks;
  }
  note_allowances(folder, verdict);
  if (!is_whole && input.policy.blocks_on_error && input.transactor == Transactor::foreign) {
    write_error(tr_text("cudapin: this transaction is blocked: guard.conf says on-error = block\n"));
    return guard_blocks;
  }
  if (!folder.empty()) write_record(passed, "");
  return 0;
}

}  // namespace

int decide(const GuardFiles& files, const Host& host) {
  GuardInput input;
  try {
    input.policy = files.policy();
    start_deadline(input.policy.blocks_on_error);
    return decide_on(files, host, input);
  } catch (const std::exception& failure) {
    warn((blocks_at_deadline ? tr_text("cannot decide: ") : tr_text("NOT guarded this time: ")) +
         std::string(failure.what()));
    return blocks_at_deadline ? guard_blocks : 0;
  }
}

int after(const GuardFiles& files, const Host& host) {
  start_deadline(false);
  GuardInput input;
  files.read(input);
  std::string text;
  const auto folder = files.transaction();
  if (!folder.empty() && raw::read_file(folder + "/allowances", text) == raw::Reading::done) {
    if (const auto used = parse_allowances(text))
      guard_admin::use_up(files, guard_admin::from_process(), *used);
    ::unlink((folder + "/allowances").c_str());
  }
  const auto installed = installed_versions(files.dbpath());
  if (transactor(files) == Transactor::foreign) tell_passed_pins(input, installed);
  tell_unmatched_driver(host, installed);
  return 0;
}

}  // namespace cudapin::guard_hooks
