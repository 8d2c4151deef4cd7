// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/private_folder.hpp"

#include "core/error.hpp"
#include "core/words.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace cudapin {

namespace fs = std::filesystem;

PrivateFolder::PrivateFolder(const std::string& purpose) {
  auto name = fmt::format("/tmp/cudapin-{}-XXXXXX", purpose);
  if (!::mkdtemp(name.data()))
    throw Error(tr("cannot create a folder in '/tmp': {}", std::strerror(errno)), "ls -ld /tmp; df /tmp");
  path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace cudapin
