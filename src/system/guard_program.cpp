// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/guard_program.hpp"

#include "core/error.hpp"
#include "core/guard_text.hpp"
#include "core/language.hpp"
#include "core/text.hpp"
#include "system/guard_admin.hpp"
#include "system/guard_hooks.hpp"

#include <climits>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

namespace {

using Words = std::vector<std::string>;

constexpr const char* usage = tr_later(
    "usage: cudapin-guard [--root DIR] record install|upgrade|remove\n"
    "       cudapin-guard [--root DIR] decide | after\n"
    "       cudapin-guard [--root DIR] freeze --for TIME --reason TEXT [--package NAME]...\n"
    "       cudapin-guard [--root DIR] thaw [--package NAME]...\n"
    "       cudapin-guard [--root DIR] allow --once | --for TIME [--package NAME]...\n"
    "       cudapin-guard [--root DIR] check [NAME]...\n");

struct WrongUsage {};

/// Options of the admin's verbs; what a verb does not take is wrong.
struct AdminOptions {
  bool once = false;
  std::int64_t seconds = 0;
  std::string reason;
  Words packages;
};

AdminOptions parse_options(const Words& words, std::string_view known) {
  AdminOptions options;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto& word = words[i];
    const bool is_known = known.find(word + ' ') != known.npos;
    if (!is_known || (word != "--once" && i + 1 == words.size())) throw WrongUsage{};
    if (word == "--once") {
      options.once = true;
    } else if (word == "--for") {
      const auto seconds = parse_duration(words[++i]);
      if (!seconds)
        throw Error(filled(tr_text("'{}' is no time"), {words[i]}),
                    tr_text("--for 3d, --for 2h or --for 10m"), ExitStatus::usage);
      options.seconds = *seconds;
    } else if (word == "--reason") {
      options.reason = words[++i];
    } else {
      options.packages.push_back(words[++i]);
    }
  }
  return options;
}

void say(const std::string& line) { (void)!::write(STDOUT_FILENO, (line + '\n').data(), line.size() + 1); }

int freeze(const Words& words, const GuardFiles& files) {
  const auto options = parse_options(words, "--for --reason --package ");
  if (options.seconds == 0 || trim(options.reason).empty()) throw WrongUsage{};
  say(guard_admin::freeze(files, guard_admin::from_process(),
                          {options.seconds, options.reason, options.packages}));
  return 0;
}

int thaw(const Words& words, const GuardFiles& files) {
  say(guard_admin::thaw(files, guard_admin::from_process(), parse_options(words, "--package ").packages));
  return 0;
}

int allow(const Words& words, const GuardFiles& files) {
  const auto options = parse_options(words, "--once --for --package ");
  if (options.once == (options.seconds > 0)) throw WrongUsage{};
  say(guard_admin::allow(files, guard_admin::from_process(),
                         {options.once, options.seconds, options.packages}));
  return 0;
}

int check(const Words& words, const GuardFiles& files, const Host& host) {
  GuardInput input;
  const auto verdict = guard_admin::check(files, host, {words.begin() + 1, words.end()}, input);
  if (!verdict.blocks) say(tr_text("nothing would be blocked"));
  for (const auto& line : verdict.lines) say(line);
  return verdict.blocks ? guard_blocks : 0;
}

int run_verb(const Words& words, const GuardFiles& files, const Host& host) {
  if (words.size() == 1 && words[0] == "decide") return guard_hooks::decide(files, host);
  if (words.size() == 1 && words[0] == "after") return guard_hooks::after(files, host);
  if (words.size() == 2 && words[0] == "record")
    for (const auto* operation : {"install", "upgrade", "remove"})
      if (words[1] == operation) return guard_hooks::record(files, words[1]);
  if (!words.empty() && words[0] == "freeze") return freeze(words, files);
  if (!words.empty() && words[0] == "thaw") return thaw(words, files);
  if (!words.empty() && words[0] == "allow") return allow(words, files);
  if (!words.empty() && words[0] == "check") return check(words, files, host);
  throw WrongUsage{};
}

std::string process_locale() {
  for (const auto* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* const value = std::getenv(name); value && *value) return value;
  return "C";
}

/// Beside this program: PREFIX/lib/cudapin/cudapin-guard -> PREFIX/share/locale.
std::string catalogues() {
  char path[PATH_MAX];
  const auto length = ::readlink("/proc/self/exe", path, sizeof path);
  const auto lib = std::string_view(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto prefix = lib.find("/lib/cudapin/");
  return std::string(prefix == lib.npos ? "/usr" : lib.substr(0, prefix)) + "/share/locale";
}

/// Takes `--root DIR` and its like from the front of the words.
Host take_places(Words& words) {
  Host host;
  while (words.size() > 2) {
    if (words[0] == "--root")
      host.root = words[1];
    else if (words[0] == "--proc")
      host.proc = words[1];
    else if (words[0] == "--sys")
      host.sys = words[1];
    else
      break;
    words.erase(words.begin(), words.begin() + 2);
  }
  return host;
}

}  // namespace

int run_guard(std::span<char* const> arguments) {
  speak_when_needed(process_locale(), catalogues);
  try {
    Words words(arguments.begin(), arguments.end());
    const auto host = take_places(words);
    return run_verb(words, GuardFiles(host.root.string(), guard_hooks::warn), host);
  } catch (const WrongUsage&) {
    guard_hooks::write_error(tr_text(usage));
    return 2;
  } catch (const Error& error) {
    guard_hooks::write_error(std::string(tr_text("error:")) + ' ' + printable(error.what()) + '\n');
    if (!error.hint.empty())
      guard_hooks::write_error(std::string(tr_text("hint:")) + ' ' + printable(error.hint) + '\n');
    return static_cast<int>(error.status);
  } catch (const std::exception& failure) {
    guard_hooks::warn(tr_text("NOT guarded this time: ") + std::string(failure.what()));
    return 0;
  }
}

}  // namespace cudapin
