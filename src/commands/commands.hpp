// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/arguments.hpp"
#include "core/error.hpp"
#include "system/host.hpp"

namespace cudapin {

// One function a verb. Each prints its result to the Host's output stream and throws Error for everything
// that goes wrong.

ExitStatus use(const UseOptions& options, const Host& host);
ExitStatus release(const ReleaseOptions& options, const Host& host);
ExitStatus recover(const RecoverOptions& options, const Host& host);
ExitStatus list(const ListOptions& options, const Host& host);
ExitStatus show(const ShowOptions& options, const Host& host);
ExitStatus status(const StatusOptions& options, const Host& host);
ExitStatus validate(const ValidateOptions& options, const Host& host);

}  // namespace cudapin
