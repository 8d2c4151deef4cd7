// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/test_folder.hpp"

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

struct StandInFile {
  std::string path;  ///< "usr/lib/libx.so", no leading slash; folders above it come by themselves
  std::string content;
  std::string link_to;    ///< a symlink's target; content is ignored then
  std::string hard_link;  ///< path of an earlier file that this is another name of
  mode_t mode = 0644;
};

/// What a stand-in package is made of. Without files and bulk it gets `usr/share/NAME/version`.
struct StandIn {
  std::string name;
  std::string version = "1-1";
  std::string arch = "x86_64";
  std::vector<std::string> depends;
  std::vector<std::string> provides;
  std::vector<std::string> conflicts;
  std::vector<std::string> replaces;
  std::vector<std::string> optional;  ///< "gdb: for cuda-gdb"
  std::vector<std::string> backup;
  std::string install_script;  ///< the text of .INSTALL
  std::vector<StandInFile> files;
  std::uint64_t bulk = 0;  ///< bytes of `usr/share/NAME/bulk`, incompressible, the same every time, streamed
  std::string base;        ///< empty: the name
  std::string description = "stand-in";
  std::time_t build_date = 1'600'000'000;

  std::string file_name(std::string_view extension = ".pkg.tar.zst") const;
  std::uint64_t installed_size() const;
};

/// Writes the package as makepkg would (zst, xz, gz or plain by the extension) and returns its path in
/// `folder`. The same StandIn always gives the same bytes.
std::filesystem::path build_package(const StandIn& package, const std::filesystem::path& folder,
                                    std::string_view extension = ".pkg.tar.zst");

/// A valid little x86-64 shared object with that DT_SONAME and those DT_NEEDED entries.
std::string shared_object(std::string_view soname, const std::vector<std::string>& needed = {});

/// A static x86-64 program that writes `output` to stdout and ends with `status`: runs in any root.
std::string static_program(int status, std::string_view output);

/// One package of a sync database. With a file, its size and hash are recorded, and FILE.sig as %PGPSIG%.
struct SyncEntry {
  StandIn package;
  std::filesystem::path file;
};

/// Writes a sync database (tar.gz of NAME-VERSION/desc) as repo-add would.
void write_sync_database(const std::filesystem::path& db, std::span<const SyncEntry> packages);

}  // namespace cudapin
