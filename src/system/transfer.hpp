// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <string>

namespace cudapin {

// What the transfers of files and of pages have in common; for them alone.

/// Before the first transfer.
void initialise_transfers();

/// Seconds without a byte before a transfer counts as stalled.
long patience_of(const Host& host);

/// Agent, protocols and the like, for every transfer. `handle` is curl's.
void set_up_transfer(void* handle, long patience);

/// Why a transfer from `server` failed, `got` ("17 bytes") having come; `handle` and `code` are curl's.
std::string transfer_problem(void* handle, int code, const std::string& server, const std::string& got,
                             long patience);

}  // namespace cudapin
