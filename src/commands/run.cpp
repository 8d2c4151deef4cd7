// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/run.hpp"

#include "build_info.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "core/text.hpp"
#include "system/alpm.hpp"
#include "system/download.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace cudapin {

namespace {

/// Runs what the arguments ask for; the one place that knows every verb.
struct Dispatch {
  Host host;

  ExitStatus operator()(const UseOptions& options) { return use(options, at_root(options)); }
  ExitStatus operator()(const ReleaseOptions& options) { return release(options, at_root(options)); }
  ExitStatus operator()(const RecoverOptions& options) { return recover(options, at_root(options)); }
  ExitStatus operator()(const ListOptions& options) { return list(options, at_root(options)); }
  ExitStatus operator()(const ShowOptions& options) { return show(options, at_root(options)); }
  ExitStatus operator()(const StatusOptions& options) { return status(options, at_root(options)); }
  ExitStatus operator()(const ValidateOptions& options) { return validate(options, at_root(options)); }
  ExitStatus operator()(const HelpRequest& request) {
    *host.out << request.text;
    return ExitStatus::done;
  }
  ExitStatus operator()(const VersionRequest&) {
    *host.out << fmt::format("cudapin {} (libalpm {}, libcurl {})\n", program_version, alpm_version_text(),
                             curl_version_text());
    return ExitStatus::done;
  }

  const Host& at_root(const CommonOptions& options) {
    if (options.root != "/") host.root = std::filesystem::absolute(options.root).lexically_normal();
    if (!std::filesystem::is_directory(host.root))
      throw Error(fmt::format("'{}' is not a folder", printable(options.root)),
                  "--root takes the root of an installed system", ExitStatus::usage);
    return host;
  }
};

void print(const Host& host, const Error& error) {
  const bool color = host.err_is_terminal && host.variable("NO_COLOR").empty();
  for (const auto& line : split(error.what(), "\n"))
    *host.err << (color ? "\x1b[1;31merror:\x1b[0m " : "error: ") << printable(line) << '\n';
  if (!error.hint.empty())
    *host.err << (color ? "\x1b[1;36mhint:\x1b[0m " : "hint: ") << printable(error.hint) << '\n';
}

}  // namespace

ExitStatus run(std::span<const std::string> args, Host host) {
  try {
    const auto result = std::visit(Dispatch{host}, parse_arguments(args));
    host.out->flush();
    return result;
  } catch (const Error& error) {
    host.out->flush();
    print(host, error);
    return host.interrupted() ? ExitStatus::interrupted : error.status;
  } catch (const std::filesystem::filesystem_error& error) {
    print(host,
          Error(fmt::format("cannot work with '{}': {}", error.path1().string(), error.code().message()),
                file_hint(error.code().value(), error.path1())));
  } catch (const std::exception& error) {
    print(host, Error(error.what()));
  }
  return ExitStatus::failed;
}

}  // namespace cudapin
