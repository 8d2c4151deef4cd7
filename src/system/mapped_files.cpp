// SPDX-License-Identifier: GPL-3.0-or-later
// libc and libstdc++ only: the guard links this file.
#include "system/mapped_files.hpp"

#include "core/text.hpp"
#include "system/process_text.hpp"
#include "system/raw_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace cudapin {

namespace {

constexpr std::size_t text_limit = 16u << 20;
using Identity = std::pair<dev_t, ino_t>;

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool identify(int folder, const std::string& path, Identity& identity) {
  struct stat info {};
  if (::fstatat(folder, path.c_str(), &info, 0) != 0) return false;
  identity = {info.st_dev, info.st_ino};
  return true;
}

/// The name below map_files of the mapping that a line of maps begins with: its addresses without padding.
std::string mapping_name(std::string_view line) {
  const auto range = line.substr(0, line.find(' '));
  const auto unpadded = [](std::string_view address) {
    const auto first = address.find_first_not_of('0');
    return address.substr(std::min(first, address.size() - 1));
  };
  const auto dash = range.find('-');
  if (dash == range.npos || dash == 0 || dash + 1 == range.size()) return {};
  return std::string(unpadded(range.substr(0, dash))) + '-' + std::string(unpadded(range.substr(dash + 1)));
}

/// Device and inode of every mapped file whose base name is among `names`.
class Mappings {
 public:
  Mappings(int process, const std::set<std::string_view>& names) {
    const auto maps = raw::read_at(process, "maps", text_limit);
    std::set<std::string_view> seen;
    for (std::string_view rest = maps; !rest.empty();) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      const auto slash = line.find('/');
      if (slash == line.npos || line.ends_with(" (deleted)")) continue;
      const auto path = line.substr(slash);
      if (names.count(base_name(path)) && seen.insert(path).second) add(process, line, path);
    }
  }

  /// Whether the file below `root` is one of them; only a name that is mapped is worth a look at the disk.
  bool has(const std::string& root, const std::string& file) const {
    Identity identity;
    return names_.count(std::string(base_name(file))) != 0 &&
           identify(AT_FDCWD, root + '/' + file, identity) && files_.count(identity) != 0;
  }

 private:
  /// maps prints another device than stat on some file systems, so the mapping itself is asked; without the
  /// right to do that, the path as the process sees it.
  void add(int process, std::string_view line, std::string_view path) {
    Identity identity;
    if (identify(process, "map_files/" + mapping_name(line), identity) ||
        identify(process, "root" + std::string(path), identity))
      files_.insert(identity);
    names_.insert(std::string(base_name(path)));
  }

  std::set<Identity> files_;
  std::set<std::string> names_;
};

bool leads_into_toolkit(std::string_view environ) {
  const auto is_inside = [](std::string_view path) {
    return path == "/opt/cuda" || path.starts_with("/opt/cuda/");
  };
  for (const auto* name : {"CUDA_HOME", "CUDA_PATH"})
    if (is_inside(process_text::variable(environ, name))) return true;
  const auto folders = split(process_text::variable(environ, "PATH"), ":");
  return std::any_of(folders.begin(), folders.end(), is_inside);
}

/// Whether /opt/cuda is the same folder for the process as for us, and its environment leads there.
bool uses_toolkit(const Host& host, int process) {
  Identity ours;
  Identity theirs;
  return identify(AT_FDCWD, (host.root / "opt/cuda").string(), ours) &&
         identify(process, "root/opt/cuda", theirs) && ours == theirs &&
         leads_into_toolkit(raw::read_at(process, "environ", 1u << 20));
}

}  // namespace

std::vector<std::string> packages_in_use(const Host& host, pid_t pid,
                                         const std::map<std::string, std::vector<std::string>>& packages) {
  std::vector<std::string> used;
  const raw::File process(
      ::open((host.proc / std::to_string(pid)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (process.fd < 0) return used;
  std::set<std::string_view> names;
  for (const auto& [package, files] : packages)
    for (const auto& file : files) names.insert(base_name(file));
  const Mappings mappings(process.fd, names);
  const bool toolkit = uses_toolkit(host, process.fd);
  const auto is_used = [&](const std::string& file) {
    return (toolkit && file.starts_with("opt/cuda/")) || mappings.has(host.root.string(), file);
  };
  for (const auto& [package, files] : packages)
    if (std::any_of(files.begin(), files.end(), is_used)) used.push_back(package);
  return used;
}

}  // namespace cudapin
