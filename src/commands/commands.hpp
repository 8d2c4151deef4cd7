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
ExitStatus lock(const LockOptions& options, const Host& host);
ExitStatus fetch(const FetchOptions& options, const Host& host);
ExitStatus undo(const UndoOptions& options, const Host& host);
ExitStatus history(const HistoryOptions& options, const Host& host);
ExitStatus store(const StoreOptions& options, const Host& host);
ExitStatus pin(const PinOptions& options, const Host& host);
ExitStatus status(const StatusOptions& options, const Host& host);
ExitStatus who(const WhoOptions& options, const Host& host);
ExitStatus freeze(const FreezeOptions& options, const Host& host);
ExitStatus thaw(const ThawOptions& options, const Host& host);
ExitStatus allow(const AllowOptions& options, const Host& host);
ExitStatus guard_check(const GuardOptions& options, const Host& host);
/// Returns what the command it watches over ended with.
ExitStatus run_work(const RunOptions& options, const Host& host);
ExitStatus upgrade(const UpgradeOptions& options, const Host& host);
ExitStatus doctor(const DoctorOptions& options, const Host& host);
ExitStatus suggest(const SuggestOptions& options, const Host& host);
ExitStatus env(const EnvOptions& options, const Host& host);
ExitStatus tune(const TuneOptions& options, const Host& host);
ExitStatus versions(const VersionsOptions& options, const Host& host);
ExitStatus validate(const ValidateOptions& options, const Host& host);
ExitStatus profile(const ProfileOptions& options, const Host& host);
ExitStatus metrics(const MetricsOptions& options, const Host& host);
ExitStatus complete(const CompleteRequest& request, const Host& host);

}  // namespace cudapin
