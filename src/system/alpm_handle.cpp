// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/alpm_handle.hpp"

#include "core/error.hpp"
#include "core/words.hpp"

#include <cstdlib>

namespace cudapin::alpm {

namespace fs = std::filesystem;

Handle open_handle(const PacmanConf& conf) {
  const auto failure = [&](const char* reason, const char* hint = "") {
    return Error(tr("cannot read the package database '{}': {}", conf.dbpath.string(), reason), hint);
  };
  std::error_code ignored;
  if (!fs::is_directory(conf.dbpath / "local", ignored)) throw failure(tr_text("it does not exist"));
  alpm_errno_t reason = ALPM_ERR_OK;
  Handle handle(alpm_initialize(conf.root.c_str(), conf.dbpath.c_str(), &reason));
  if (!handle) throw failure(alpm_strerror(reason));
  if (alpm_db_get_valid(alpm_get_localdb(handle.get())) != 0) {
    reason = alpm_errno(handle.get());
    throw failure(alpm_strerror(reason), reason == ALPM_ERR_DB_VERSION ? "sudo pacman-db-upgrade" : "");
  }
  return handle;
}

std::string text_of(const char* text) { return text ? text : ""; }

std::vector<std::string> dependency_texts(const alpm_list_t* list) {
  std::vector<std::string> texts;
  for_each<alpm_depend_t>(list, [&](alpm_depend_t* depend) {
    char* text = alpm_dep_compute_string(depend);
    texts.push_back(text_of(text));
    std::free(text);
  });
  return texts;
}

std::vector<Dependency> to_dependencies(const alpm_list_t* list) {
  std::vector<Dependency> dependencies;
  for (const auto& text : dependency_texts(list)) dependencies.push_back(parse_dependency(text));
  return dependencies;
}

Package to_package(alpm_pkg_t* pkg) {
  return {
      .name = text_of(alpm_pkg_get_name(pkg)),
      .version = text_of(alpm_pkg_get_version(pkg)),
      .arch = text_of(alpm_pkg_get_arch(pkg)),
      .base = text_of(alpm_pkg_get_base(pkg)),
      .depends = to_dependencies(alpm_pkg_get_depends(pkg)),
      .provides = to_dependencies(alpm_pkg_get_provides(pkg)),
      .conflicts = to_dependencies(alpm_pkg_get_conflicts(pkg)),
      .installed_size = static_cast<std::uint64_t>(alpm_pkg_get_isize(pkg)),
      .reason = alpm_pkg_get_reason(pkg) == ALPM_PKG_REASON_DEPEND ? Reason::dependency : Reason::explicitly};
}

}  // namespace cudapin::alpm
