// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"
#include "core/guard_text.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/guard_admin.hpp"
#include "system/state.hpp"

#include <ostream>

namespace cudapin {

namespace {

GuardFiles files_of(const Host& host) {
  return GuardFiles(host.root.string(), [&](const std::string& text) {
    *host.err << tr_text("warning: ") << printable(text) << '\n';
  });
}

guard_admin::Admin admin_of(const Host& host) {
  return {acting_user(host), std::chrono::system_clock::to_time_t(host.now()), host.privileged};
}

std::int64_t seconds_of(const std::string& duration) {
  if (duration.empty()) return 0;
  const auto seconds = parse_duration(duration);
  if (!seconds)
    throw Error(tr("'{}' is no time", printable(duration)), tr_text("--for 3d, --for 2h or --for 10m"),
                ExitStatus::usage);
  return *seconds;
}

ExitStatus told(const CommonOptions& options, const Host& host, const std::string& line) {
  if (!options.quiet) *host.out << line << '\n';
  return ExitStatus::done;
}

}  // namespace

ExitStatus freeze(const FreezeOptions& options, const Host& host) {
  return told(options, host,
              guard_admin::freeze(files_of(host), admin_of(host),
                                  {seconds_of(options.duration), options.reason, options.packages}));
}

ExitStatus thaw(const ThawOptions& options, const Host& host) {
  return told(options, host, guard_admin::thaw(files_of(host), admin_of(host), options.packages));
}

ExitStatus allow(const AllowOptions& options, const Host& host) {
  return told(options, host,
              guard_admin::allow(files_of(host), admin_of(host),
                                 {options.once, seconds_of(options.duration), options.packages}));
}

ExitStatus guard_check(const GuardOptions& options, const Host& host) {
  GuardInput input;
  const auto verdict =
      guard_admin::check(files_of(host), host, {options.words.begin() + 1, options.words.end()}, input);
  if (!verdict.blocks) *host.out << tr_text("nothing would be blocked\n");
  for (const auto& line : verdict.lines) *host.out << line << '\n';
  return verdict.blocks ? ExitStatus::refused : ExitStatus::done;
}

}  // namespace cudapin
