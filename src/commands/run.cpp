// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/run.hpp"

#include "build_info.hpp"
#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/report.hpp"
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "core/words.hpp"
#include "system/download.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

namespace cudapin {

namespace {

/// Runs what the arguments ask for; the one place that knows every verb.
struct Dispatch {
  Host& host;

  ExitStatus operator()(const UseOptions& options) {
    host.keeps_caches = !options.dry_run || !host.privileged;
    return use(options, at_root(options));
  }
  ExitStatus operator()(const ReleaseOptions& options) { return release(options, at_root(options)); }
  ExitStatus operator()(const LockOptions& options) { return lock(options, at_root(options)); }
  ExitStatus operator()(const FetchOptions& options) { return fetch(options, at_root(options)); }
  ExitStatus operator()(const RecoverOptions& options) { return recover(options, at_root(options)); }
  ExitStatus operator()(const UndoOptions& options) { return undo(options, at_root(options)); }
  ExitStatus operator()(const PinOptions& options) { return pin(options, at_root(options)); }
  ExitStatus operator()(const ListOptions& options) { return query(list, options); }
  ExitStatus operator()(const ShowOptions& options) { return query(show, options); }
  ExitStatus operator()(const StatusOptions& options) { return query(status, options); }
  ExitStatus operator()(const HistoryOptions& options) { return query(history, options); }
  ExitStatus operator()(const StoreOptions& options) { return query(store, options); }
  ExitStatus operator()(const WhoOptions& options) { return query(who, options); }
  ExitStatus operator()(const FreezeOptions& options) { return freeze(options, at_root(options)); }
  ExitStatus operator()(const ThawOptions& options) { return thaw(options, at_root(options)); }
  ExitStatus operator()(const AllowOptions& options) { return allow(options, at_root(options)); }
  ExitStatus operator()(const GuardOptions& options) { return guard_check(options, at_root(options)); }
  ExitStatus operator()(const RunOptions& options) { return run_work(options, at_root(options)); }
  ExitStatus operator()(const UpgradeOptions& options) { return upgrade(options, at_root(options)); }
  ExitStatus operator()(const DoctorOptions& options) { return query(doctor, options); }
  ExitStatus operator()(const SuggestOptions& options) { return query(suggest, options); }
  ExitStatus operator()(const TuneOptions& options) { return tune(options, at_root(options)); }
  ExitStatus operator()(const EnvOptions& options) { return query(env, options); }
  ExitStatus operator()(const VersionsOptions& options) { return query(versions, options); }
  ExitStatus operator()(const ValidateOptions& options) { return validate(options, at_root(options)); }
  ExitStatus operator()(const ProfileOptions& options) { return profile(options, at_root(options)); }
  ExitStatus operator()(const MetricsOptions& options) { return metrics(options, at_root(options)); }
  ExitStatus operator()(const HelpRequest& request) {
    *host.out << request.text;
    return ExitStatus::done;
  }
  ExitStatus operator()(const VersionRequest&) {
    *host.out << fmt::format("cudapin {} (libalpm {}, libcurl {})\n", program_version, alpm_version_text(),
                             curl_version_text());
    return ExitStatus::done;
  }

  ExitStatus operator()(const CompletionsRequest& request) {
    *host.out << completion_script(request.shell, described_verbs());
    return ExitStatus::done;
  }
  ExitStatus operator()(const CompleteRequest& request) { return complete(request, host); }

  /// A query says in one line that a change was interrupted; beside its result, which a program may read.
  template <typename Options>
  ExitStatus query(ExitStatus (*verb)(const Options&, const Host&), const Options& options) {
    const auto result = verb(options, at_root(options));
    if (const auto notice = recovery_notice(host); !notice.empty())
      *host.err << tr("{}; next: sudo cudapin recover\n", printable(notice));
    return result;
  }

  const Host& at_root(const FetchingOptions& options) {
    host.network = options.network;
    host.json_progress = options.json_progress;
    return at_root(static_cast<const CommonOptions&>(options));
  }

  const Host& at_root(const CommonOptions& options) {
    host.color = options.color;
    if (options.root != "/") host.root = std::filesystem::absolute(options.root).lexically_normal();
    if (!std::filesystem::is_directory(host.root))
      throw Error(tr("'{}' is not a folder", printable(options.root)),
                  tr_text("--root takes the root of an installed system"), ExitStatus::usage);
    return host;
  }
};

void print(const Host& host, const Error& error) {
  const bool color = host.takes_color(host.err_is_terminal);
  const auto painted = [&](const char* code, const std::string& text) {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  };
  const std::string word = tr_text("error:");
  const auto fit = [&](const std::string& line) {  // a program that reads it finds it in one line
    return host.err_is_terminal ? wrap(line, display_width(word) + 1, host.err_columns()) : line;
  };
  for (const auto& line : split(error.what(), "\n"))
    *host.err << painted("1;31", word) << ' ' << fit(printable(line)) << '\n';
  for (const auto& line : split(error.hint, "\n"))
    *host.err << painted("1;36", tr_text("hint:")) << ' ' << printable(line) << '\n';
}

ExitStatus attempt(std::span<const std::string> args, Host& host) {
  try {
    return std::visit(Dispatch{host}, parse_arguments(args));
  } catch (const Error& error) {
    host.out->flush();
    print(host, error);
    return host.interrupted() ? ExitStatus::interrupted : error.status;
  } catch (const std::filesystem::filesystem_error& error) {
    print(host, Error(tr("cannot work with '{}': {}", error.path1().string(), error.code().message()),
                      file_hint(error.code().value(), error.path1())));
  } catch (const std::exception& error) {
    print(host, Error(error.what()));
  }
  return ExitStatus::failed;
}

/// A result that could not be written is none. A reader who has gone has seen enough.
ExitStatus when_written(const Host& host, ExitStatus status) {
  host.out->flush();
  const int reason = host.out_failure ? host.out_failure() : 0;
  if (reason == 0 || reason == EPIPE) return status;
  print(host, Error(tr("cannot write the output: {}", std::strerror(reason))));
  return status == ExitStatus::done ? ExitStatus::failed : status;
}

}  // namespace

ExitStatus run(std::span<const std::string> args, Host host) {
  const auto end = std::ranges::find(args, "--");
  const bool is_for_programs = std::find(args.begin(), end, "--json") != end;
  speak(is_for_programs ? "C" : host.locale(), host.catalogues.string());
  return when_written(host, attempt(args, host));
}

}  // namespace cudapin
