// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/files.hpp"
#include "system/host.hpp"

#include <string>
#include <vector>

namespace cudapin {

// What the transfers of files and of pages have in common; for them alone.

/// What transfers read of the user's own (.netrc when asked, SSL_CERT_FILE), for a process that may not read
/// it: `host` names copies, which `files` keep. What cannot be read keeps its name.
struct Provisions {
  explicit Provisions(const Host& user);

  Host host;
  std::vector<int> files;

 private:
  std::string copy_of(const std::string& file);
  std::vector<Fd> copies_;
};

/// Before the first transfer.
void initialise_transfers();

/// Seconds without a byte before a transfer counts as stalled.
long patience_of(const Host& host);

/// Address, agent, protocols, proxy, certificates and the like, for every transfer. `handle` is curl's.
void set_up_transfer(const Host& host, void* handle, const std::string& url, long patience);

/// Whether a connection came about.
bool is_connected(void* handle);

/// Why a transfer from `url` failed, `got` ("17 bytes") having come; `handle` and `code` are curl's.
std::string transfer_problem(const Host& host, void* handle, int code, const std::string& url,
                             const std::string& got, long patience);

}  // namespace cudapin
