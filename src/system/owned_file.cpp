// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/owned_file.hpp"

#include "core/error.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest = 1u << 20;

std::string objection_to(const Fd& fd, const fs::path& path) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return tr("'{}' cannot be looked at", path.string());
  if (info.st_uid != 0) return tr("'{}' does not belong to root", path.string());
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return tr("'{}' may be written by others than root", path.string());
  return {};
}

/// The file behind the parts of `relative`, each opened below the one before.
Fd walk(const fs::path& folder, const fs::path& relative, std::string& objection) {
  Fd at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  auto path = folder;
  if (!at) {
    objection = tr("'{}' is a symbolic link or no folder", folder.string());
    return at;
  }
  objection = objection_to(at, path);
  for (const auto& part : relative) {
    path /= part;
    Fd next(::openat(at.get(), part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!next) {
      objection = tr("'{}' is a symbolic link or cannot be read", path.string());
      return next;
    }
    if (objection.empty()) objection = objection_to(next, path);
    at = std::move(next);
  }
  return at;
}

}  // namespace

OwnedText read_owned(const fs::path& folder, const fs::path& relative) {
  OwnedText owned;
  const auto fd = walk(folder, relative, owned.objection);
  // Not the system's own: then it is read as any file is.
  owned.text =
      read_file(fd ? fs::path(fmt::format("/proc/self/fd/{}", fd.get())) : folder / relative, largest);
  return owned;
}

}  // namespace cudapin
