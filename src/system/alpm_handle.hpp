// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/package.hpp"
#include "system/pacman_conf.hpp"

#include <alpm.h>

#include <memory>
#include <string>
#include <vector>

/// libalpm's things with owners, for the few files that may include this (tests/layering.sh): the door to
/// libalpm.
namespace cudapin::alpm {

struct Release {
  void operator()(alpm_handle_t* handle) const { alpm_release(handle); }
};
using Handle = std::unique_ptr<alpm_handle_t, Release>;

template <typename Data, typename Function>
void for_each(const alpm_list_t* list, const Function& function) {
  for (; list; list = list->next) function(static_cast<Data*>(list->data));
}

/// A handle on the root and the database of `conf`, without repositories. Throws Error when the database is
/// missing (libalpm would create it, and an empty one looks like a system without packages) or of another
/// format.
Handle open_handle(const PacmanConf& conf);

/// Text that libalpm may leave out.
std::string text_of(const char* text);

std::vector<std::string> dependency_texts(const alpm_list_t* list);
std::vector<Dependency> to_dependencies(const alpm_list_t* list);
Package to_package(alpm_pkg_t* pkg);

}  // namespace cudapin::alpm
