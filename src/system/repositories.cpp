// SPDX-License-Identifier: GPL-3.0-or-later
// libalpm's third door: the handle that reads repositories never commits, and the one that commits never has
// any.
#include "system/repositories.hpp"

#include "core/error.hpp"
#include "core/words.hpp"
#include "system/alpm_handle.hpp"

namespace cudapin {

namespace fs = std::filesystem;
using namespace alpm;

namespace {

RepositoryPackage package_of(alpm_pkg_t* pkg, const std::string& repository) {
  return {.package = to_package(pkg),
          .replaces = to_dependencies(alpm_pkg_get_replaces(pkg)),
          .optional = dependency_texts(alpm_pkg_get_optdepends(pkg)),
          .file = text_of(alpm_pkg_get_filename(pkg)),
          .sha256 = text_of(alpm_pkg_get_sha256sum(pkg)),
          .size = static_cast<std::uint64_t>(alpm_pkg_get_size(pkg)),
          .repository = repository};
}

void add_packages(alpm_handle_t* handle, const fs::path& shown, const std::string& name,
                  std::vector<RepositoryPackage>& packages) {
  // The packages are signed; that the databases are not is why a plan's files are verified whatever these
  // say.
  auto* database = alpm_register_syncdb(handle, name.c_str(), 0);
  if (!database || alpm_db_get_valid(database) != 0)
    throw Error(tr("cannot read the repository database '{}': {}", (shown / "sync" / (name + ".db")).string(),
                   alpm_strerror(alpm_errno(handle))),
                tr_text("pacman -Sy fetches the databases anew"));
  for_each<alpm_pkg_t>(alpm_db_get_pkgcache(database),
                       [&](alpm_pkg_t* pkg) { packages.push_back(package_of(pkg, name)); });
}

}  // namespace

std::vector<RepositoryPackage> read_repositories(const fs::path& dbpath, std::span<const std::string> names,
                                                 const fs::path& shown) {
  alpm_errno_t reason = ALPM_ERR_OK;
  // The handle that reads repositories never commits, and the one that commits never has any.
  const Handle handle(alpm_initialize("/", dbpath.c_str(), &reason));
  if (!handle)
    throw Error(tr("cannot read the repositories in '{}': {}", shown.string(), alpm_strerror(reason)));
  std::vector<RepositoryPackage> packages;
  for (const auto& name : names)
    if (fs::exists(dbpath / "sync" / (name + ".db"))) add_packages(handle.get(), shown, name, packages);
  return packages;
}

}  // namespace cudapin
