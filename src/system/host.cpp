// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/host.hpp"

#include "core/error.hpp"
#include "core/words.hpp"
#include "system/standard_output.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

std::atomic<int> signal_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note_signal(int number) { signal_seen.store(number); }

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

/// A closed one would be the next file that is opened, and what is said would be written into that.
void occupy_standard_streams() {
  int opened = 0;
  do opened = ::open("/dev/null", O_RDWR);
  while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
}

/// What is installed beside this program: PREFIX/bin/cudapin -> PREFIX/share.
fs::path installed_data() {
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "share";
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text(*variable);
    const auto equals = text.find('=');
    if (equals != text.npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace

Host Host::from_process() {
  occupy_standard_streams();
  install_handlers();
  Host host;
  host.profiles = installed_data() / "cudapin/profiles";
  host.catalogues = installed_data() / "locale";
  host.environment = process_environment();
  host.in = &std::cin;
  host.out = &std::cout;
  host.out_failure = [output = std::make_shared<StandardOutput>()] { return output->failure(); };
  host.err = &std::cerr;
  host.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  host.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  host.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  host.out_columns = [] { return terminal_columns(STDOUT_FILENO); };
  host.err_columns = [] { return terminal_columns(STDERR_FILENO); };
  host.privileged = ::geteuid() == 0;
  host.now = [] { return std::chrono::system_clock::now(); };
  host.interrupt = &signal_seen;
  return host;
}

unsigned terminal_columns(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

fs::path Host::at(std::string_view path) const {
  const auto inside = fs::path(path).lexically_normal().relative_path();
  return root / inside;
}

fs::path Host::cache_folder(std::string_view name) const {
  if (privileged) return at(state_folder) / name;
  const fs::path own = variable("XDG_CACHE_HOME");
  const fs::path home = variable("HOME");
  if (own.is_absolute()) return own / "cudapin" / name;
  return home.is_absolute() ? home / ".cache/cudapin" / name : fs::path{};
}

std::string Host::locale() const {
  for (const auto* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (auto value = variable(name); !value.empty()) return value;
  return "C";
}

std::string Host::variable(const std::string& name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string{} : found->second;
}

bool Host::takes_color(bool is_terminal) const {
  return color == "always" || (color == "auto" && is_terminal && variable("NO_COLOR").empty());
}

void Host::check_interrupt() const {
  if (interrupted()) throw Error(tr_text("interrupted"), {}, ExitStatus::interrupted);
}

}  // namespace cudapin
