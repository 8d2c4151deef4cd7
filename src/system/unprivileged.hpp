// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "system/host.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <span>

namespace cudapin {

/// What an unprivileged process tells: JSON whose strings may hold any bytes.
using Message = nlohmann::json;
using Tell = std::function<void(const Message&)>;

/// Work on data of strangers. It gets a Host without streams, and may tell of something before it ends.
using UnprivilegedWork = std::function<Message(const Host& host, const Tell& tell)>;

/// Runs `work` in a child that has given up root for good: as the user `alpm`, or `nobody` where pacman has
/// no such user, with no_new_privs, with the standard streams and `files` alone open, and gone when we are.
/// `take` gets here what it tells there, in order. Returns what it returns and throws the Error that it
/// throws, or one that says how it died. Where we are not root, or rule over no other user, it runs in this
/// process.
Message run_unprivileged(const Host& host, std::span<const int> files, const UnprivilegedWork& work,
                         const Tell& take = {});

/// Whether `run_unprivileged` makes a child here.
bool makes_child();

}  // namespace cudapin
