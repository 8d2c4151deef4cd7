// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/arguments.hpp"
#include "commands/locks.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/profile_text.hpp"
#include "system/host.hpp"
#include "system/shared_source.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cudapin {

// The actions of `profile`, and what they have in common.

ExitStatus export_profile(const ProfileOptions& options, const Host& host);
ExitStatus sign_profile(const ProfileOptions& options, const Host& host);
ExitStatus verify_profile(const ProfileOptions& options, const Host& host);
ExitStatus add_profiles(const ProfileOptions& options, const Host& host);
ExitStatus remove_profile(const ProfileOptions& options, const Host& host);
ExitStatus diff_profiles(const ProfileOptions& options, const Host& host);
ExitStatus trust(const ProfileOptions& options, const Host& host);
ExitStatus untrust(const ProfileOptions& options, const Host& host);
ExitStatus trusted(const ProfileOptions& options, const Host& host);
ExitStatus subscribe(const ProfileOptions& options, const Host& host);
ExitStatus unsubscribe(const ProfileOptions& options, const Host& host);
ExitStatus list_subscriptions(const ProfileOptions& options, const Host& host);
ExitStatus update(const ProfileOptions& options, const Host& host);
ExitStatus publish(const ProfileOptions& options, const Host& host);

/// No profile, lock or index is longer, no signature and no key.
inline constexpr std::size_t largest_text = 1u << 20;
inline constexpr std::size_t largest_signature = 1u << 16;
/// What the name of a profile's file ends with.
inline constexpr std::string_view profile_ending = ".yaml";

/// A profile as it came, with what came beside it; nothing of it is in force.
struct SharedProfile {
  Profile profile;
  SignatureReport signature;
  std::optional<Lock> lock;  ///< its objection says by whose word it may not vouch
  SignatureReport lock_signature;
};

/// NAME.yaml in the folder `staged` and what lies beside it. Throws Error for what is wrong in the files
/// themselves: a profile of another name, a lock of another text.
SharedProfile read_shared(const Host& host, const std::filesystem::path& staged, const std::string& name);

/// Throws Error when nobody has trusted the signatures so far that such a profile may be taken: from afar all
/// must be good; what lies here may be unsigned. What vouches needs a key that is trusted to.
void require_trusted(const SharedProfile& shared, bool is_remote);

/// Whether `state` says that a file is what its signer, known or not, has signed, or that nobody did.
std::string signer_text(const SignatureReport& signature);

/// Who signed it, what it pins, and what differs from the one of its name that is in force.
std::string shared_text(const Host& host, const SharedProfile& shared);
nlohmann::json shared_json(const Host& host, const SharedProfile& shared);

/// `part  from -> to`, one line each.
std::string differences_text(const Host& host, std::span<const Difference> found);
nlohmann::json differences_json(std::span<const Difference> found);

/// The gpg home of the person who signs.
std::filesystem::path gpg_home(const Host& host);

/// Whether a file in a folder of profiles may be called so: nothing in it leads elsewhere.
bool is_profile_file_name(const std::string& name);

/// Throws Error unless root runs `cudapin profile ACTION`.
void require_root(const ProfileOptions& options, const Host& host);

/// Asks unless told not to. Throws Error for a no, and when nobody can be asked.
void ask(const ProfileOptions& options, const Host& host, const std::string& question);

/// One line of history.
void note(const Host& host, const std::string& command, const std::string& why);

}  // namespace cudapin
