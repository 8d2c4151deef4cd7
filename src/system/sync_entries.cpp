// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/sync_entries.hpp"

#include "system/local_entries.hpp"
#include "system/raw_files.hpp"

#include <dlfcn.h>
#include <sys/types.h>

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

struct archive;
struct archive_entry;

/// The few functions of libarchive that reading takes, by their documented prototypes. The guard links libc
/// alone: a new soname of libarchive must cost it no more than the versions.
struct Libarchive {
  archive* (*read_new)() = nullptr;
  int (*support_filter_all)(archive*) = nullptr;
  int (*support_format_tar)(archive*) = nullptr;
  int (*open_filename)(archive*, const char*, std::size_t) = nullptr;
  int (*next_header)(archive*, archive_entry**) = nullptr;
  ssize_t (*read_data)(archive*, void*, std::size_t) = nullptr;
  int (*free)(archive*) = nullptr;
  const char* (*entry_pathname)(archive_entry*) = nullptr;
};

template <typename Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool load(Libarchive& functions) {
  void* const library = ::dlopen("libarchive.so.13", RTLD_LAZY | RTLD_LOCAL);
  return library && look_up(library, "archive_read_new", functions.read_new) &&
         look_up(library, "archive_read_support_filter_all", functions.support_filter_all) &&
         look_up(library, "archive_read_support_format_tar", functions.support_format_tar) &&
         look_up(library, "archive_read_open_filename", functions.open_filename) &&
         look_up(library, "archive_read_next_header", functions.next_header) &&
         look_up(library, "archive_read_data", functions.read_data) &&
         look_up(library, "archive_read_free", functions.free) &&
         look_up(library, "archive_entry_pathname", functions.entry_pathname);
}

/// "cuda-13.1.1-1/desc" -> "cuda"; empty for anything else.
std::string_view name_in(std::string_view path) {
  constexpr std::string_view tail = "/desc";
  if (!path.ends_with(tail)) return {};
  path.remove_suffix(tail.size());
  for (int dashes = 0; dashes < 2; ++dashes) {
    const auto dash = path.rfind('-');
    if (dash == path.npos) return {};
    path = path.substr(0, dash);
  }
  return path;
}

class Reader {
 public:
  Reader(const Libarchive& functions, const std::string& file)
      : functions_(functions), archive_(functions.read_new()) {
    functions_.support_filter_all(archive_);
    functions_.support_format_tar(archive_);
    is_open_ = functions_.open_filename(archive_, file.c_str(), 128 * 1024) == 0;
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { functions_.free(archive_); }

  /// Calls `visit(name, desc)` for each wanted entry.
  template <typename Visit>
  void each(const std::function<bool(std::string_view)>& wants, Visit visit) {
    archive_entry* entry = nullptr;
    while (is_open_ && functions_.next_header(archive_, &entry) == 0) {
      const char* const path = functions_.entry_pathname(entry);
      const std::string name(path ? name_in(path) : std::string_view{});
      if (!name.empty() && wants(name)) visit(name, text());
    }
  }

 private:
  std::string text() {
    constexpr std::size_t limit = 1u << 20;
    std::string all;
    std::array<char, 16384> buffer;
    while (all.size() < limit) {
      const auto got = functions_.read_data(archive_, buffer.data(), buffer.size());
      if (got <= 0) break;
      all.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

  const Libarchive& functions_;
  archive* archive_;
  bool is_open_ = false;
};

std::vector<std::string> database_files(const std::string& dbpath) {
  std::vector<std::string> files;
  const auto folder = dbpath + "/sync";
  raw::visit_entries(AT_FDCWD, folder.c_str(), [&](int, const char* name) {
    if (std::string_view(name).ends_with(".db")) files.push_back(folder + '/' + name);
  });
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::map<std::string, std::vector<PackageLinks>> sync_entries(
    const std::string& dbpath, const std::function<bool(std::string_view)>& wants) {
  std::map<std::string, std::vector<PackageLinks>> entries;
  Libarchive functions;
  if (!load(functions)) return entries;
  for (const auto& file : database_files(dbpath))
    Reader(functions, file).each(wants, [&](const std::string& name, const std::string& desc) {
      auto links = parse_links(desc);
      if (!links.version.empty()) entries[name].push_back(std::move(links));
    });
  return entries;
}

}  // namespace cudapin
