// SPDX-License-Identifier: GPL-3.0-or-later
// What comes from the network is taken apart where a mistake in a decoder is worth nothing: in a child that
// owns no file. It is forked and not started anew, so it has what it needs in memory, and the files that it
// may write are those that it was left with.
#include "system/unprivileged.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_message = 256u << 20;
constexpr int look_every = 100;  // milliseconds, for a signal that came between two looks

struct Identity {
  std::string name;
  uid_t user;
  gid_t group;
};

Identity identity() {
  for (const auto* name : {"alpm", "nobody"})
    if (const auto* entry = ::getpwnam(name)) return {name, entry->pw_uid, entry->pw_gid};
  return {"nobody", 65534, 65534};
}

/// Whether the user namespace has the number; a kernel without namespaces has them all.
bool is_mapped(const fs::path& map, std::uint64_t id) {
  const auto lines = split(read_file_if_exists(map), "\n");
  return lines.empty() || std::ranges::any_of(lines, [&](const std::string& line) {
           const auto words = split(line, " ");
           const auto first = std::stoull(words.at(0));
           return id >= first && id - first < std::stoull(words.at(2));
         });
}

/// Asked of the kernel itself: under fakeroot the library says yes.
bool rules_over(const Identity& who) {
  return ::syscall(SYS_geteuid) == 0 && is_mapped("/proc/self/uid_map", who.user) &&
         is_mapped("/proc/self/gid_map", who.group);
}

void close_all_but(std::span<const int> files, int pipe) {
  std::vector<int> open;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored))
    open.push_back(std::stoi(entry.path().filename().string()));
  for (const int fd : open)
    if (fd > STDERR_FILENO && fd != pipe && std::ranges::find(files, fd) == files.end()) ::close(fd);
}

/// A change of user takes back the death with the parent, which so comes last.
void become(const Identity& who, pid_t parent) {
  const bool is_done = ::setgroups(0, nullptr) == 0 && ::setresgid(who.group, who.group, who.group) == 0 &&
                       ::setresuid(who.user, who.user, who.user) == 0 &&
                       ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                       ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  if (!is_done)
    throw Error(tr("cannot become the user '{}': {}", who.name, std::strerror(errno)),
                tr_text("root needs the capabilities CAP_SETUID and CAP_SETGID here"));
  if (::setuid(0) == 0) throw Error(tr("the user '{}' can become root again", who.name));
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
}

std::atomic<int> signal_seen{0};

extern "C" void note_signal_here(int number) { signal_seen.store(number); }

/// The signals that ask for an end, held back while it lives: they come to who is ready for them.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int number : ends) sigaddset(&held, number);
    ::sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Makes them set the flag of this process.
  static void note_here() {
    struct sigaction action {};
    action.sa_handler = note_signal_here;
    sigemptyset(&action.sa_mask);
    for (const int number : ends) ::sigaction(number, &action, nullptr);
  }

 private:
  static constexpr std::array ends{SIGINT, SIGTERM, SIGHUP};
  sigset_t before_{};
};

Host without_streams(const Host& host) {
  auto own = host;
  own.in = nullptr;
  own.out = own.err = nullptr;
  return own;
}

/// What a message is, and how long: this much before each.
enum class Kind : std::uint32_t { told, result, error };
struct Head {
  Kind kind;
  std::uint32_t size;
};

void send(int pipe, Kind kind, const Message& message) {
  std::string frame(sizeof(Head), '\0');
  Message::to_cbor(message, frame);
  const Head head{kind, static_cast<std::uint32_t>(frame.size() - sizeof head)};
  std::memcpy(frame.data(), &head, sizeof head);
  if (!write_all(pipe, frame)) ::_exit(EXIT_FAILURE);  // nobody is there to be told
}

void send_error(int pipe, const std::string& text, const std::string& hint, ExitStatus status) {
  send(pipe, Kind::error, {{"error", text}, {"hint", hint}, {"status", static_cast<int>(status)}});
}

[[noreturn]] void be_child(const Host& host, std::span<const int> files, const UnprivilegedWork& work,
                           int pipe, const Identity& who, pid_t parent) {
  auto own = without_streams(host);
  own.interrupt = &signal_seen;
  own.privileged = false;
  try {
    close_all_but(files, pipe);
    become(who, parent);
    send(pipe, Kind::result, work(own, [&](const Message& told) { send(pipe, Kind::told, told); }));
  } catch (const Error& error) {
    send_error(pipe, error.what(), error.hint, error.status);
  } catch (const std::exception& error) {
    send_error(pipe, error.what(), {}, ExitStatus::failed);
  }
  ::_exit(EXIT_SUCCESS);
}

/// The child, which does not outlive its owner.
class Child {
 public:
  Child(pid_t pid, Fd pipe) : pid_(pid), pipe_(std::move(pipe)) {}
  ~Child() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Takes what it tells until it has said its last; nothing when it ended without that.
  std::optional<Message> listen(const Host& host, const Tell& take);
  /// How it ended.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  bool read_more(const Host& host);
  std::optional<std::pair<Kind, Message>> next_message();
  void pass_on_interrupt(const Host& host);

  pid_t pid_;
  Fd pipe_;
  std::string read_;
  bool is_interrupted_ = false;
};

void Child::pass_on_interrupt(const Host& host) {
  if (is_interrupted_ || !host.interrupted()) return;
  is_interrupted_ = true;
  ::kill(pid_, SIGTERM);
}

/// False at the end.
bool Child::read_more(const Host& host) {
  for (;;) {
    pass_on_interrupt(host);
    pollfd waiting{pipe_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, look_every) <= 0) continue;
    std::array<char, 64 << 10> buffer;
    const auto got = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) read_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
}

/// Nothing while it is not whole.
std::optional<std::pair<Kind, Message>> Child::next_message() {
  Head head{};
  if (read_.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, read_.data(), sizeof head);
  if (head.size > largest_message) throw Error(tr_text("the unprivileged process says too much"));
  const auto end = sizeof head + head.size;
  if (read_.size() < end) return std::nullopt;
  auto message = Message::from_cbor(read_.data() + sizeof head, read_.data() + end);
  read_.erase(0, end);
  return std::pair(head.kind, std::move(message));
}

std::optional<Message> Child::listen(const Host& host, const Tell& take) {
  while (read_more(host))
    while (auto next = next_message()) {
      auto& [kind, message] = *next;
      if (kind == Kind::result) return std::move(message);
      if (kind == Kind::error)
        throw Error(message.at("error").get<std::string>(), message.at("hint").get<std::string>(),
                    static_cast<ExitStatus>(message.at("status").get<int>()));
      if (take) take(message);
    }
  return std::nullopt;
}

pid_t fork_child(const Host& host, std::span<const int> files, const UnprivilegedWork& work, int pipe,
                 const Identity& who) {
  const auto parent = ::getpid();
  const auto pid = [] {
    const HeldSignals held;
    const auto child = ::fork();
    if (child == 0) HeldSignals::note_here();
    return child;
  }();
  if (pid < 0) throw Error(tr("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) be_child(host, files, work, pipe, who, parent);
  return pid;
}

[[noreturn]] void tell_of_death(int status) {
  const auto how = WIFSIGNALED(status) ? std::string(::strsignal(WTERMSIG(status)))
                                       : tr("exit status {}", WEXITSTATUS(status));
  throw Error(tr("the unprivileged process has died: {}", how), tr_text("run the same command again"));
}

}  // namespace

bool makes_child() { return rules_over(identity()); }

Message run_unprivileged(const Host& host, std::span<const int> files, const UnprivilegedWork& work,
                         const Tell& take) {
  const auto who = identity();
  if (!rules_over(who))
    return work(without_streams(host), [&](const Message& told) { take ? take(told) : void(); });
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(tr("cannot create a pipe: {}", std::strerror(errno)));
  Fd out(ends[0]);
  Fd in(ends[1]);
  Child child(fork_child(host, files, work, in.get(), who), std::move(out));
  in = Fd();
  try {
    auto last = child.listen(host, take);
    const auto status = child.wait();
    if (!last) tell_of_death(status);
    return std::move(*last);
  } catch (const Message::exception&) {
    throw Error(tr_text("the unprivileged process does not make sense"));
  }
}

}  // namespace cudapin
