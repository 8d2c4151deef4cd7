// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/guard_program.hpp"

#include "core/guard.hpp"
#include "core/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr unsigned deadline_seconds = 2;
constexpr std::size_t size_limit = 4u << 20;
constexpr std::array recorded{Operation::install, Operation::upgrade, Operation::remove};

void write_error(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void warn(const std::string& text) { write_error("cudapin-guard: warning: " + printable(text) + '\n'); }

extern "C" void pass_at_deadline(int) {
  constexpr std::string_view text =
      "cudapin-guard: warning: no decision within 2 seconds, the pins are NOT guarded this time\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(0);
}

/// A descriptor that closes itself. (The tool's Fd comes with OpenSSL, which the guard must do without.)
struct Descriptor {
  explicit Descriptor(int opened) : fd(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

/// Reads to the end; false on an error (errno tells) or beyond the limit.
bool read_all(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  for (;;) {
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    errno = EFBIG;
    if (text.size() > size_limit) return false;
  }
}

enum class Reading { done, missing, failed };

Reading read_file_text(const std::string& path, std::string& text) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.fd < 0) return errno == ENOENT ? Reading::missing : Reading::failed;
  return read_all(file.fd, text) ? Reading::done : Reading::failed;
}

/// The guard's files, below the root that holds them.
class Files {
 public:
  explicit Files(std::string root) : root_(std::move(root)) {}

  std::string state(std::string_view name) const {
    return root_ + "/var/lib/cudapin/guard/" + std::string(name);
  }
  std::string records() const { return root_ + "/run/cudapin"; }
  std::string lock() const {
    std::string dbpath;
    if (read_file_text(state("dbpath"), dbpath) != Reading::done || !dbpath.starts_with('/'))
      dbpath = "/var/lib/pacman";
    return root_ + (fs::path(trim(dbpath)) / "db.lck").string();
  }
  /// The folder of the transaction that holds the lock now, or empty: the same in all of its hooks.
  std::string transaction() const {
    struct stat info {};
    if (::lstat(lock().c_str(), &info) != 0) return {};
    return records() + '/' + std::to_string(info.st_ino) + '-' + std::to_string(info.st_ctim.tv_sec) + '.' +
           std::to_string(info.st_ctim.tv_nsec);
  }

 private:
  std::string root_;
};

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
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.fd < 0) return false;
  while (!text.empty()) {
    const auto written = ::write(file.fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_names() {
  std::string names;
  if (!read_all(STDIN_FILENO, names)) warn(std::string("cannot read all names: ") + std::strerror(errno));
  return names;
}

int record(const Files& files, std::string_view operation) {
  const auto names = read_names();
  const auto folder = files.transaction();
  if (folder.empty()) {
    warn("no " + files.lock() + ", what is to happen is not recorded");
    return 0;
  }
  if (!make_private_folder(files.records()) || !make_private_folder(folder) ||
      !write_record(folder + '/' + std::string(operation), names))
    warn("cannot record in " + folder + ": " + std::strerror(errno));
  remove_stale_records(files.records(), folder);
  return 0;
}

/// What the recording hooks noted, and as a `change` whatever only this hook was told.
std::vector<GuardTarget> read_targets(const Files& files) {
  std::vector<GuardTarget> targets;
  const auto folder = files.transaction();
  if (folder.empty()) warn("no " + files.lock() + ", records of this transaction cannot be found");
  for (const auto operation : recorded) {
    std::string names;
    const auto path = folder + '/' + std::string(operation_word(operation));
    if (!folder.empty() && read_file_text(path, names) == Reading::failed)
      warn("cannot read " + path + ": " + std::strerror(errno));
    for (auto& name : split(names, "\n")) targets.push_back({std::move(name), operation});
  }
  std::vector<std::string> known;
  for (const auto& target : targets) known.push_back(target.name);
  std::sort(known.begin(), known.end());
  for (auto& name : split(read_names(), "\n"))
    if (!std::binary_search(known.begin(), known.end(), name))
      targets.push_back({std::move(name), Operation::change});
  return targets;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  unsigned difference = left.size() != right.size();
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    difference |= static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(right[i]);
  return difference == 0;
}

/// Whether the environment holds the token that cudapin left in a file only its owner, root, can read.
bool is_own_transaction(const Files& files) {
  const char* const shown = std::getenv("CUDAPIN_TOKEN");
  if (!shown) return false;
  const Descriptor file(::open(files.state("token").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  std::string token;
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
      (info.st_mode & 077) != 0 || !read_all(file.fd, token))
    return false;
  const auto expected = trim(token);
  return expected.size() >= 32 && equal_in_constant_time(expected, shown);
}

int decide(const Files& files) {
  const auto targets = read_targets(files);
  const auto path = files.state("pins");
  std::string text;
  const auto reading = read_file_text(path, text);
  if (reading == Reading::missing) return 0;
  const auto pins = reading == Reading::done ? parse_pin_state(text) : std::nullopt;
  if (!pins) {
    warn(path + " cannot be read or is garbled, the pins are NOT guarded; to repair: cudapin use PROFILE");
    return 0;
  }
  const auto verdict = judge({targets, *pins, is_own_transaction(files)});
  if (!verdict.lines.empty()) write_error(join(verdict.lines, "\n") + '\n');
  return verdict.blocks ? guard_blocks : 0;
}

int run_verb(std::span<char* const> arguments) {
  std::vector<std::string_view> words(arguments.begin(), arguments.end());
  std::string root;
  if (words.size() > 2 && words[0] == "--root") {
    root = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  const Files files(root);
  if (words.size() == 1 && words[0] == "decide") return decide(files);
  for (const auto operation : recorded)
    if (words.size() == 2 && words[0] == "record" && words[1] == operation_word(operation))
      return record(files, words[1]);
  write_error(
      "usage: cudapin-guard [--root DIR] record install|upgrade|remove\n"
      "       cudapin-guard [--root DIR] decide\n");
  return 2;
}

}  // namespace

int run_guard(std::span<char* const> arguments) {
  ::signal(SIGALRM, pass_at_deadline);
  ::alarm(deadline_seconds);
  try {
    return run_verb(arguments);
  } catch (const std::exception& failure) {
    warn(std::string("the pins are NOT guarded: ") + failure.what());
    return 0;
  }
}

}  // namespace cudapin
