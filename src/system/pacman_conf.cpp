// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/pacman_conf.hpp"

#include "core/error.hpp"
#include "core/pins.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/child.hpp"
#include "system/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// The settings of [options] in the order printed; repeated keys are lists.
using Settings = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> values(const Settings& settings, std::string_view key) {
  std::vector<std::string> found;
  for (const auto& [name, value] : settings)
    if (name == key) found.push_back(value);
  return found;
}

Settings parse_settings(const std::string& printed) {
  Settings settings;
  std::istringstream lines(printed);
  bool in_options = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      if (in_options) break;
      in_options = true;
    }
    const auto equals = line.find(" = ");
    if (in_options && equals != line.npos)
      settings.emplace_back(line.substr(0, equals), line.substr(equals + 3));
  }
  return settings;
}

/// pacman's own words, without its warnings and the line that only repeats the file's name.
std::string reason_of(const std::string& printed) {
  std::istringstream lines(printed);
  std::string reason;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view start = "error: ";
    if (!line.starts_with(start)) continue;
    if (!reason.empty()) reason += '\n';
    reason += printable(std::string_view(line).substr(start.size()));
  }
  return reason.empty() ? tr_text("pacman-conf gives no reason") : reason;
}

/// The sections after [options].
std::vector<std::string> parse_repositories(const std::string& printed) {
  std::vector<std::string> names;
  for (const auto& line : split(printed, "\n"))
    if (line.starts_with('[') && line.ends_with(']') && line != "[options]")
      names.push_back(line.substr(1, line.size() - 2));
  return names;
}

std::string ask_pacman_conf(const Host& host, const fs::path& file) {
  std::vector<std::string> command{"pacman-conf", "--config", file.string()};
  if (host.root != "/") command.insert(command.end(), {"--rootdir", host.root.string()});
  const auto answer = run_child(command);
  if (answer.status != 0 && !fs::exists(file))
    throw Error(tr("'{}' is no system of pacman: there is no '{}'", host.root.string(), file.string()),
                host.root == "/" ? "" : tr_text("--root takes the root of an installed system"));
  if (answer.status != 0)
    throw Error(tr("pacman refuses its configuration: {}", reason_of(answer.err)),
                fmt::format("sudoedit {}", file.string()));
  return answer.out;
}

/// As --sysroot would: pacman leaves the caches, hooks and keys of --rootdir on the host.
fs::path below_root(const Host& host, const std::string& path) {
  return !fs::path(path).is_absolute() || is_below(path, host.root) ? fs::path(path) : host.at(path);
}

std::vector<fs::path> paths(const Host& host, const Settings& settings, std::string_view key) {
  std::vector<fs::path> found;
  for (const auto& value : values(settings, key)) found.push_back(below_root(host, value));
  return found;
}

fs::path path_or(const Host& host, const Settings& settings, std::string_view key,
                 std::string_view fallback) {
  const auto found = paths(host, settings, key);
  return found.empty() ? host.at(fallback) : found.front();
}

std::vector<std::string> architectures_of(const Settings& settings) {
  auto found = values(settings, "Architecture");
  utsname machine{};
  ::uname(&machine);
  std::replace(found.begin(), found.end(), std::string("auto"), std::string(machine.machine));
  return found;
}

/// The regular file behind /etc/pacman.conf, links followed but never out of the root.
fs::path real_conf_file(const Host& host) {
  const auto file = host.at("/etc/pacman.conf");
  std::error_code error;
  auto real = fs::canonical(file, error);
  if (error)
    throw Error(tr("cannot read '{}': {}", file.string(), error.message()), file_hint(error.value(), file));
  if (!is_below(real, fs::canonical(host.root)))
    throw Error(tr("cannot change '{}': it is a link to '{}', outside of the root '{}'", file.string(),
                   real.string(), host.root.string()),
                fmt::format("ls -l '{}'", file.string()));
  if (!fs::is_regular_file(real))
    throw Error(tr("cannot change '{}': not a regular file", file.string()),
                fmt::format("ls -l '{}'", file.string()));
  return real;
}

/// A rename would replace a read-only or append-only file as well, and fails on an immutable one without
/// saying why.
void check_changeable(const fs::path& file) {
  for (const auto& path : {file, file.parent_path()})
    if (::access(path.c_str(), W_OK) != 0 && errno != EPERM) {
      const int reason = errno;
      throw Error(tr("cannot change '{}': {}", file.string(), std::strerror(reason)),
                  file_hint(reason, path));
    }
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  int flags = 0;
  if (fd && ::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) == 0 && (flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)))
    throw Error(tr("cannot change '{}': it is {}", file.string(),
                   flags & FS_IMMUTABLE_FL ? tr_text("immutable") : tr_text("append-only")),
                fmt::format("chattr -{} {}", flags & FS_IMMUTABLE_FL ? 'i' : 'a', file.string()));
}

/// Throws unless pacman's effective list holds every name as a word of its own; a pattern that happens to
/// match could be gone tomorrow.
void check_effective(const Host& host, const fs::path& file, std::span<const std::string> names) {
  const auto listed = values(parse_settings(ask_pacman_conf(host, file)), "IgnorePkg");
  std::vector<std::string> missing;
  for (const auto& name : names)
    if (std::find(listed.begin(), listed.end(), name) == listed.end()) missing.push_back(name);
  if (!missing.empty())
    throw Error(tr("pacman does not take the pins from '{}': IgnorePkg as it reads it lacks '{}'",
                   host.at("/etc/pacman.conf").string(), join(missing, "', '")),
                "pacman-conf IgnorePkg");
}

/// A file that pacman-conf can be asked about, in the folder for temporary files.
class TryOut {
 public:
  explicit TryOut(const std::string& text)
      : path_((fs::temp_directory_path() / "cudapin-pacman.conf-XXXXXX").string()),
        fd_(::mkstemp(path_.data())) {
    if (!fd_ || ::write(fd_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      const int reason = errno;
      ::unlink(path_.c_str());
      throw Error(tr("cannot write '{}': {}", path_, std::strerror(reason)), file_hint(reason, path_));
    }
  }
  ~TryOut() { ::unlink(path_.c_str()); }
  TryOut(const TryOut&) = delete;
  TryOut& operator=(const TryOut&) = delete;
  fs::path path() const { return path_; }

 private:
  std::string path_;
  Fd fd_;
};

/// Makes pacman.conf what `edit` makes of it; the old bytes come back when pacman does not take it so.
bool edit_conf(const Host& host, std::span<const std::string> names,
               const std::function<std::string(const std::string&)>& edit) {
  (void)read_pacman_conf(host);  // a file that pacman refuses is left alone
  const auto file = real_conf_file(host);
  const auto old_text = read_file(file);
  const auto new_text = edit(old_text);
  if (new_text == old_text) {
    check_effective(host, file, names);
    return false;
  }
  check_changeable(file);
  replace_file(file, new_text);
  try {
    check_effective(host, file, names);
  } catch (...) {
    replace_file(file, old_text);
    throw;
  }
  return true;
}

}  // namespace

PacmanConf read_pacman_conf(const Host& host) {
  PacmanConf conf;
  conf.file = host.at("/etc/pacman.conf");
  const auto printed = ask_pacman_conf(host, conf.file);
  const auto settings = parse_settings(printed);
  conf.root = path_or(host, settings, "RootDir", "/");
  conf.dbpath = path_or(host, settings, "DBPath", "/var/lib/pacman/");
  conf.cache_dirs = paths(host, settings, "CacheDir");
  conf.hook_dirs = paths(host, settings, "HookDir");
  conf.gpg_dir = path_or(host, settings, "GPGDir", "/etc/pacman.d/gnupg/");
  conf.log_file = path_or(host, settings, "LogFile", "/var/log/pacman.log");
  conf.architectures = architectures_of(settings);
  conf.ignore_pkg = values(settings, "IgnorePkg");
  conf.ignore_group = values(settings, "IgnoreGroup");
  conf.no_extract = values(settings, "NoExtract");
  conf.no_upgrade = values(settings, "NoUpgrade");
  conf.repositories = parse_repositories(printed);
  return conf;
}

std::vector<std::string> foreign_ignores(const PacmanConf& conf) {
  auto entries = conf.ignore_pkg;
  for (const auto& name : pins_in(read_file(conf.file)))
    if (const auto ours = std::ranges::find(entries, name); ours != entries.end()) entries.erase(ours);
  return entries;
}

void check_pins(const Host& host, std::span<const std::string> names) {
  (void)read_pacman_conf(host);
  const auto file = real_conf_file(host);
  const auto old_text = read_file(file);
  const auto new_text = with_pins(old_text, names);
  if (new_text == old_text) return check_effective(host, file, names);
  check_changeable(file);
  const TryOut try_out(new_text);
  check_effective(host, try_out.path(), names);
}

bool write_pins(const Host& host, std::span<const std::string> names, std::span<const std::string> former) {
  std::vector<std::string> ours(former.begin(), former.end());
  ours.insert(ours.end(), names.begin(), names.end());
  return edit_conf(host, names, [&](const std::string& text) {
    return with_pins(former.empty() ? text : with_foreign_kept(text, ours), names);
  });
}

bool repair_pins(const Host& host, std::span<const std::string> names, std::span<const std::string> own,
                 std::span<const std::string> former) {
  return edit_conf(host, names,
                   [&](const std::string& text) { return repaired_pins(text, names, own, former); });
}

}  // namespace cudapin
