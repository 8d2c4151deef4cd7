// SPDX-License-Identifier: GPL-3.0-or-later
// libalpm's third door: the handle that reads repositories never commits, and the one that commits never has
// any.
#include "system/repositories.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <alpm.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

struct Release {
  void operator()(alpm_handle_t* handle) const { alpm_release(handle); }
};
using Handle = std::unique_ptr<alpm_handle_t, Release>;

std::string text_of(const char* value) { return value ? value : ""; }

std::vector<std::string> texts_of(const alpm_list_t* list) {
  std::vector<std::string> texts;
  for (; list; list = list->next) {
    char* text = alpm_dep_compute_string(static_cast<alpm_depend_t*>(list->data));
    texts.push_back(text_of(text));
    std::free(text);
  }
  return texts;
}

std::vector<Dependency> dependencies_of(const alpm_list_t* list) {
  std::vector<Dependency> dependencies;
  for (const auto& text : texts_of(list)) dependencies.push_back(parse_dependency(text));
  return dependencies;
}

RepositoryPackage package_of(alpm_pkg_t* pkg, const std::string& repository) {
  return {.package = {.name = text_of(alpm_pkg_get_name(pkg)),
                      .version = text_of(alpm_pkg_get_version(pkg)),
                      .arch = text_of(alpm_pkg_get_arch(pkg)),
                      .base = text_of(alpm_pkg_get_base(pkg)),
                      .depends = dependencies_of(alpm_pkg_get_depends(pkg)),
                      .provides = dependencies_of(alpm_pkg_get_provides(pkg)),
                      .conflicts = dependencies_of(alpm_pkg_get_conflicts(pkg)),
                      .installed_size = static_cast<std::uint64_t>(alpm_pkg_get_isize(pkg))},
          .replaces = dependencies_of(alpm_pkg_get_replaces(pkg)),
          .optional = texts_of(alpm_pkg_get_optdepends(pkg)),
          .file = text_of(alpm_pkg_get_filename(pkg)),
          .sha256 = text_of(alpm_pkg_get_sha256sum(pkg)),
          .size = static_cast<std::uint64_t>(alpm_pkg_get_size(pkg)),
          .repository = repository};
}

void add_packages(alpm_handle_t* handle, const fs::path& dbpath, const std::string& name,
                  std::vector<RepositoryPackage>& packages) {
  // The packages are signed; that the databases are not is why a plan's files are verified whatever these
  // say.
  auto* database = alpm_register_syncdb(handle, name.c_str(), 0);
  if (!database || alpm_db_get_valid(database) != 0)
    throw Error(fmt::format("cannot read the repository database '{}': {}",
                            (dbpath / "sync" / (name + ".db")).string(), alpm_strerror(alpm_errno(handle))),
                "pacman -Sy fetches the databases anew");
  for (auto* node = alpm_db_get_pkgcache(database); node; node = node->next)
    packages.push_back(package_of(static_cast<alpm_pkg_t*>(node->data), name));
}

}  // namespace

std::vector<RepositoryPackage> read_repositories(const fs::path& dbpath, std::span<const std::string> names) {
  alpm_errno_t reason = ALPM_ERR_OK;
  const Handle handle(alpm_initialize("/", dbpath.c_str(), &reason));
  if (!handle)
    throw Error(
        fmt::format("cannot read the repositories in '{}': {}", dbpath.string(), alpm_strerror(reason)));
  std::vector<RepositoryPackage> packages;
  for (const auto& name : names)
    if (fs::exists(dbpath / "sync" / (name + ".db"))) add_packages(handle.get(), dbpath, name, packages);
  return packages;
}

}  // namespace cudapin
